/** Structured log lines. Types only. */

/** From least to most important. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** A structured logger: one JSON object per line. Guest text is data in a field, never part of the line's frame. */
export interface Log {
  write(level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>): void;
  child(fields: Readonly<Record<string, unknown>>): Log;
  /** Resolves when the lines are written, or after a quarter of a second without progress. Call it at the end of a program. */
  flush?(): Promise<void>;
}
