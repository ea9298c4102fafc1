/** Formats trust requests. All texts come from the folder's author: they are made inert, and nothing is left out. */

import { isJsonArray, isJsonObject, type JsonValue } from "../../../manifests/mod.ts";
import type { Withheld } from "../../project/trust/project-trust.ts";
import type { Output } from "./output.ts";
import { nameTable, table } from "./table.ts";
import { printable, wrapWords } from "../../primitives/text.ts";

/** Formats a trust request: its name, the effect of allowing it, its parts, and the changes since it was last allowed. */
export function withheldLines(
  { name, about, value, before }: Withheld,
  { style, room }: Pick<Output, "style" | "room">,
): readonly string[] {
  const heading = `${style.bold(printable(name))}  ${about}${before === undefined ? "" : `; ${style.yellow("changed since you allowed it")}`}`;
  const [now, then] = [partsOf(value), before === undefined ? undefined : partsOf(before)];
  const title = wrapWords(heading, room);
  if (then === undefined) return [...title, ...nameTable(now, style, { columns: room })];
  const changed = (sign: string, parts: readonly Part[], paint: (text: string) => string): readonly string[] =>
    parts.flatMap((part) => table([part], style, { indent: `  ${sign} `, columns: room, wraps: true }).map(paint));
  return [
    ...title,
    ...changed(
      "-",
      then.filter((part) => !isIn(now, part)),
      style.red,
    ),
    ...changed(
      "+",
      now.filter((part) => !isIn(then, part)),
      style.green,
    ),
    ...nameTable(
      now.filter((part) => isIn(then, part)),
      style,
      { columns: room },
    ),
  ];
}

type Part = readonly [key: string, text: string];

function isIn(parts: readonly Part[], [key, text]: Part): boolean {
  return parts.some((other) => other[0] === key && other[1] === text);
}

/** Flattens a value to keyed parts. An empty object has no parts, but an empty list is shown because it can be significant. */
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

/** Quotes a key that could be read as several keys. */
function keyed(name: string): string {
  return printable(/^[\w-]+$/u.test(name) ? name : JSON.stringify(name));
}

/** Quotes a value that could be read as several words, or as text of the host. */
function worded(value: JsonValue): string {
  return printable(typeof value === "string" && /^[\w@%+=:,./~-]+$/u.test(value) ? value : JSON.stringify(value));
}
