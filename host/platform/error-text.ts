/** Texts of thrown values. */

import { FileError } from "./files/file-types.ts";

/** Returns the message of an error; any other thrown value as text. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the stack of a defect for the log; of an expected failure the message, which says it all. */
export function defectText(error: unknown): string {
  return error instanceof Error && !isExpected(error) ? (error.stack ?? error.message) : errorText(error);
}

/** Whether an error is a failed file operation, or was caused by one. The file system decides about those, so they are not defects. */
export function isExpected(error: Error): boolean {
  return error instanceof FileError || (error.cause instanceof Error && isExpected(error.cause));
}
