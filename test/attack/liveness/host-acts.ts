/** Attacks that are not made of calls, by the program that embeds the host. */

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { HostCallOptions } from "../../../host/mod.ts";
import { callerOf } from "./callers.ts";
import type { World } from "./cases.ts";
import { type Attack, lanesOf } from "./rounds.ts";
import { HOSTILE, toolsOf, writePlugin } from "./plugins.ts";

const PLUGINS = 1_000;

/** Runs calls while eight readers of events read nothing. */
function slowReaders(env: World): Attack {
  const readers = Array.from({ length: 8 }, () => env.host.events[Symbol.asyncIterator]());
  env.ends.set("readers", readers.length);
  return hostileCalls(env, {});
}

const recorded = (env: World): Attack => hostileCalls(env, { record: true });
const dry = (env: World): Attack => hostileCalls(env, { dryRun: true });

async function undone(env: World): Promise<Attack> {
  await mkdir(join(env.folder, "workspace", "own"), { recursive: true });
  const calls = hostileCalls(env, {});
  return async (signal) => {
    const undoing = (async () => {
      while (!signal.aborted) {
        // The newest calls are still running, so undoing them is refused.
        for (const { callId } of (await env.host.undoable()).slice(0, 6)) await env.host.undo(callId);
        await pause(20);
      }
    })();
    await Promise.all([calls(signal), undoing]);
  };
}

/** Opens a session for each call, with its stored state. */
function manySessions({ host, ends }: World): Attack {
  return async (signal) => {
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        while (!signal.aborted) {
          const result = await host.call("hostile.grows", {}, { session: host.session(), signal });
          const end = result.ok ? "ok" : `${result.error.code}`;
          ends.set(end, (ends.get(end) ?? 0) + 1);
        }
      }),
    );
  };
}

/** Repeatedly adds plugins whose modules never finish loading. */
async function loopsAtLoad({ host, folder, ends }: World): Promise<Attack> {
  let version = 0;
  return async (signal) => {
    while (!signal.aborted) {
      version++;
      for (const name of ["loops-a", "loops-b"])
        await writePlugin(join(folder, "plugins"), name, { main: `export function tool() {}\n// ${version}\nfor (;;);` });
      await Promise.race([host.reload(), aborted(signal)]);
      ends.set("reloaded", version);
    }
  };
}

/** Repeatedly edits and reloads a thousand plugins. */
async function reloads({ host, folder, ends }: World): Promise<Attack> {
  let version = 0;
  const edit = async (): Promise<void> => {
    version++;
    for (let nth = 0; nth < PLUGINS; nth++)
      await writePlugin(join(folder, "plugins"), `p${nth}`, {
        main: `const text = ${JSON.stringify("x".repeat(500))};\nexport function t${nth}() { return ${version}; }`,
      });
  };
  await edit();
  await host.reload();
  await edit();
  return async (signal) => {
    ends.set("reloaded", await host.reload());
    if (!signal.aborted) host.list();
    void edit();
  };
}

/** Verifies and searches a journal with many records. */
async function largeJournal({ host, ends }: World): Promise<Attack> {
  const session = host.session({ concurrency: 64 });
  for (let nth = 0; nth < 30; nth++)
    await Promise.all(Array.from({ length: 64 }, () => host.call("hostile.one", { text: "x".repeat(20_000) }, { session })));
  await host.audit.flush();
  return async (signal) => {
    while (!signal.aborted) {
      const report = await host.audit.verify();
      ends.set(`verified ${String(report.ok)}`, 1);
      await host.audit.search({ text: "nothing has this" }, 10);
      await host.audit.session(session.id);
    }
  };
}

type HostAct = (env: World) => Attack | Promise<Attack>;

export const HOST_ACTS: Readonly<
  Record<"slowReaders" | "recorded" | "dry" | "undone" | "manySessions" | "loopsAtLoad" | "reloads" | "largeJournal", HostAct>
> = { slowReaders, recorded, dry, undone, manySessions, loopsAtLoad, reloads, largeJournal };

function hostileCalls({ host, session, ends, url, main }: World, options: HostCallOptions): Attack {
  const tools = toolsOf(main).map((tool) => `${HOSTILE}.${tool}`);
  return lanesOf(callerOf(host, { ...options, session }), { tools, args: { url }, ends });
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}
