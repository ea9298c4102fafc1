/** Fresh-state calls against warm ones, on the thread that runs them; shared by the rows that need one or both. */

import { plainCopy } from "../sandbox/image/plain-copy.ts";
import { trackedRestore } from "../sandbox/image/tracked-restore.ts";
import { type InThreadPlugin, loadInThread, meteredModule } from "../test/support/in-thread.ts";
import { againstInUs, compareBatches, type Measured } from "./measure.ts";

export const ECHO_ARGS = { a: 1, b: "x" };
/** The answer of `echo`, as text. */
export const ECHO_TEXT: string = JSON.stringify(ECHO_ARGS);

/** Restore and call on the rewritten engine ÷ call only, with kept state, on the published engine. */
export async function freshAgainstWarm(source: string): Promise<Measured> {
  const fresh = await loadFresh(source);
  const warm = await loadWarm(source);
  mustForget(fresh);
  return againstInUs(compareBatches({ warm: () => echo(warm), fresh: () => echoFresh(fresh) }), "fresh", "warm");
}

/** As in a worker: rewritten engine, and restores that copy only touched pages. */
export function loadFresh(source: string): Promise<InThreadPlugin> {
  return loadInThread(source, trackedRestore, { module: meteredModule });
}

/** The published engine, never restored. */
export function loadWarm(source: string): Promise<InThreadPlugin> {
  return loadInThread(source, plainCopy);
}

export function echoFresh(plugin: InThreadPlugin): void {
  plugin.restore();
  echo(plugin);
}

/** @throws {Error} if the answer differs from what was sent. */
export function echo(plugin: InThreadPlugin): void {
  const answer = plugin.call("echo", ECHO_ARGS);
  if (!answer.includes(ECHO_TEXT)) throw new Error(`Measured a call that answers ${answer.slice(0, 200)}`);
}

/** @throws {Error} if a restore keeps what an earlier call stored. */
function mustForget(plugin: InThreadPlugin): void {
  const remember = (key: string): string => plugin.call("remember", { key, value: 1 });
  const first = remember("a");
  if (remember("b") === first) throw new Error("The plugin keeps no state, so a restore would do nothing");
  plugin.restore();
  if (remember("c") !== first) throw new Error("A restored plugin remembers earlier calls");
}
