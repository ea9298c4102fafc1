/**
 * Compares texts of printable ASCII in the order that most languages of Latin script share. Programs sort long lists this way,
 * and a request to the worker takes ten times as long.
 */

import { arrayIncludes, bareList, mathMin, stringCharCodeAt, stringToLowerCase } from "../language/primordials.ts";

/** The CLDR root collation (https://unicode.org/reports/tr35/tr35-collation.html#Root_Collation); both cases of a letter are equal. */
const ORDER = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz";

/** Weights by character code; 0 marks a character that this module cannot compare. */
const weights = bareList<number>();
for (let code = 0; code < 128; code++) weights[code] = ORDER.indexOf(stringToLowerCase(String.fromCharCode(code))) + 1;

/** Resolved locales that order ASCII like the root collation. */
const PLAIN_LOCALES = ["en", "en-US", "en-GB", "de", "de-DE", "fr", "fr-FR", "it", "pt", "pt-BR", "nl"];

/** @param resolved result of `Intl.Collator.prototype.resolvedOptions` */
export function isPlainCollator(resolved: unknown): boolean {
  const { locale, usage, sensitivity, ignorePunctuation, collation, numeric, caseFirst } = resolved as Readonly<Record<string, unknown>>;
  const isDefault = usage === "sort" && sensitivity === "variant" && collation === "default" && caseFirst === "false";
  return isDefault && ignorePunctuation === false && numeric === false && arrayIncludes(PLAIN_LOCALES, locale);
}

/** Compares two texts, or returns undefined if one holds other characters. */
export function compareAscii(a: string, b: string): number | undefined {
  const shared = mathMin(a.length, b.length);
  let byCase = 0;
  for (let index = 0; index < shared; index++) {
    const codeA = stringCharCodeAt(a, index);
    const codeB = stringCharCodeAt(b, index);
    const weight = weights[codeA] ?? 0;
    const difference = weight - (weights[codeB] ?? 0);
    if (weight === 0 || difference === weight) return undefined;
    if (difference !== 0) return isFollowed(a, index) || isFollowed(b, index) ? undefined : difference < 0 ? -1 : 1;
    // Lower case sorts first if the texts are otherwise equal.
    if (codeA !== codeB && byCase === 0) byCase = codeA > codeB ? -1 : 1;
  }
  if (a.length === b.length) return byCase;
  const longer = a.length > b.length ? a : b;
  if ((weights[stringCharCodeAt(longer, shared)] ?? 0) === 0) return undefined;
  return a.length > b.length ? 1 : -1;
}

/** Returns whether a combining mark may follow that belongs to the letter. */
function isFollowed(text: string, index: number): boolean {
  return index + 1 < text.length && (weights[stringCharCodeAt(text, index + 1)] ?? 0) === 0;
}
