/** Reads the whole journal on the service thread, in turn with whatever else there is (SPEC AU3, AU5). */

import { isJsonObject } from "../../manifests/mod.ts";
import { readJsonText } from "../json/json-text.ts";
import type { ServiceWorld } from "../service/task.ts";
import { rebuildSession, type SessionState } from "./session-state.ts";
import { type JournalReport, readJournal, verifyJournal } from "./verify.ts";

const BOUNDS = { maxBytes: 1024 * 1024, maxDepth: 600 } as const;
/** Rows between two turns of the thread. */
const ROWS_A_TURN = 100;

/** A task of the service thread. */
export function verifyTask(
  { folder, expected }: { readonly folder: string; readonly expected?: string },
  { journals, files, turn }: ServiceWorld,
): Promise<JournalReport> {
  return verifyJournal({ journals, files, folder }, expected, turn);
}

/** A task of the service thread. */
export async function sessionTask(
  { folder, sessionId }: { readonly folder: string; readonly sessionId: string },
  { journals, files, turn }: ServiceWorld,
): Promise<SessionState> {
  const rebuild = rebuildSession(sessionId);
  const written = JSON.stringify(sessionId);
  let rows = 0;
  for await (const { text } of readJournal({ journals, files, folder })) {
    if (++rows % ROWS_A_TURN === 0) await turn();
    // Most rows are of other sessions, and need no parsing.
    if (!text.includes(written)) continue;
    const parsed = readJsonText(text, BOUNDS);
    if (parsed.ok && isJsonObject(parsed.value)) rebuild.add(parsed.value);
  }
  return rebuild.state();
}
