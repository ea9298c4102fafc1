/** Reads the whole journal on the service thread, in turn with whatever else there is (SPEC AU3, AU5, P9). */

import { joined } from "../primitives/json/json-bytes.ts";
import { readLarge } from "../primitives/json/read-slices.ts";
import { encodeSlices } from "../primitives/json/write-slices.ts";
import { type ActQuery, createActCollector, type RecordedActs } from "./acts.ts";
import type { JsonObject } from "../../manifests/mod.ts";
import { JournalError } from "../platform/files/journal-types.ts";
import type { ServiceTask, ServiceWorld } from "../primitives/service/task.ts";
import { checkSignatures, type KeptCheckpoints, readCheckpoints } from "./checkpoints.ts";
import { rebuildSession, type SessionState } from "./session-state.ts";
import { type JournalReport, readEvents, verifyJournal } from "./verify.ts";

/** What is verified. */
export interface VerifyWish {
  readonly folder: string;
  /** Where the journal's checkpoints are kept; absent where there are none. */
  readonly checkpoints?: string;
  /** The seal of a row that was noted. */
  readonly expected?: string;
}

/** A host that writes meanwhile may remove a file: then what is known is read again. */
const MOST_TRIES = 5;

export const VERIFY_JOURNAL: ServiceTask<typeof verifyTask> = { name: "audit.verify", run: verifyTask };

/** A task of the service thread. */
export async function verifyTask({ folder, checkpoints: file, expected: seal }: VerifyWish, world: ServiceWorld): Promise<JournalReport> {
  for (let tries = 1; ; tries++) {
    // Before the rows: what is written meanwhile is newer than what is known.
    const known = await knownOf(file, world);
    const expected = { ...(seal !== undefined && { seal }), checkpoints: known.signed };
    const report = await verifyJournal({ ...world, folder }, expected, world.turn);
    const problems = [...report.problems, ...known.problems];
    const isSame = JSON.stringify((await knownOf(file, world)).kept) === JSON.stringify(known.kept);
    if (problems.length > 0 && !isSame && tries < MOST_TRIES) continue;
    const { kept } = known;
    const newest = kept?.checkpoints.at(-1);
    return {
      ...report,
      ok: problems.length === 0,
      ...(kept && newest && { checkpoint: { number: newest.number, time: newest.time, publicKey: kept.key.publicKey } }),
      ...(kept?.accepted && { accepted: kept.accepted }),
      problems,
    };
  }
}

async function knownOf(
  file: string | undefined,
  world: ServiceWorld,
): Promise<{ readonly kept?: KeptCheckpoints } & ReturnType<typeof checkSignatures>> {
  try {
    const kept = file === undefined ? undefined : await readCheckpoints(file, world);
    return kept === undefined ? { signed: [], problems: [] } : { kept, ...checkSignatures(kept, world.journals) };
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    return { signed: [], problems: [`the checkpoints in "${file ?? ""}" cannot be read (${error.message})`] };
  }
}

export const SESSION_STATE: ServiceTask<typeof sessionTask> = { name: "audit.session", run: sessionTask };

/** A task of the service thread. */
export async function sessionTask(
  { folder, sessionId }: { readonly folder: string; readonly sessionId: string },
  { journals, files, turn }: ServiceWorld,
): Promise<JsonParts> {
  const rebuild = rebuildSession(sessionId);
  const damage = new Set<string>();
  for await (const event of readEvents({ journals, files, folder }, { turn, onDamage: (text) => damage.add(text) })) rebuild.add(event);
  return await partsOf({ ...rebuild.state(), ...(damage.size > 0 && { damage: [...damage] }) }, turn);
}

export const RECORDED_ACTS: ServiceTask<typeof actsTask> = { name: "audit.acts", run: actsTask };

/** A task of the service thread. @throws {JournalError} if a file cannot be read */
export async function actsTask(
  { folder, query }: { readonly folder: string; readonly query: ActQuery },
  { journals, files, turn }: ServiceWorld,
): Promise<JsonParts> {
  const { plugin, requires, bases } = query;
  const collector = createActCollector({ plugin, bases, requires: (tool) => requires.get(tool) ?? [] });
  for await (const event of readEvents({ journals, files, folder }, { turn })) collector.add(event);
  return await partsOf(collector.collected(), turn);
}

/** A session of half a million calls, or 5,000 acts of 4 KB: as bytes they are moved to the thread that asked, and read there in slices. */
export type JsonParts = readonly Uint8Array[];

/** The task's findings, on the thread that asked. */
export function* readParts<T extends object>(parts: JsonParts): Generator<void, T> {
  const bytes = yield* joined(parts);
  // Written by `partsOf`, of this very type.
  return (yield* readLarge({ kind: "json", bytes })) as unknown as T;
}

async function partsOf(found: SessionState | RecordedActs, turn: ServiceWorld["turn"]): Promise<JsonParts> {
  // Both are JSON; their interfaces just have no index signature.
  const writing = encodeSlices(found as unknown as JsonObject);
  for (;;) {
    const { done, value } = writing.next();
    if (done === true) return value;
    await turn();
  }
}
