/** Sends progress and log lines of a running call to its client, within bounds that no guest can exceed. */

import type { LoggingLevel, ServerContext } from "@modelcontextprotocol/server";
import { isJsonObject, type JsonValue } from "../../../manifests/mod.ts";
import { droppedText } from "../../../sandbox/mod.ts";
import { printableLines, shorten } from "../../primitives/text.ts";
import { decodeText } from "../../primitives/json/large.ts";
import type { Clock, LogLevel } from "../../platform/platform.ts";
import type { Follower } from "./open-call.ts";
import type { DoorParts } from "./parts.ts";

const MAX_NOTICES = 1_000;
const NOTICES_PER_SECOND = 50;
const MAX_PROGRESS_TEXT = 1_000;
/** UTF-8 bytes that hold at least `MAX_PROGRESS_TEXT` characters. */
const MAX_PROGRESS_BYTES = 4 * MAX_PROGRESS_TEXT;
const MAX_LOG_TEXT = 8_000;

const LEVELS: Readonly<Record<LogLevel, LoggingLevel>> = { debug: "debug", info: "info", warn: "warning", error: "error" };

interface NoticesOptions extends Pick<DoorParts, "onError" | "isBehind"> {
  /** Sent as the logger's name. */
  readonly tool: string;
  readonly clock: Pick<Clock, "monotonic">;
}

/** Creates the notices of one call; `end` reports how many log lines were dropped. */
export function clientNotices(ctx: ServerContext, options: NoticesOptions): Follower & { end(): void } {
  const { tool, clock, onError, isBehind } = options;
  const token = ctx.mcpReq._meta?.progressToken;
  const isWithinBudget = createBudget(clock);
  const maySay = (): boolean => !isBehind() && isWithinBudget();
  const log = (level: LogLevel, text: string): void => void ctx.mcpReq.log(LEVELS[level], text, tool).catch(onError);
  let last = -Infinity;
  let lines = 0;
  let dropped = 0;

  function say(said: Progress): void {
    if (token === undefined) return;
    // The protocol requires progress to increase: if the tool sends only text, count up.
    const progress = said.progress ?? Math.max(0, Math.floor(last) + 1);
    if (progress <= last || !maySay()) return;
    last = progress;
    ctx.mcpReq.notify({ method: "notifications/progress", params: { progressToken: token, ...said, progress } }).catch(onError);
  }

  return {
    onProgress: (value, json) => say(readProgress(value, json)),
    // The protocol has no partial results; the whole result follows.
    onYield: (value, json) => say({ message: textOf(value, json) }),
    onLog(level, text) {
      lines += 1;
      if (maySay()) log(level, shorten(printableLines(text.slice(0, MAX_LOG_TEXT + 1)), MAX_LOG_TEXT));
      else dropped += 1;
    },
    end() {
      if (dropped > 0) log("warn", droppedText(lines, dropped));
    },
  };
}

interface Progress {
  readonly progress?: number;
  readonly total?: number;
  readonly message?: string;
}

/** Reads a number, a text, or an object with `progress`, `total` and `message`; any other value is sent as JSON text. */
function readProgress(value: JsonValue, json: Uint8Array | undefined): Progress {
  const shown = (): string => textOf(value, json);
  if (typeof value === "number") return { progress: value };
  if (typeof value === "string") return { message: inert(value) };
  if (!isJsonObject(value)) return { message: shown() };
  const { progress, total, message } = value;
  if (typeof progress !== "number" && typeof message !== "string") return { message: shown() };
  return {
    ...(typeof progress === "number" && { progress }),
    ...(typeof total === "number" && { total }),
    ...(typeof message === "string" && { message: inert(message) }),
  };
}

function textOf(value: JsonValue, json: Uint8Array | undefined): string {
  if (json !== undefined) return inert(decodeText(json.subarray(0, MAX_PROGRESS_BYTES)));
  return inert(typeof value === "string" ? value : JSON.stringify(value));
}

function inert(text: string): string {
  return shorten(printableLines(text.slice(0, MAX_PROGRESS_TEXT)), MAX_PROGRESS_TEXT);
}

/** Token bucket: burst 50, refill 50/s, 1,000 in total. */
function createBudget({ monotonic }: Pick<Clock, "monotonic">): () => boolean {
  let left = MAX_NOTICES;
  let saved = NOTICES_PER_SECOND;
  let at = monotonic();
  return () => {
    const now = monotonic();
    saved = Math.min(NOTICES_PER_SECOND, saved + ((now - at) * NOTICES_PER_SECOND) / 1_000);
    at = now;
    if (left <= 0 || saved < 1) return false;
    left -= 1;
    saved -= 1;
    return true;
  };
}
