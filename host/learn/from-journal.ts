/** Reads a plugin's acts out of the durable record (SPEC P9). */

import { type JournalPlace, readJournal } from "../audit/verify.ts";
import { readJsonText } from "../json/json-text.ts";
import { isJsonObject } from "../../manifests/mod.ts";
import type { ActCollector } from "./acts.ts";

const BOUNDS = { maxBytes: 1024 * 1024, maxDepth: 600 } as const;

/** Row by row, so that it holds one event at a time. @throws {JournalError} if a file cannot be read. */
export async function collectFromJournal(place: JournalPlace, collector: ActCollector, since = 0): Promise<void> {
  for await (const { text } of readJournal(place)) {
    const parsed = readJsonText(text, BOUNDS);
    if (!parsed.ok || !isJsonObject(parsed.value)) continue;
    const { time, type } = parsed.value;
    // Where a session worked is known from its beginning, which may be older.
    if (type === "session.opened" || typeof time !== "number" || time >= since) collector.add(parsed.value);
  }
}
