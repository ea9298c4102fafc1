/** What is new in a version of a plugin, in words. All of it was written by the plugin's author, so it is made inert. */

import type { ConsentChange } from "../../plugins/consent/changes.ts";
import { asks } from "../../plugins/consent/changes.ts";
import { changeText, measureText } from "../../plugins/consent/change-text.ts";
import type { HeldVersion } from "../../plugins/folder/status.ts";
import type { Style } from "../../primitives/style.ts";
import { printable } from "../../primitives/text.ts";

/** One line a change: `+ read $workspace`, `~ description of tool grep: "…" → "…"`. What needs no consent is dim. */
export function changeLines(changes: readonly ConsentChange[], style: Style, measure?: (text: string) => string): readonly string[] {
  return changes.map((change) => {
    const line = printable(changeText(change, measure));
    if (asks(change, "fluent")) return style.yellow(line);
    return asks(change, "strict") ? line : style.dim(line);
  });
}

/** The version that waits and what is new in it. */
export function heldLines({ version, digest, changes }: HeldVersion, style: Style): readonly string[] {
  const lines = changes.length === 0 ? ["nothing that others see of it is new"] : changeLines(changes, style, measureText);
  return [
    `version ${printable(version)} ${style.dim(`(${shortDigest(digest)})`)} waits to be accepted:`,
    ...lines.map((line) => `  ${line}`),
  ];
}

/** As much of a digest as tells versions apart. */
export function shortDigest(digest: string): string {
  return digest.slice(0, 12);
}
