/** Problems of a plugin's folder, as opposed to its manifest's text: without a position, with names escaped. */

import type { Problem } from "../../../manifests/mod.ts";

/** Longer names are cut in messages. */
const SHOWN_LENGTH = 120;

/** Creates a problem that refuses the plugin. `fix` says what to do. */
export function folderError(message: string, fix?: string): Problem {
  return { severity: "error", pointer: "", message, ...(fix === undefined ? {} : { fix }) };
}

/** Creates a problem that is shown while the plugin is used. */
export function folderWarning(message: string, fix?: string): Problem {
  return { severity: "warning", pointer: "", message, ...(fix === undefined ? {} : { fix }) };
}

/**
 * Quotes an untrusted name for a message.
 *
 * Control, bidi, zero-width and private-use characters and lone surrogates become `\u{…}`; long names are cut.
 */
export function quote(name: string): string {
  const shown = name.length > SHOWN_LENGTH ? `${name.slice(0, SHOWN_LENGTH)}…` : name;
  return `"${shown.replaceAll(/["\\]|[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu, escapeCharacter)}"`;
}

function escapeCharacter(character: string): string {
  if (character === '"' || character === "\\") return `\\${character}`;
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
