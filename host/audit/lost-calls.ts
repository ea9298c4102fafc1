/** Finds the calls that began in hosts that have ended, and did not end, on the service thread (SPEC FR2). */

import type { JsonObject } from "../../manifests/mod.ts";
import type { ServiceTask, TaskEnvironment } from "../primitives/service/task.ts";
import { TERMINAL_EVENT_TYPES } from "./events.ts";
import { openOr } from "./file-rows.ts";
import { eventOf, firstOf, namesOf } from "./journal-files.ts";
import { readJournal } from "./verify.ts";
import type { EndedHost } from "./host-mark.ts";
import { MARKED_EVENTS } from "./marked-events.ts";

interface LostQuery {
  readonly folder: string;
  readonly hosts: readonly EndedHost[];
}

/** The event with which a lost call began. */
export interface LostCall {
  readonly event: JsonObject;
  /** Owner of its session. */
  readonly owner?: string;
  /** False if it waited for a confirmation. */
  readonly hasBegun: boolean;
}

const ENDING: ReadonlySet<string> = new Set(TERMINAL_EVENT_TYPES);
/** Its call needs no terminal event if it has not begun: it may be the commit of a call that has ended. */
const OVER = "tool.confirmation_resolved";
/** A cheap test before a row is parsed. */
const NAMED = /"type":"tool\.(?:called|resumed|completed|failed|input_invalid|denied|confirmation_)/u;
/** Maximum number of calls that are followed at the same time. The oldest are dropped. */
const MOST_OPEN = 20_000;
const TURN_ROWS = 200;

export const LOST_CALLS: ServiceTask<typeof lostTask> = { name: "audit.lost", run: lostTask };

interface OpenCall extends LostCall {
  readonly host: string;
}

/** A task of the service thread. Rows that cannot be read are skipped: `bascule audit verify` reports them. */
async function lostTask({ folder, hosts }: LostQuery, env: TaskEnvironment): Promise<readonly LostCall[]> {
  const place = { ...env, folder };
  const ended = new Set(hosts.map(({ id }) => id));
  const open = new Map<string, OpenCall>();
  const from = await firstRowSince(Math.min(...hosts.map(({ sinceMs }) => sinceMs)), place);
  let rows = 0;
  for await (const { number, text } of readJournal(place, () => {}, from)) {
    if (++rows % TURN_ROWS === 0) await env.turn();
    if (NAMED.test(text)) follow(open, number, text);
  }
  return [...open.values()].flatMap(({ host, ...call }) => (ended.has(host) ? [call] : []));
}

function follow(open: Map<string, OpenCall>, number: number, text: string): void {
  const found = eventOf(number, text);
  // Rows that were kept from removed files are older than those around them.
  if (found === undefined || found.isKept) return;
  const { type, callId, host, owner } = found.event;
  if (typeof type !== "string" || typeof callId !== "string") return;
  const known = open.get(callId);
  if (ENDING.has(type) || (type === OVER && known?.hasBegun === false)) return void open.delete(callId);
  if (!MARKED_EVENTS.has(type) || typeof host !== "string") return;
  const begun = known?.hasBegun === true ? known : undefined;
  // The newest are the last.
  open.delete(callId);
  open.set(callId, {
    ...{ host, event: begun?.event ?? found.event, hasBegun: begun !== undefined || type !== "tool.confirmation_requested" },
    ...(typeof owner === "string" && { owner }),
  });
  const [oldest] = open.keys();
  if (open.size > MOST_OPEN && oldest !== undefined) open.delete(oldest);
}

/** Returns the first row of the newest file that begins before a time. */
async function firstRowSince(sinceMs: number, place: Parameters<typeof readJournal>[0]): Promise<number> {
  const names = await namesOf(place);
  for (const name of names.toReversed()) {
    const file = openOr(place.journals, `${place.folder}/${name}`, () => {});
    if (file === undefined) continue;
    try {
      const times = file.rows(firstOf(name) - 1, 2).map(({ number, text }) => eventOf(number, text)?.event["time"]);
      if (times.some((time) => typeof time === "number" && time < sinceMs)) return firstOf(name);
    } finally {
      file.close();
    }
  }
  return firstOf(names[0] ?? "1");
}
