/** Reads the journal onward from an event, a page at a time: for readers that come back (SPEC I4, AU3). */

import type { ServiceTask, ServiceWorld } from "../primitives/service/task.ts";
import type { OnDamage } from "./file-rows.ts";
import { eventOf, firstOf, isOwnRow, namesOf } from "./journal-files.ts";
import type { KeptEvent, SearchFound, SearchStep } from "./search.ts";
import { readJournal } from "./verify.ts";

/** A few of the events that follow another, in their order. */
export interface FollowingEvents {
  readonly events: readonly KeptEvent[];
  /** The row to go on after. */
  readonly last: number;
  /** There was nothing more when it was read. */
  readonly isEnd: boolean;
}

/** A request for the rows that follow row `after`. */
export interface FollowingWish {
  /** Absolute. */
  readonly folder: string;
  readonly after: number;
}

export interface FollowingFound {
  readonly numbers: readonly number[];
  /** Their texts, as they were kept. */
  readonly texts: readonly string[];
  readonly last: number;
  readonly isEnd: boolean;
  /** Rows between `after` and the first of these were removed. */
  readonly isCut: boolean;
  /** Each text names a file and the part of it that could not be read. */
  readonly damage: readonly string[];
}

/** Bounds of one task, in rows that it looks at and characters that it answers with: other tasks share the thread. */
const PAGE_ROWS = 1_000;
const PAGE_LENGTH = 64 * 1024;

/** The row of the event with this id; undefined if there is none, or if it was removed with its file. */
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
  { folder, after }: FollowingWish,
  world: Pick<ServiceWorld, "journals" | "files">,
): Promise<FollowingFound> {
  const place = { ...world, folder };
  const [oldest] = await namesOf(place);
  const isCut = oldest !== undefined && firstOf(oldest) > after + 1;
  const numbers: number[] = [];
  const texts: string[] = [];
  const damage: string[] = [];
  const found = (last: number, isEnd: boolean): FollowingFound => ({ numbers, texts, last, isEnd, isCut, damage });
  let last = after;
  let looked = 0;
  let length = 0;
  // With the row before, which the first one is sealed with.
  for await (const { number, text } of readJournal(place, (told) => damage.push(told), Math.max(after, 1))) {
    if (number <= after) continue;
    last = number;
    looked += 1;
    const event = eventOf(number, text);
    if (event === undefined && !isOwnRow(text)) damage.push(`row ${number} is no event`);
    // One that was added again when its file was removed is older than what comes here.
    if (event !== undefined && !event.isKept) {
      length += text.length;
      numbers.push(number);
      texts.push(text);
    }
    if (looked >= PAGE_ROWS || length >= PAGE_LENGTH) return found(last, false);
  }
  return found(last, true);
}
