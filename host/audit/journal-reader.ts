/** Reads the whole journal on the service thread, in turn with whatever else there is (SPEC AU3, AU5, P9). */

import { type ActQuery, createActCollector, type RecordedActs } from "../learn/acts.ts";
import { JournalError } from "../platform/journal-types.ts";
import type { ServiceWorld } from "../service/task.ts";
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

/** A task of the service thread. */
export async function sessionTask(
  { folder, sessionId }: { readonly folder: string; readonly sessionId: string },
  { journals, files, turn }: ServiceWorld,
): Promise<SessionState> {
  const rebuild = rebuildSession(sessionId);
  const damage = new Set<string>();
  for await (const event of readEvents({ journals, files, folder }, { turn, onDamage: (text) => damage.add(text) })) rebuild.add(event);
  return { ...rebuild.state(), ...(damage.size > 0 && { damage: [...damage] }) };
}

/** A task of the service thread. @throws {JournalError} if a file cannot be read */
export async function actsTask(
  { folder, query }: { readonly folder: string; readonly query: ActQuery },
  { journals, files, turn }: ServiceWorld,
): Promise<RecordedActs> {
  const { plugin, requires, bases } = query;
  const collector = createActCollector({ plugin, bases, requires: (tool) => requires.get(tool) ?? [] });
  for await (const event of readEvents({ journals, files, folder }, { turn })) collector.add(event);
  return collector.collected();
}
