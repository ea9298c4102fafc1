/** Summarises arguments on one line, as `call` takes them: `path=notes.txt lines=2`. */

import { isJsonObject, type JsonValue } from "../../../manifests/mod.ts";
import { printable, shorten } from "../../primitives/text.ts";

/** @param width maximum length in characters @param cwd paths below it are shortened */
export function argumentText(args: JsonValue, width: number, cwd = ""): string {
  if (!isJsonObject(args)) return shorten(printable(JSON.stringify(args)), width);
  let text = "";
  for (const [name, given] of Object.entries(args)) {
    if (text.length > width) break;
    const value = cwd !== "" && typeof given === "string" && given.startsWith(`${cwd}/`) ? given.slice(cwd.length + 1) : given;
    const isWord = typeof value === "string" && value !== "" && !/["\s]/u.test(value);
    text += `${text === "" ? "" : " "}${name}=${isWord ? value : JSON.stringify(value)}`;
  }
  return shorten(printable(text), width);
}
