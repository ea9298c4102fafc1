/** Formats the progress of a call: a bar if its end is known, its message, or the value itself. */

import { isJsonObject, type JsonValue } from "../../../manifests/mod.ts";
import { printable, shorten } from "../../primitives/text.ts";

const BAR_WIDTH = 20;
const MAX_TEXT = 100;

/** @param value what the tool passed to `context.progress`, usually `{ progress, total, message }` */
export function progressText(value: JsonValue): string {
  if (typeof value === "string") return shorten(printable(value), MAX_TEXT);
  if (!isJsonObject(value)) return shorten(printable(JSON.stringify(value)), MAX_TEXT);
  const { progress, total, message } = value;
  if (typeof progress !== "number" && typeof message !== "string") return shorten(printable(JSON.stringify(value)), MAX_TEXT);
  const words = typeof message === "string" ? shorten(printable(message), MAX_TEXT) : "";
  return [typeof progress === "number" ? amountText(progress, total) : "", words].filter((part) => part !== "").join("  ");
}

function amountText(progress: number, total: JsonValue | undefined): string {
  if (typeof total !== "number" || !(total > 0)) return String(progress);
  const share = Math.min(1, Math.max(0, progress / total));
  const filled = Math.round(share * BAR_WIDTH);
  return `${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)} ${String(Math.floor(share * 100)).padStart(3)} %`;
}
