/** Describes one difference between two versions. Parts of the text come from the plugin's author: sanitize it before it is shown. */

import { limitText, sha256Hex } from "../../../manifests/mod.ts";
import { defined } from "../../primitives/defined.ts";
import type { ConsentChange } from "./change.ts";

/** Old value and new value, as far as known. */
interface ChangeWords {
  readonly sign: "+" | "-" | "~" | "…";
  readonly what: string;
  readonly from?: string;
  readonly to?: string;
}

/** Formats a change as one line: `+ read $workspace`, `~ description of tool grep: "…" → "…"`. */
export function changeText(change: ConsentChange, measure: (text: string) => string = lengthText): string {
  const { sign, what, from, to } = changeWords(change);
  const [was, now] = [from, to].map((text) => text && `${text}${measure(text)}`);
  const values = was === undefined || now === undefined ? (was ?? now) : `${was} → ${now}`;
  return `${sign} ${what}${values === undefined ? "" : `: ${values}`}`;
}

export function changeWords(change: ConsentChange): ChangeWords {
  switch (change.kind) {
    case "clash": {
      const { of, name, other, whose } = change;
      return {
        sign: "~",
        what:
          name === other
            ? `the name ${name} belongs to the plugin in ${whose}, which will wait once this one is accepted`
            : `the name ${name} of ${of === "tool" ? "a tool" : "the plugin"} looks like the existing ${other} (${whose})`,
      };
    }
    case "permission": {
      const of = change.tool === undefined ? "" : ` (tool ${change.tool})`;
      return { sign: change.sign, what: `${change.what.replace(": ", " ")}${of}` };
    }
    case "limit": {
      const [from, to] = [limitText(change.limit, change.from), limitText(change.limit, change.to)];
      return { sign: change.to > change.from ? "+" : "-", what: `limit ${change.limit}`, from, to };
    }
    case "class":
      return { sign: "~", what: `tool ${change.tool} can do more`, from: change.from === "" ? "nothing" : change.from, to: change.to };
    case "signer":
      return { sign: "~", what: "signer", from: change.from ?? "none", to: change.to ?? "none" };
    case "name":
      return { sign: "~", what: "name", from: change.from ?? "", to: change.to ?? "" };
    case "file":
      return { sign: ({ added: "+", changed: "~", removed: "-" } as const)[change.change], what: `file ${change.path}` };
    case "tool":
      return change.change === "removed"
        ? { sign: "-", what: `tool ${change.tool}` }
        : {
            sign: "+",
            what: `tool ${change.tool} (${change.class})`,
            to: `${JSON.stringify(change.description)}${change.says === undefined ? "" : ` ${change.says}`}`,
          };
    case "field": {
      const { field, tool, pointer, from, to } = change;
      const what = `${field} of ${tool === undefined ? "the plugin" : `tool ${tool}`}${pointer === undefined ? "" : ` at ${pointer === "" ? "its root" : pointer}`}`;
      const sign = from === undefined ? "+" : to === undefined ? "-" : "~";
      return { sign, what, ...defined({ from, to }) };
    }
    case "more":
      return {
        sign: "…",
        what:
          change.of === "file"
            ? `and ${change.count} more files`
            : `and ${change.count} more changes that are not shown: it cannot be accepted`,
      };
  }
}

/** Long texts are shown with their length, so that the user can check that none of it is missing. */
export function lengthText(text: string): string {
  return text.length <= LONG ? "" : ` (${text.length} characters)`;
}

/** Adds the hash as well, which takes 1 ms per 1,000 characters: do not call it on a host's thread. */
export function measureText(text: string): string {
  return text.length <= LONG ? "" : ` (${text.length} characters, SHA-256 ${sha256Hex(text)})`;
}

const LONG = 200;
