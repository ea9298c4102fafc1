/** What a bundle is and would start, for the person who is asked about it. Every word of it is its author's, and is made inert. */

import { bundleLines } from "../../plugins/bundles/bundle-lines.ts";
import type { BundlePreview } from "../../plugins/bundles/bundles.ts";
import { shortDigest } from "./consent-text.ts";
import type { Output } from "./output.ts";
import { count, printable, shortenWords } from "../../primitives/text.ts";

/** Before anything is written. */
export function bundlePreviewLines(preview: BundlePreview, { style, columns }: Pick<Output, "style" | "columns">): readonly string[] {
  const { name, version, description, server, digest, from, files, bytes, signed, warnings, replaces } = preview;
  const size = `${count(files, "file")}, ${Math.ceil(bytes / 1024)} KiB, ${shortDigest(digest)}`;
  return [
    `${style.bold(printable(name))} ${printable(version)}  ${shortenWords(printable(description), columns - 20)}`,
    `  from       ${printable(from)} ${style.dim(`(${size})`)}`,
    `  signed by  ${signed ? "somebody: the signature is not checked" : "nobody"}`,
    `  server     ${style.cyan(printable(server))}, its tools are called mcp__${printable(server)}.…`,
    "  starts",
    ...bundleLines(preview).map((line) => `    ${printable(line)}`),
    ...warnings.map((warning) => style.dim(`  note       ${printable(warning)}`)),
    ...(replaces === undefined ? [] : replacesLines(replaces, style)),
    style.yellow(
      "  This is a program of its author's, which runs outside the sandbox with all that you may do: it can read and write your files,",
    ),
    style.yellow(
      "  connect anywhere and start other programs, whatever its tools are granted. Only calls of its tools are asked about and recorded.",
    ),
  ];
}

function replacesLines({ version, changes }: NonNullable<BundlePreview["replaces"]>, style: Output["style"]): readonly string[] {
  const lines = changes.length === 0 ? ["nothing that it says of itself is new; its bytes are"] : changes;
  return [
    `  takes the place of version ${printable(version)}`,
    ...lines.map((line) => `    ${line.startsWith("+") ? style.yellow(printable(line)) : printable(line)}`),
  ];
}
