/** Reads the whole journal on the service thread, in slices between other tasks (SPEC AU3, AU5, P9). */

import { joined } from "../primitives/json/json-bytes.ts";
import { readLarge } from "../primitives/json/read-slices.ts";
import { encodeSlices } from "../primitives/json/write-slices.ts";
import { type ActQuery, createActCollector, type RecordedActs } from "./acts.ts";
import type { JsonObject } from "../../manifests/mod.ts";
import { JournalError } from "../platform/files/journal-types.ts";
import type { ServiceTask, TaskEnvironment } from "../primitives/service/task.ts";
import { checkSignatures, type KeptCheckpoints, readCheckpoints } from "./checkpoints.ts";
import { rebuildSession, type SessionState } from "./session-state.ts";
import { type JournalReport, readEvents, verifyJournal } from "./verify.ts";

/** Options of a verification. */
interface VerifyRequest {
  readonly folder: string;
  /** File of the journal's checkpoints; absent if there is none. */
  readonly checkpoints?: string;
  /** Seal of a row that was noted. */
  readonly expected?: string;
  /** Memory of two numbers that the asking thread may read meanwhile: rows so far, and all rows. */
  readonly counted?: Int32Array<SharedArrayBuffer>;
}

/** Maximum number of attempts: a host that writes meanwhile may remove a file, and the checkpoints are read again. */
const MOST_TRIES = 5;

export const VERIFY_JOURNAL: ServiceTask<typeof verifyTask> = { name: "audit.verify", run: verifyTask };

/** A task of the service thread. */
export async function verifyTask(
  { folder, checkpoints: file, expected: seal, counted }: VerifyRequest,
  env: TaskEnvironment,
): Promise<JournalReport> {
  for (let tries = 1; ; tries++) {
    // Read before the rows, so that rows written meanwhile are newer than the checkpoints.
    const known = await knownOf(file, env);
    const expected = { ...(seal !== undefined && { seal }), checkpoints: known.signed };
    const report = await verifyJournal({ ...env, folder }, expected, async (rows, total) => {
      counted?.set([rows, total]);
      await env.turn();
    });
    const problems = [...report.problems, ...known.problems];
    const isSame = JSON.stringify((await knownOf(file, env)).kept) === JSON.stringify(known.kept);
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
  env: TaskEnvironment,
): Promise<{ readonly kept?: KeptCheckpoints } & ReturnType<typeof checkSignatures>> {
  try {
    const kept = file === undefined ? undefined : await readCheckpoints(file, env);
    return kept === undefined ? { signed: [], problems: [] } : { kept, ...checkSignatures(kept, env.journals) };
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    return { signed: [], problems: [`the checkpoints in "${file ?? ""}" cannot be read (${error.message})`] };
  }
}

export const SESSION_STATE: ServiceTask<typeof sessionTask> = { name: "audit.session", run: sessionTask };

/** A task of the service thread. */
export async function sessionTask(
  { folder, sessionId }: { readonly folder: string; readonly sessionId: string },
  { journals, files, turn }: TaskEnvironment,
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
  { journals, files, turn }: TaskEnvironment,
): Promise<JsonParts> {
  const { plugin, requires, bases } = query;
  const collector = createActCollector({ plugin, bases, requires: (tool) => requires.get(tool) ?? [] });
  for await (const event of readEvents({ journals, files, folder }, { turn })) collector.add(event);
  return await partsOf(collector.collected(), turn);
}

/**
 * A result such as a session of half a million calls, or 5,000 acts of 4 KB. It is transferred as bytes and parsed in slices on the
 * receiving thread.
 */
type JsonParts = readonly Uint8Array[];

/** Parses the task's result on the receiving thread. */
export function* readParts<T extends object>(parts: JsonParts): Generator<void, T> {
  const bytes = yield* joined(parts);
  // `partsOf` wrote the bytes from a value of this type.
  return (yield* readLarge({ kind: "json", bytes })) as unknown as T;
}

async function partsOf(found: SessionState | RecordedActs, turn: TaskEnvironment["turn"]): Promise<JsonParts> {
  // Both are JSON; their interfaces only lack an index signature.
  const writing = encodeSlices(found as unknown as JsonObject);
  for (;;) {
    const { done, value } = writing.next();
    if (done === true) return value;
    await turn();
  }
}
