/** Log lines by pino, written asynchronously: a slow or unread log does not block the host (SPEC LV1). */

import { openSync } from "node:fs";
import { createRequire } from "node:module";
import type pino from "pino";
import { isExpected } from "./error-text.ts";
import { BoundedLines, ownerOf } from "./network/bounded-lines.ts";
import type { Log, LogLevel } from "./platform.ts";
import { denoFiles, denoTarget, fileTarget, standardWriter, StreamWriter } from "./stream-writer.ts";

export interface LogOptions {
  /** File to append to, created with mode 0600. Default: stderr, never stdout, which carries results and protocol frames. */
  readonly file?: string;
  /** Lowest level that is written. Default `warn`: failures and refusals only. */
  readonly level?: LogLevel;
}

/** Maximum time that a program waits at its end for a stream that accepts no data. */
const FLUSH_TIMEOUT_MS = 250;

/** Keys of a line's own frame. A field with such a name is written with a leading underscore. */
const FRAME_KEYS: ReadonlySet<string> = new Set(["level", "time", "msg", "v"]);

/**
 * Characters that move the cursor, change direction or are invisible, beyond those that JSON escapes anyway (SPEC AU4). In a JSON text they
 * can only occur inside a string, so escaping them changes no value.
 */
const UNSEEN = /[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udfff]/g;

const require = createRequire(import.meta.url);

/**
 * Creates a log. Pino is loaded with the first line, because most short programs write none. A file that cannot be opened fails at once.
 */
export function createLog(options: LogOptions = {}): Log {
  let opened = options.file === undefined ? undefined : openLogger(options);
  const log = toLog(() => (opened ??= openLogger(options)), { lowest: RANKS[options.level ?? "warn"], owner: undefined });
  return { ...log, flush: async () => await opened?.writer.settled(FLUSH_TIMEOUT_MS) };
}

const RANKS: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

/** A logger, and the owner of the next line. */
interface Logger {
  readonly pino: pino.Logger;
  readonly next: { owner: string | undefined };
  readonly writer: StreamWriter;
}

function openLogger({ file, level = "warn" }: LogOptions): Logger {
  const writer = file === undefined ? standardWriter(2) : fileWriter(file);
  // Ignored: a log that cannot be written (a full disk) cannot report it anywhere else, and the host must not stop.
  writer.onFailure(() => {});
  const next: Logger["next"] = { owner: undefined };
  const lines = new BoundedLines(writer, (text) => `${JSON.stringify({ level: WARN, time: Date.now(), msg: text })}\n`);
  const logger = loadPino()(
    { level, base: null, hooks: { streamWrite: (line) => line.replace(UNSEEN, escaped) } },
    { write: (line: string) => lines.add(line, next.owner) },
  );
  return { pino: logger, next, writer };
}

/** Pino's number of the level. */
const WARN = 40;

function fileWriter(path: string): StreamWriter {
  const deno = denoFiles();
  if (deno !== undefined) return new StreamWriter(denoTarget(deno.openSync(path, { append: true, create: true, mode: 0o600 }), true));
  return new StreamWriter(fileTarget(openSync(path, "a", 0o600)));
}

/** Loads pino synchronously, because a log line cannot wait for an import. */
function loadPino(): typeof pino {
  return require("pino") as typeof pino; // the package's own types
}

interface LogOf {
  /** Rank of the lowest level that is written. */
  readonly lowest: number;
  /** Plugin that the lines belong to. */
  readonly owner: string | undefined;
}

function toLog(logger: () => Logger, { lowest, owner }: LogOf): Log {
  return {
    write(level, message, fields = {}) {
      // Checked first: most lines are below the level, and preparing their fields is most of their cost.
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

/** Renames keys of the frame, so that no field can replace the line's own level, time or message. */
function framed(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [FRAME_KEYS.has(key) ? `_${key}` : key, value instanceof Error ? toFields(value) : value]),
  );
}

function toFields(error: Error): object {
  const { stack, ...rest } = loadPino().stdSerializers.err(error);
  return isExpected(error) ? rest : { ...rest, stack };
}

function escaped(characters: string): string {
  let text = "";
  for (let index = 0; index < characters.length; index += 1) {
    text += `\\u${characters.charCodeAt(index).toString(16).padStart(4, "0")}`;
  }
  return text;
}
