/** Colours and weights for terminals that support them; plain text otherwise. */

/** Functions that return their text, styled if styles are enabled. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

/** Matches exactly the escape sequences that styles write. None of them hides text. */
export const STYLED: RegExp = /(\x1b\[(?:1|2|22|31|32|33|36|39)m)/;

/** Creates styles. Without colour the functions return their text unchanged. */
export function createStyle(color: boolean): Style {
  const wrap =
    (open: number, close: number) =>
    (text: string): string =>
      color && text !== "" ? `\x1b[${open}m${text}\x1b[${close}m` : text;
  return { bold: wrap(1, 22), dim: wrap(2, 22), red: wrap(31, 39), green: wrap(32, 39), yellow: wrap(33, 39), cyan: wrap(36, 39) };
}
