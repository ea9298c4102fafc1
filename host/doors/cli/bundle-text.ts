/** Formats a bundle and the program that it starts, for the confirmation. All texts come from the bundle's author and are made inert. */

import { bundleLines } from "../../plugins/bundles/bundle-lines.ts";
import type { BundlePreview } from "../../plugins/bundles/bundles.ts";
import { shortDigest } from "./consent-text.ts";
import type { Output } from "./output.ts";
import { table } from "./table.ts";
import { count, printable, shortenWords, wrapWords } from "../../primitives/text.ts";

const UNCONFINED =
  "This program runs outside the sandbox with all your rights: it can read and write your files, connect to any host and start other programs, regardless of grants. Confirmations and the journal cover only the calls of its tools.";

/** Formats the preview that is shown before anything is written. */
export function bundlePreviewLines(
  preview: BundlePreview,
  { style, columns, room }: Pick<Output, "style" | "columns" | "room">,
): readonly string[] {
  const { name, version, description, server, digest, from, files, bytes, signed, warnings, replaces } = preview;
  const size = `${count(files, "file")}, ${Math.ceil(bytes / 1024)} KiB, ${shortDigest(digest)}`;
  return [
    `${style.bold(printable(name))} ${printable(version)}  ${shortenWords(printable(description), columns - 20)}`,
    `  from       ${printable(from)} ${style.dim(`(${size})`)}`,
    `  signature  ${signed ? "present, not checked" : "none"}`,
    `  server     ${style.cyan(printable(server))}, its tools are called mcp__${printable(server)}.…`,
    "  starts",
    ...bundleLines(preview).map((line) => `    ${printable(line)}`),
    ...warnings.flatMap((warning) =>
      table([["note     ", printable(warning)]], style, { indent: "  ", columns: room, wraps: true, paint: [style.dim, style.dim] }),
    ),
    ...(replaces === undefined ? [] : replacesLines(replaces, style)),
    ...wrapWords(UNCONFINED, room - 2).map((line) => style.yellow(`  ${line}`)),
  ];
}

function replacesLines({ version, changes }: NonNullable<BundlePreview["replaces"]>, style: Output["style"]): readonly string[] {
  const lines = changes.length === 0 ? ["no visible changes, only other file contents"] : changes;
  return [
    `  replaces version ${printable(version)}`,
    ...lines.map((line) => `    ${line.startsWith("+") ? style.yellow(printable(line)) : printable(line)}`),
  ];
}
