/** Log lines by pino, written asynchronously: a log that is slow, or that no program reads, holds nobody up (SPEC LV1). */

import { openSync } from "node:fs";
import { createRequire } from "node:module";
import type pino from "pino";
import { BoundedLines, ownerOf } from "./network/bounded-lines.ts";
import type { Log, LogLevel } from "./platform.ts";
import { denoFiles, denoTarget, fileTarget, standardWriter, StreamWriter } from "./stream-writer.ts";

export interface LogOptions {
  /** Appended to, created with mode 0600; default is stderr. Never stdout, which carries results and protocol frames. */
  readonly file?: string;
  /** Lines below it are dropped. Default `warn`: what failed or was refused, not what went as it should. */
  readonly level?: LogLevel;
}

/** At the end of a program nothing waits longer for a stream that takes nothing. */
const PATIENCE_MS = 250;

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
  const log = toLog(() => (opened ??= openLogger(options)), { lowest: RANKS[options.level ?? "warn"], owner: undefined });
  return { ...log, flush: async () => await opened?.writer.settled(PATIENCE_MS) };
}

const RANKS: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/** A logger, and whose the line is that it is given next. */
interface Logger {
  readonly pino: pino.Logger;
  readonly next: { owner: string | undefined };
  readonly writer: StreamWriter;
}

function openLogger({ file, level = "warn" }: LogOptions): Logger {
  const writer = file === undefined ? standardWriter(2) : fileWriter(file);
  // There is nowhere left to say that the log cannot be written (a full disk), and no reason to stop.
  writer.onFailure(() => {});
  const next: Logger["next"] = { owner: undefined };
  const lines = new BoundedLines(writer, (text) => `${JSON.stringify({ level: WARN, time: Date.now(), msg: text })}\n`);
  const logger = loadPino()(
    { level, base: null, hooks: { streamWrite: (line) => line.replace(UNSEEN, escaped) } },
    { write: (line: string) => lines.add(line, next.owner) },
  );
  return { pino: logger, next, writer };
}

/** Pino's number for it. */
const WARN = 40;

function fileWriter(path: string): StreamWriter {
  const deno = denoFiles();
  if (deno !== undefined) return new StreamWriter(denoTarget(deno.openSync(path, { append: true, create: true, mode: 0o600 }), true));
  return new StreamWriter(fileTarget(openSync(path, "a", 0o600)));
}

/** A log line cannot wait for an import. */
function loadPino(): typeof pino {
  return require("pino") as typeof pino; // the package's own types
}

interface LogOf {
  /** The rank of the lowest level that is written. */
  readonly lowest: number;
  /** The plugin that the lines are of. */
  readonly owner: string | undefined;
}

function toLog(logger: () => Logger, { lowest, owner }: LogOf): Log {
  return {
    write(level, message, fields = {}) {
      // Most lines are below the level, and preparing their fields is most of their cost.
      if (RANKS[level] < lowest) return;
      const { pino, next } = logger();
      next.owner = owner ?? ownerOf(fields);
      pino[level](framed(fields), message);
    },
    child(fields) {
      let made: Logger | undefined;
      const open = (): Logger => {
        const { pino, ...rest } = logger();
        return { pino: pino.child(framed(fields)), ...rest };
      };
      return toLog(() => (made ??= open()), { lowest, owner: ownerOf(fields) ?? owner });
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
