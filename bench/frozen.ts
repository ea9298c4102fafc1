/** `freeze`, `resume` and `frozen_10000`: calls that survive the host's process (SPEC FR4). */

import { rm, writeFile } from "node:fs/promises";
import { createHost, type Host } from "../host/mod.ts";
import { currentPlatform } from "../host/platform/mod.ts";
import { createSealedStore, type SealedStore } from "../host/primitives/state/sealed-store.ts";
import type { JsonObject } from "../manifests/mod.ts";
import { readFrozen, writeFrozen } from "../sandbox/wire/frozen-call.ts";
import { startSandbox } from "../test/support/sandbox.ts";
import { type Bench, type Measured, median, mustBe } from "./measure.ts";
import { temporaryPlugins } from "./plugin-folder.ts";

const SOURCE =
  "export const echo = (args) => args; export async function nap(args) { await new Promise((resolve) => setTimeout(resolve, args.ms)); return args; }";
const ARGS = { text: "hello" };
/** Long enough to be frozen. */
const SLEEP_MS = 1_500;
const ROUNDS = 101;
const MANY = 10_000;
/** So that 10,000 guests stay within the store's bound. */
const KEPT_BYTES = 48 * 1024;

export const freeze: Bench = {
  id: "freeze",
  async run(): Promise<Measured> {
    await using box = startSandbox({ by: "thread", maximumWorkers: 1 });
    const frozen = await freezeOne(box);
    const belongsTo = headOf(frozen)["for"] as unknown as Parameters<typeof readFrozen>[1];
    const read = readFrozen(frozen, belongsTo);
    if (!read.ok) throw new Error(`The frozen call cannot be read: ${read.differs}`);
    await using project = await temporaryPlugins();
    const store = openStore(project.path, `${project.path}/key`);
    const samples: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const begin = performance.now();
      mustBe(store.space("call").put(`call-${round}`, HEAD, writeFrozen(read.call, belongsTo)), undefined);
      samples.push(performance.now() - begin);
    }
    store.close();
    const note = `${(frozen.length / 1024).toFixed(0)} KB each, of the host's thread`;
    return { value: median(samples), unit: "ms", baseline: null, ratio: null, note };
  },
};

export const resume: Bench = {
  id: "resume",
  async run(): Promise<Measured> {
    await using box = startSandbox({ by: "thread", maximumWorkers: 1 });
    const frozen = await freezeOne(box);
    await using project = await temporaryPlugins();
    const store = openStore(project.path, `${project.path}/key`);
    const calls = store.space("call");
    mustBe(calls.put("call", HEAD, frozen), undefined);
    const samples: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const begin = performance.now();
      const kept = calls.body("call");
      if (kept?.ok !== true) throw new Error("The frozen call is not in the store");
      const outcome = await box.call("echo", "nap", { args: ARGS, frozen: kept.bytes });
      samples.push(performance.now() - begin);
      mustBe(outcome.ok && outcome.output, { o: { ...ARGS, ms: SLEEP_MS } });
    }
    store.close();
    return { value: median(samples), unit: "ms", baseline: null, ratio: null, note: "from the store to the result, its timer due" };
  },
};

export const frozen10000: Bench = {
  id: "frozen_10000",
  async run(): Promise<Measured> {
    await using project = await temporaryPlugins();
    await project.write("echo", SOURCE, ["echo", "nap"]);
    await writeFile(`${project.path}/bascule.json`, '{ "plugins": ["plugins"] }');
    const open = (): Promise<Host> => createHost({ config: `${project.path}/bascule.json`, logger: SILENT });
    const first = await open();
    const { waitingFolder, waitingKeyFile } = first.places;
    const call = first.call("echo_nap", { ...ARGS, ms: 3_600_000 }, { timeoutMs: 3_600_000 });
    while (first.waiting().length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await first.close();
    await call;
    const bare = await startMs(open, 1);
    await fill(openStore(waitingFolder, waitingKeyFile, waitingFolder));
    const full = await startMs(open, MANY);
    await rm(waitingKeyFile, { force: true });
    const note = `start with one ${median(bare).toFixed(0)} ms, with ${MANY.toLocaleString("en")} ${median(full).toFixed(0)} ms`;
    return { value: median(full) - median(bare), unit: "ms", baseline: null, ratio: null, note };
  },
};

const SILENT = { write() {}, child: () => SILENT };
const HEAD: JsonObject = { v: 1, text: "x".repeat(1_500) };

async function startMs(open: () => Promise<Host>, waiting: number): Promise<readonly number[]> {
  const samples: number[] = [];
  for (let round = 0; round < 5; round++) {
    const begin = performance.now();
    const host = await open();
    samples.push(performance.now() - begin);
    mustBe(host.waiting().length, waiting);
    await host.close();
  }
  return samples;
}

/** Fills the store with copies of the call that it has. */
async function fill(store: SealedStore): Promise<void> {
  await store.takeOver();
  const calls = store.space("call");
  const [row] = calls.list();
  const head = calls.head(row?.id ?? "")?.value as JsonObject;
  for (let index = 1; index < MANY; index++) {
    const callId = `call-${index}`;
    mustBe(calls.put(callId, { ...head, call: { ...(head["call"] as JsonObject), callId } }, new Uint8Array(KEPT_BYTES)), undefined);
  }
  store.close();
}

function openStore(folder: string, keyFile: string, waiting = `${folder}/waiting`): SealedStore {
  const { states, files, random } = currentPlatform();
  return createSealedStore({
    states,
    files,
    folder: waiting,
    keyFile,
    newId: random.uuidv7,
    onDefect: (message) => mustBe(message, undefined),
  });
}

/** Returns the bytes of an echo that sleeps. */
async function freezeOne(box: ReturnType<typeof startSandbox>): Promise<Uint8Array> {
  await box.load("echo", SOURCE);
  const kept = Promise.withResolvers<Uint8Array>();
  const freezing = { isReady: () => Promise.resolve(true), freeze: kept.resolve, thaw() {} };
  const call = box.call("echo", "nap", { args: { ...ARGS, ms: SLEEP_MS }, freezing });
  const bytes = await kept.promise;
  await call;
  return bytes;
}

/** Returns the head of a frozen call: JSON behind eight bytes. */
function headOf(frozen: Uint8Array): JsonObject {
  const length = new DataView(frozen.buffer, frozen.byteOffset).getUint32(4);
  return JSON.parse(new TextDecoder().decode(frozen.subarray(8, 8 + length))) as JsonObject;
}
