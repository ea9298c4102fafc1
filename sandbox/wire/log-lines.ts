/** Bounds and texts of log lines, as the worker drops them and the host counts them. */

/** Cost of a line besides its text: its time, level and call ids are written with it. */
export const LOG_LINE_BYTES = 256;
/** Bytes on top of a call's limit for the line that reports dropped lines. */
export const LAST_LINE_BYTES: number = LOG_LINE_BYTES + 64;

/** Describes missing log lines: "1,000,000 lines, 999,000 dropped". */
export function droppedText(lines: number, dropped: number): string {
  return `${lines.toLocaleString("en-US")} ${lines === 1 ? "line" : "lines"}, ${dropped.toLocaleString("en-US")} dropped`;
}
