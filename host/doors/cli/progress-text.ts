/** Formats the progress of a call: a bar if its end is known, its message, or the value itself. */

import { isJsonObject, type JsonValue } from "../../../manifests/mod.ts";
import { printable, shorten } from "../../primitives/text.ts";

const BAR_WIDTH = 20;
const MAX_TEXT = 100;

/**
 * @param value what the tool passed to `context.progress`, usually `{ progress, total, message }`
 * @param elapsedMs time that `progress` took; absent: no time is shown
 */
export function progressText(value: JsonValue, elapsedMs?: number): string {
  if (typeof value === "string") return shorten(printable(value), MAX_TEXT);
  if (!isJsonObject(value)) return shorten(printable(JSON.stringify(value)), MAX_TEXT);
  const { progress, total, message } = value;
  if (typeof progress !== "number" && typeof message !== "string" && elapsedMs === undefined)
    return shorten(printable(JSON.stringify(value)), MAX_TEXT);
  const amount = typeof progress === "number" ? amountText(progress, total) : "";
  const time = elapsedMs === undefined ? "" : timeText(progress, total, elapsedMs);
  const words = typeof message === "string" ? shorten(printable(message), MAX_TEXT) : "";
  return [amount, time, words].filter((part) => part !== "").join("  ");
}

function amountText(progress: number, total: JsonValue | undefined): string {
  if (typeof total !== "number" || !(total > 0)) return String(progress);
  const share = Math.min(1, Math.max(0, progress / total));
  const filled = Math.round(share * BAR_WIDTH);
  return `${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)} ${String(Math.floor(share * 100)).padStart(3)} %`;
}

/** Returns the time left at the pace so far if the end is known, otherwise the time since the beginning. */
function timeText(progress: JsonValue | undefined, total: JsonValue | undefined, elapsedMs: number): string {
  const isPaced = typeof progress === "number" && typeof total === "number" && progress > 0 && total >= progress;
  return isPaced ? `${spanText((elapsedMs / progress) * (total - progress))} left` : spanText(elapsedMs);
}

function spanText(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
}
