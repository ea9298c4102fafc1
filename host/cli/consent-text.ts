/** What is new in a version of a plugin, in words. All of it was written by the plugin's author, so it is made inert. */

import type { ConsentChange } from "../consent/changes.ts";
import { asks } from "../consent/changes.ts";
import type { HeldVersion } from "../sources/directory/status.ts";
import type { Style } from "./style.ts";
import { printable } from "./text.ts";

/** One line a change: `+ read $workspace`, `~ description of tool grep: "…" → "…"`. What needs no consent is dim. */
export function changeLines(changes: readonly ConsentChange[], style: Style): readonly string[] {
  return changes.map((change) => {
    const line = printable(changeText(change));
    if (asks(change, "fluent")) return style.yellow(line);
    return asks(change, "strict") ? line : style.dim(line);
  });
}

/** The version that waits and what is new in it. */
export function heldLines({ version, digest, changes }: HeldVersion, style: Style): readonly string[] {
  const lines = changes.length === 0 ? ["nothing that others see of it is new"] : changeLines(changes, style);
  return [
    `version ${printable(version)} ${style.dim(`(${shortDigest(digest)})`)} waits to be accepted:`,
    ...lines.map((line) => `  ${line}`),
  ];
}

/** As much of a digest as tells versions apart. */
export function shortDigest(digest: string): string {
  return digest.slice(0, 12);
}

function changeText(change: ConsentChange): string {
  switch (change.kind) {
    case "permission": {
      const of = change.tool === undefined ? "" : ` (tool ${change.tool})`;
      return `${change.sign} ${change.what.replace(": ", " ")}${of}`;
    }
    case "class":
      return `~ tool ${change.tool} can do more: ${change.from === "" ? "nothing" : change.from} → ${change.to}`;
    case "signer":
      return `~ signed by: ${change.from ?? "nobody"} → ${change.to ?? "nobody"}`;
    case "name":
      return `~ name: ${change.from ?? ""} → ${change.to ?? ""}`;
    case "file":
      return `${{ added: "+", changed: "~", removed: "-" }[change.change]} file ${change.path}`;
    case "tool":
      return change.change === "removed"
        ? `- tool ${change.tool}`
        : `+ tool ${change.tool} (${change.class}): ${JSON.stringify(change.description)}`;
    case "field": {
      const what = `${change.field} of tool ${change.tool}${change.pointer === undefined ? "" : ` at ${change.pointer === "" ? "its root" : change.pointer}`}`;
      if (change.from === undefined) return `+ ${what}: ${change.to ?? ""}`;
      return change.to === undefined ? `- ${what}: ${change.from}` : `~ ${what}: ${change.from} → ${change.to}`;
    }
    case "more":
      return `… and ${change.count} more`;
  }
}
