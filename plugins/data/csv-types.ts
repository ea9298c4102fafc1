/** Converts CSV fields to typed values where the type is certain. */

export type Field = string | number | boolean | null;

/** Numbers as JSON writes them: no leading zero, plus sign, hexadecimal, separator or unit. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/u;
/** Digits up to which a double keeps every number as written. */
const SAFE_DIGITS = 15;

/**
 * Converts to a number, boolean or null if writing it again gives the same text; everything else stays text.
 *
 * `007`, `+41…`, `1,5`, `0x10`, dates and numbers of more than 15 digits stay as they are; an empty field becomes null.
 */
export function toTyped(field: string): Field {
  if (field === "") return null;
  if (field === "true" || field === "TRUE" || field === "True") return true;
  if (field === "false" || field === "FALSE" || field === "False") return false;
  if (!NUMBER.test(field)) return field;
  const number = Number(field);
  const digits = field
    .replace(/[eE].*$/u, "")
    .replace(/\D/gu, "")
    .replace(/^0+/u, "");
  if (!Number.isFinite(number) || digits.length > SAFE_DIGITS) return field;
  return number === 0 && /[1-9]/u.test(digits) ? field : number;
}
