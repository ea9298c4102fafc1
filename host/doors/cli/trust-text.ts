/** What a folder asks for, in words. All of it was written by whoever made the folder, so it is made inert, and none is left out. */

import { isJsonArray, isJsonObject, type JsonValue } from "../../../manifests/mod.ts";
import type { Withheld } from "../../project/trust/project-trust.ts";
import { table } from "./help.ts";
import type { Style } from "../../primitives/style.ts";
import { printable } from "../../primitives/text.ts";

/** Its name, what a yes to it means, and each part of it; where another was agreed to, what is not the same. */
export function withheldLines({ name, about, value, before }: Withheld, style: Style): readonly string[] {
  const title = `${style.bold(printable(name))}  ${about}${before === undefined ? "" : `; ${style.yellow("changed since you allowed it")}`}`;
  const [now, then] = [partsOf(value), before === undefined ? undefined : partsOf(before)];
  if (then === undefined) return [title, ...table(now, style)];
  const gone = then.filter((part) => !isIn(now, part)).map(([key, text]) => style.red(`  - ${key}  ${text}`));
  const come = now.filter((part) => !isIn(then, part)).map(([key, text]) => style.green(`  + ${key}  ${text}`));
  return [
    title,
    ...gone,
    ...come,
    ...table(
      now.filter((part) => isIn(then, part)),
      style,
    ),
  ];
}

type Part = readonly [key: string, text: string];

function isIn(parts: readonly Part[], [key, text]: Part): boolean {
  return parts.some((other) => other[0] === key && other[1] === text);
}

/** An object without members says nothing; an empty list may say a lot. */
function partsOf(value: JsonValue, key = ""): readonly Part[] {
  if (isJsonObject(value)) {
    const variable = value["fromEnv"];
    if (typeof variable === "string") return [[key, `$${printable(variable)} of your environment`]];
    return Object.entries(value).flatMap(([name, item]) => partsOf(item, key === "" ? keyed(name) : `${key}.${keyed(name)}`));
  }
  if (!isJsonArray(value)) return [[key, worded(value)]];
  if (value.some((item) => isJsonObject(item))) return value.flatMap((item, index) => partsOf(item, `${key}[${index}]`));
  return [[key, value.length === 0 ? "none" : value.map(worded).join(" ")]];
}

/** Quoted where it could be taken for more than one key. */
function keyed(name: string): string {
  return printable(/^[\w-]+$/u.test(name) ? name : JSON.stringify(name));
}

/** Quoted where a reader could take it for more than one word, or for one of ours. */
function worded(value: JsonValue): string {
  return printable(typeof value === "string" && /^[\w@%+=:,./~-]+$/u.test(value) ? value : JSON.stringify(value));
}
