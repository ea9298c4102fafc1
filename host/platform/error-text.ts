/** Texts of thrown values. */

/** Returns the message of an error; any other thrown value as text. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the stack of a defect for the log, or its text. */
export function defectText(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
