/** Log lines by pino, written synchronously: an acknowledged line survives `kill -9` (FACTS, record). */

import { createRequire } from "node:module";
import type pino from "pino";
import type { Log, LogLevel } from "./platform.ts";

export interface LogOptions {
  /** Appended to, created with mode 0600; default is stderr. Never stdout, which carries results and protocol frames. */
  readonly file?: string;
  /** Lines below it are dropped. Default `warn`: what failed or was refused, not what went as it should. */
  readonly level?: LogLevel;
}

/** Keys of a line's frame; a field of that name is written with an underscore in front. */
const FRAME_KEYS: ReadonlySet<string> = new Set(["level", "time", "msg", "v"]);

/**
 * Characters that move the cursor, change direction or do not show, beyond those that JSON escapes anyway (SPEC AU4).
 * In a JSON text they can only be inside a string, so escaping them changes no value.
 */
const UNSEEN = /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udfff]/g;

const require = createRequire(import.meta.url);

/** Pino is loaded with the first line: most starts of a program write none. A file that cannot be opened is an error at once. */
export function createLog(options: LogOptions = {}): Log {
  let opened = options.file === undefined ? undefined : openLogger(options);
  return toLog(() => (opened ??= openLogger(options)), RANKS[options.level ?? "warn"]);
}

const RANKS: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

function openLogger(options: LogOptions): pino.Logger {
  const open = loadPino();
  const destination = open.destination(
    options.file === undefined ? { dest: 2, sync: true } : { dest: options.file, sync: true, append: true, mode: 0o600 },
  );
  // There is nowhere left to say that the log cannot be written (a closed pipe, a full disk), and no reason to stop.
  destination.on("error", () => {});
  return open({ level: options.level ?? "warn", base: null, hooks: { streamWrite: (line) => line.replace(UNSEEN, escaped) } }, destination);
}

/** A log line cannot wait for an import. */
function loadPino(): typeof pino {
  return require("pino") as typeof pino; // the package's own types
}

/** @param lowest the rank of the lowest level that is written */
function toLog(logger: () => pino.Logger, lowest: number): Log {
  return {
    write(level, message, fields = {}) {
      // Most lines are below the level, and preparing their fields is most of their cost.
      if (RANKS[level] >= lowest) logger()[level](framed(fields), message);
    },
    child(fields) {
      let made: pino.Logger | undefined;
      return toLog(() => (made ??= logger().child(framed(fields))), lowest);
    },
  };
}

/** With keys of the frame renamed: no field can take the place of the line's own level, time or message. */
function framed(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      FRAME_KEYS.has(key) ? `_${key}` : key,
      value instanceof Error ? loadPino().stdSerializers.err(value) : value,
    ]),
  );
}

function escaped(characters: string): string {
  let text = "";
  for (let index = 0; index < characters.length; index += 1) {
    text += `\\u${characters.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }
  return text;
}
