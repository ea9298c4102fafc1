/**
 * Compares texts that hold nothing but printable ASCII, in the order that most languages of Latin script share: programs
 * sort long lists by it, and asking the worker takes ten times as long.
 */

import { arrayIncludes, bareList, mathMin, stringCharCodeAt, stringToLowerCase } from "./primordials.ts";

/** The CLDR root collation (https://unicode.org/reports/tr35/tr35-collation.html#Root_Collation); letters of both cases are one. */
const ORDER = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz";

/** By code; 0 is for what this cannot compare. */
const weights = bareList<number>();
for (let code = 0; code < 128; code++) weights[code] = ORDER.indexOf(stringToLowerCase(String.fromCharCode(code))) + 1;

/** Locales, as resolved, that order ASCII no other way. */
const PLAIN_LOCALES = ["en", "en-US", "en-GB", "de", "de-DE", "fr", "fr-FR", "it", "pt", "pt-BR", "nl"];

/** @param resolved what `Intl.Collator.prototype.resolvedOptions` answers. */
export function isPlainCollator(resolved: unknown): boolean {
  const { locale, usage, sensitivity, ignorePunctuation, collation, numeric, caseFirst } = resolved as Readonly<Record<string, unknown>>;
  const isDefault = usage === "sort" && sensitivity === "variant" && collation === "default" && caseFirst === "false";
  return isDefault && ignorePunctuation === false && numeric === false && arrayIncludes(PLAIN_LOCALES, locale);
}

/** Undefined if the texts hold anything else. */
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
    // Small letters come first, where nothing else tells the texts apart.
    if (codeA !== codeB && byCase === 0) byCase = codeA > codeB ? -1 : 1;
  }
  if (a.length === b.length) return byCase;
  const longer = a.length > b.length ? a : b;
  if ((weights[stringCharCodeAt(longer, shared)] ?? 0) === 0) return undefined;
  return a.length > b.length ? 1 : -1;
}

/** A mark may follow that belongs to the letter. */
function isFollowed(text: string, index: number): boolean {
  return index + 1 < text.length && (weights[stringCharCodeAt(text, index + 1)] ?? 0) === 0;
}
