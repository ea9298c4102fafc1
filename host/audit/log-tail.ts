/** The last log lines about each plugin, for the console (SPEC I5). Bounded: 64 plugins, 200 lines each, 1,000 characters a line. */

import type { Log, LogLevel } from "../platform/platform.ts";
import { keptText } from "../primitives/text.ts";

/** A line of the log. `text` is the guest's own text if `isGuest`. */
export interface LogLine {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly level: LogLevel;
  readonly text: string;
  readonly isGuest: boolean;
  readonly tool?: string;
  readonly callId?: string;
}

interface LogTail {
  /** Passes every line on. */
  readonly log: Log;
  /** The lines about a plugin, the oldest first. */
  lines(plugin: string): readonly LogLine[];
}

const MAX_PLUGINS = 64;
const MAX_LINES = 200;
const MAX_LENGTH = 1_000;

/** @param log the lines' destination; they come here with secrets already removed */
export function createLogTail(log: Log, now: () => number): LogTail {
  const tails = new Map<string, LogLine[]>();

  function note(level: LogLevel, message: string, fields: Readonly<Record<string, unknown>>): void {
    // Lines about events have the plugin in the event: the journal has those.
    const { plugin, tool, callId, text } = fields;
    if (typeof plugin !== "string") return;
    const isGuest = message === "guest" && typeof text === "string";
    const written = isGuest ? text : message;
    const tail = tails.get(plugin) ?? [];
    // The plugin that wrote last is dropped last.
    tails.delete(plugin);
    const [oldest] = tails.keys();
    if (tails.size >= MAX_PLUGINS && oldest !== undefined) tails.delete(oldest);
    tails.set(plugin, tail);
    tail.push({
      ...{ time: now(), level, isGuest },
      text: keptText(written, MAX_LENGTH),
      ...(typeof tool === "string" && { tool }),
      ...(typeof callId === "string" && { callId }),
    });
    if (tail.length > MAX_LINES) tail.shift();
  }

  const through = (inner: Log, known: Readonly<Record<string, unknown>>): Log => ({
    write(level, message, fields) {
      note(level, message, { ...known, ...fields });
      inner.write(level, message, fields);
    },
    child: (fields) => through(inner.child(fields), { ...known, ...fields }),
    ...(inner.flush && { flush: () => inner.flush?.() ?? Promise.resolve() }),
  });
  return { log: through(log, {}), lines: (plugin) => [...(tails.get(plugin) ?? [])] };
}
