/** Reads the whole journal on the service thread, in turn with whatever else there is (SPEC AU3, AU5). */

import type { ServiceWorld } from "../service/task.ts";
import { rebuildSession, type SessionState } from "./session-state.ts";
import { type JournalReport, readEvents, verifyJournal } from "./verify.ts";

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
  for await (const event of readEvents({ journals, files, folder }, turn)) rebuild.add(event);
  return rebuild.state();
}
