/** Formats the changes in a plugin version. All texts come from the plugin's author and are made inert. */

import { asks, type ConsentChange } from "../../plugins/consent/change.ts";
import { changeText, measureText } from "../../plugins/consent/change-text.ts";
import type { HeldVersion } from "../../plugins/folder/status.ts";
import type { Style } from "../../primitives/style.ts";
import { printable } from "../../primitives/text.ts";

/** Formats one line per change: `+ read $workspace`, `~ description of tool grep: "…" → "…"`. Changes that need no consent are dim. */
export function changeLines(changes: readonly ConsentChange[], style: Style, measure?: (text: string) => string): readonly string[] {
  return changes.map((change) => {
    const line = printable(changeText(change, measure));
    if (asks(change, "fluent")) return style.yellow(line);
    return asks(change, "strict") ? line : style.dim(line);
  });
}

/** Formats a waiting version and its changes. */
export function heldLines({ version, digest, changes }: HeldVersion, style: Style): readonly string[] {
  const lines = changes.length === 0 ? ["no visible changes, only other file contents"] : changeLines(changes, style, measureText);
  return [
    `version ${printable(version)} ${style.dim(`(${shortDigest(digest)})`)} waits to be accepted:`,
    ...lines.map((line) => `  ${line}`),
  ];
}

/** Returns the first 12 hex digits, which is enough to distinguish versions. */
export function shortDigest(digest: string): string {
  return digest.slice(0, 12);
}
