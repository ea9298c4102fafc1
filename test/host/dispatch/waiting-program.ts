/**
 * A program with a host whose calls wait. `begin` starts them and prints the ids of those that survive a kill; `go on` continues those
 * that an earlier process left, answers every confirmation, and prints all results once none waits any more. `results` prints those that
 * are kept.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createHost, type Host } from "../../../host/mod.ts";

const [, , what = "", folder = "", count = "0"] = process.argv;
/** Below the bounds of one owner. */
const OF_ONE_OWNER = 10;
/** Half of these wait for a confirmation. All later ones sleep. */
const FIRST = 200;

/** Calls that are never frozen. */
const LOST = [
  { callId: "lost", tool: "patient.busy", args: { id: "lost" } },
  { callId: "lost-idle", tool: "patient.idle", args: {} },
] as const;

export const PLUGIN = `
const note = (id, text) => Deno.writeTextFile("effects/" + id, text, { append: true });
export async function sleeps({ id, ms }) { await note(id, "begun "); await new Promise((resolve) => setTimeout(resolve, ms)); await note(id, "ended "); return id; }
export async function asks({ id }) {
  await note(id, "begun ");
  const { state } = await Deno.permissions.request({ name: "env", variable: "SECRET" });
  await note(id, state + " ended ");
  return id;
}
export async function acts({ id }) { await note(id, "begun ended "); return id; }
export async function idle() { for (;;) await new Promise((resolve) => setTimeout(resolve, 100)); }
export async function busy({ id }) { await note(id, "begun "); for (;;) await new Promise((resolve) => setTimeout(resolve, 100)); }
`;

function writeProject(): void {
  const tool = (name: string): object => ({
    ...{ name, description: "Waits", sideEffects: ["write"], inputSchema: { type: "object" } },
  });
  const manifest = {
    ...{ schemaVersion: "1.0", name: "patient", version: "1.0.0", description: "Waits" },
    permissions: { write: ["$workspace"], env: ["SECRET"] },
    tools: [tool("sleeps"), tool("asks"), tool("busy"), tool("acts"), { ...tool("idle"), sideEffects: [] }],
  };
  const files: Readonly<Record<string, string>> = {
    "bascule.json": JSON.stringify({
      plugins: ["plugins"],
      policy: {
        rules: [
          ...["sleeps", "asks", "busy"].map((name) => ({ pattern: `patient.${name}`, confirm: "auto" })),
          { pattern: "patient.acts", confirm: "prompt" },
        ],
      },
    }),
    "plugins/patient/manifest.json": JSON.stringify(manifest),
    "plugins/patient/main.ts": PLUGIN,
  };
  for (const name of ["plugins/patient", "effects"]) mkdirSync(join(folder, name), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}

const quiet = { write() {}, child: () => quiet };

function open(): Promise<Host> {
  return createHost({
    config: join(folder, "bascule.json"),
    grants: { patient: { write: ["$workspace"] } },
    logger: quiet,
  });
}

async function begin(): Promise<void> {
  writeProject();
  const host = await open();
  const total = Number(count);
  const kindOf = (index: number): string => (index >= FIRST ? "sleeps" : (["sleeps", "sleeps", "asks", "acts"][index % 4] ?? ""));
  const indexes = Array.from({ length: total }, (_, index) => index);
  const start = (index: number): void => {
    const session = host.session({ owner: `owner ${Math.floor(index / OF_ONE_OWNER)}`, concurrency: OF_ONE_OWNER });
    const [callId, name] = [`call-${index}`, kindOf(index)];
    const given = { callId, session, ...(name === "asks" && { confirm: async () => await new Promise<undefined>(() => {}) }) };
    void host.call(`patient.${name}`, { id: callId, ms: 8_000 + total * 12 }, given);
  };
  const reached = async (wanted: number): Promise<void> => {
    while (host.waiting().length < wanted) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  // Sleeps are started last, so that none ends before all calls wait.
  const [asking, asleep] = [indexes.filter((index) => kindOf(index) !== "sleeps"), indexes.filter((index) => kindOf(index) === "sleeps")];
  asking.forEach(start);
  await reached(asking.length);
  asleep.forEach(start);
  await reached(total);
  const lost = Promise.withResolvers<void>();
  host.subscribe(({ type, callId }) => type === "capability.used" && callId === "lost" && lost.resolve());
  for (const { callId, tool, args } of LOST) void host.call(tool, args, { callId });
  await lost.promise;
  await host.audit.flush();
  process.stdout.write(`${JSON.stringify(host.waiting())}\n`);
}

async function goOn(): Promise<void> {
  const host = await open();
  const waiting = host.waiting();
  const pending = host.confirmations.list();
  process.stdout.write(
    `${JSON.stringify({ waiting, pending: pending.map(({ request: { requestId, callId, hash } }) => ({ requestId, callId, hash })) })}\n`,
  );
  for (const { request } of pending) host.confirmations.answer(request.requestId, { approve: true, hash: request.hash });
  while (waiting.some(({ callId }) => host.result(callId)?.status === "pending_approval" || host.result(callId) === undefined))
    await new Promise((resolve) => setTimeout(resolve, 20));
  process.stdout.write(`${JSON.stringify(waiting.map(({ callId }) => host.result(callId)))}\n`);
  // Their callers come back.
  const again = await Promise.all(LOST.map(({ callId, tool, args }) => host.call(tool, args, { callId })));
  await host.audit.flush();
  const events = await Promise.all(LOST.map(async ({ callId }) => (await host.audit.search({ callId })).map(({ event }) => event)));
  process.stdout.write(`${JSON.stringify({ again, events })}\n`);
  setInterval(() => {}, 1_000);
}

/** Prints the results of the calls of earlier processes by their ids. */
async function results(): Promise<void> {
  const host = await open();
  const ids = Array.from({ length: Number(count) }, (_, index) => `call-${index}`);
  process.stdout.write(`${JSON.stringify(Object.fromEntries(ids.map((id) => [id, host.result(id)])))}\n`);
  await host.close();
}

await (what === "begin" ? begin() : what === "go on" ? goOn() : results());
