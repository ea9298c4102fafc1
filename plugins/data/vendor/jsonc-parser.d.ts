/** What the plugin uses of jsonc-parser. Offsets and columns are in UTF-16 units and count from 0, lines too. */

/** Called as the text is read, in order. */
export interface Visitor {
  readonly onObjectBegin?: () => void;
  readonly onObjectProperty?: (name: string, offset: number, length: number, line: number, column: number) => void;
  readonly onObjectEnd?: () => void;
  readonly onArrayBegin?: () => void;
  readonly onArrayEnd?: () => void;
  readonly onLiteralValue?: (value: unknown, offset: number, length: number, line: number, column: number) => void;
  readonly onSeparator?: (character: string, offset: number) => void;
  readonly onComment?: (offset: number, length: number) => void;
  readonly onError?: (code: number, offset: number, length: number, line: number, column: number) => void;
}

/** Reads a text without making values of it. */
export function visit(
  text: string,
  visitor: Visitor,
  options?: { readonly disallowComments?: boolean; readonly allowTrailingComma?: boolean },
): void;

/** The name of an error's code, such as "CommaExpected". */
export function printParseErrorCode(code: number): string;
