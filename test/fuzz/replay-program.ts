/** Random small programs of timers, operations, randomness and time, as data, and the plugin that runs them. */

import fc from "fast-check";
import type { JsonValue } from "../../manifests/mod.ts";

/** A program. Tasks run concurrently, the steps of each in sequence. Some tasks start by waiting until others have started. */
export interface ReplayProgram {
  readonly tasks: readonly (readonly Step[])[];
  /** For each operation, in order of request: the turns of the event loop until its answer, and whether it fails. */
  readonly answers: readonly { readonly turns: number; readonly fails: boolean }[];
}

type Step =
  | {
      readonly does:
        | "random"
        | "uuid"
        | "bytes"
        | "date"
        | "now"
        | "micro"
        | "read"
        | "readSync"
        | "sign"
        | "intl"
        | "log"
        | "progress"
        | "own";
    }
  | { readonly does: "sleep" | "spin" | "race" | "interval"; readonly ms: number }
  | { readonly does: "throw" };

const simple = fc.constantFrom(
  ...(["random", "uuid", "bytes", "date", "now", "micro", "read", "readSync", "sign", "intl", "log", "progress", "own"] as const),
);
const timed = fc.record({ does: fc.constantFrom("sleep", "spin", "race", "interval"), ms: fc.integer({ min: 0, max: 4 }) });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: simple.map((does) => ({ does })) },
  { weight: 6, arbitrary: timed },
  { weight: 1, arbitrary: fc.constant<Step>({ does: "throw" }) },
);

export const replayProgram: fc.Arbitrary<ReplayProgram> = fc.record({
  tasks: fc.array(fc.array(step, { maxLength: 6 }), { minLength: 1, maxLength: 5 }),
  answers: fc.array(fc.record({ turns: fc.nat({ max: 6 }), fails: fc.boolean() }), { minLength: 1, maxLength: 12 }),
});

export function toArguments({ tasks }: ReplayProgram): JsonValue {
  return { tasks: tasks.map((task) => task.map((own) => ({ ...own }))) };
}

export const REPLAY_PLUGIN = `
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const steps = {
  random: () => Math.random(),
  uuid: () => crypto.randomUUID(),
  bytes: () => String(crypto.getRandomValues(new Uint32Array(40))),
  date: () => [Date.now(), String(new Date())],
  now: () => performance.now(),
  micro: () => new Promise((resolve) => queueMicrotask(() => resolve("micro"))),
  read: (_step, name) => Deno.readTextFile("file-" + name),
  readSync: (_step, name) => Deno.readTextFileSync("file-" + name),
  own: () => Deno.readTextFile(new URL("./own.txt", import.meta.url)),
  async sign() {
    const key = await crypto.subtle.generateKey({ name: "HMAC", hash: "SHA-256", length: 128 }, true, ["sign"]);
    return String(new Uint8Array(await crypto.subtle.exportKey("raw", key)));
  },
  intl: () => new Date(Date.now()).toLocaleString() + (1234.5).toLocaleString(),
  log: () => console.log("now", Date.now()),
  progress: (_step, _name, context) => context.progress(Math.random()),
  sleep: ({ ms }) => sleep(ms),
  spin: ({ ms }) => { const end = performance.now() + ms; let rounds = 0; while (performance.now() < end) rounds++; return rounds; },
  race: ({ ms }, name) => Promise.race([sleep(ms).then(() => "timer"), Deno.readTextFile("race-" + name)]),
  interval: ({ ms }) => new Promise((resolve) => { let left = 3; const id = setInterval(() => { if (--left === 0) resolve(clearInterval(id)); }, ms); }),
  throw: () => { throw new Error("thrown at " + Date.now()); },
};
export async function run({ tasks }, context) {
  const seen = [];
  const task = async (list, index) => {
    for (const [place, step] of list.entries()) {
      const name = index + "." + place;
      try { seen.push([name, await steps[step.does](step, name, context) ?? null]); }
      catch (error) { seen.push([name, String(error)]); }
    }
  };
  await Promise.all(tasks.map(task));
  if (seen.length % 7 === 6) throw new Error("fails after " + seen.length + " " + Math.random());
  return seen;
}
`;
