/** Texts of thrown values. */

import { FileError } from "./files/file-types.ts";

/** Returns the message of an error; any other thrown value as text. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the stack of a defect for the log. A failed file operation is not a defect: the text says it all. */
export function defectText(error: unknown): string {
  return error instanceof Error && !(error instanceof FileError) ? (error.stack ?? error.message) : errorText(error);
}
