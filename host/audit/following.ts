/** Reads the journal forward from an event, a page at a time, for readers that reconnect (SPEC I4, AU3). */

import type { ServiceTask, TaskEnvironment } from "../primitives/service/task.ts";
import type { OnDamage } from "./file-rows.ts";
import { eventOf, firstOf, isOwnRow, namesOf } from "./journal-files.ts";
import type { KeptEvent, SearchFound, SearchStep } from "./search.ts";
import { readJournal } from "./verify.ts";

/** A page of the events that follow a given one, in order. */
export interface FollowingEvents {
  readonly events: readonly KeptEvent[];
  /** Row to continue after. */
  readonly last: number;
  /** Whether the end was reached at the time of reading. */
  readonly isEnd: boolean;
}

/** Request for the rows after row `after`. */
interface FollowingRequest {
  /** Absolute. */
  readonly folder: string;
  readonly after: number;
}

interface FollowingFound {
  readonly numbers: readonly number[];
  /** Texts of the events, as kept. */
  readonly texts: readonly string[];
  readonly last: number;
  readonly isEnd: boolean;
  /** Whether rows between `after` and the first of these were removed. */
  readonly isCut: boolean;
  /** Unreadable parts, each with its file. */
  readonly damage: readonly string[];
}

/** Limits of one task, in rows read and characters returned: other tasks share the thread. */
const PAGE_ROWS = 1_000;
const PAGE_LENGTH = 64 * 1024;

/** Returns the row of the event with this id; undefined if it does not exist or was removed with its file. */
export async function rowOf(
  step: (wanted: SearchStep) => Promise<SearchFound>,
  { folder, id }: { readonly folder: string; readonly id: string },
  onDamage: OnDamage,
): Promise<number | undefined> {
  let before: number | undefined = Number.MAX_SAFE_INTEGER;
  while (before !== undefined) {
    const isOnward = before !== Number.MAX_SAFE_INTEGER;
    const found: SearchFound = await step({ folder, filter: { id }, before, isOnward, kept: false, limit: 1 });
    found.damage?.forEach(onDamage);
    if (found.numbers[0] !== undefined) return found.numbers[0];
    ({ before } = found);
  }
  return undefined;
}

export const FOLLOWING: ServiceTask<typeof followingTask> = { name: "audit.following", run: followingTask };

/** A task of the service thread. */
export async function followingTask(
  { folder, after }: FollowingRequest,
  env: Pick<TaskEnvironment, "journals" | "files">,
): Promise<FollowingFound> {
  const place = { ...env, folder };
  const [oldest] = await namesOf(place);
  const isCut = oldest !== undefined && firstOf(oldest) > after + 1;
  const numbers: number[] = [];
  const texts: string[] = [];
  const damage: string[] = [];
  const found = (last: number, isEnd: boolean): FollowingFound => ({ numbers, texts, last, isEnd, isCut, damage });
  let last = after;
  let looked = 0;
  let length = 0;
  // Starts one row earlier, because the first row's seal depends on it.
  for await (const { number, text } of readJournal(place, (told) => damage.push(told), Math.max(after, 1))) {
    if (number <= after) continue;
    last = number;
    looked += 1;
    const event = eventOf(number, text);
    if (event === undefined && !isOwnRow(text)) damage.push(`row ${number} is not an event`);
    // Events that were kept from a removed file are older than the requested ones.
    if (event !== undefined && !event.isKept) {
      length += text.length;
      numbers.push(number);
      texts.push(text);
    }
    if (looked >= PAGE_ROWS || length >= PAGE_LENGTH) return found(last, false);
  }
  return found(last, true);
}
