/** Creates the base image: engine, context and prelude, loaded once. Every plugin is loaded on top of it. */

import { type EngineFacts, INITIAL_MEMORY_PAGES } from "../engine/engine.ts";
import { learnFacts } from "../engine/engine-facts.ts";
import { type BaseImage, unchanged } from "../engine/image.ts";
import { captureBase } from "./capture.ts";
import { plainCopy } from "./plain-copy.ts";
import { type GuestHost, NEVER_SUSPENDS } from "../engine/guest-host.ts";
import { atOnce } from "../engine/steps.ts";
import { Instance } from "../engine/instance.ts";
import { PRELUDE } from "./prelude.gen.ts";

/** Fixed time while loading, so that an image depends on its bytes only (SPEC B9). */
export const LOAD_TIME_MS: number = Date.UTC(2026, 0, 1);

/** Loads the prelude and locates the state of `Math.random` in the engine's memory. Takes about 100 ms. */
export async function makeBaseImage(module: WebAssembly.Module): Promise<BaseImage> {
  const facts = await learnFacts(module);
  const instance = await Instance.start(module, facts, INITIAL_MEMORY_PAGES);
  instance.host = BOOT_HOST;
  instance.boot(ENTRY);
  while (atOnce(instance.runJobs(1_000)) > 0);
  const image = captureBase(instance);
  return { ...image, randomAddress: findRandomState(instance, image, facts) };
}

/** Prefix that no plugin can import, because a plugin's resolver only finds the plugin's own files. */
const PRELUDE_ROOT = "bascule:prelude/";
const ENTRY = `${PRELUDE_ROOT}entry.ts`;

const BOOT_HOST: GuestHost = {
  ...NEVER_SUSPENDS,
  hostCall: ([, operation]) => ({
    answer: `e${JSON.stringify({ name: "Error", message: `The prelude called "${operation}" while loading` })}`,
  }),
  shouldInterrupt: () => false,
  now: () => LOAD_TIME_MS,
  moduleSource: (name) => PRELUDE[name.slice(PRELUDE_ROOT.length)] ?? { throws: `The prelude has no module "${name}"` },
  moduleName: (_base, specifier) => PRELUDE_ROOT + specifier.replace(/^(bascule:prelude|\.)\//, ""),
};

const MASK = (1n << 64n) - 1n;

/** Returns the next state of xorshift64*, the generator behind `Math.random` in QuickJS (quickjs.c, `xorshift64star`). */
function nextRandomState(state: bigint): bigint {
  let x = state;
  x ^= x >> 12n;
  x ^= (x << 25n) & MASK;
  x ^= x >> 27n;
  return x & MASK;
}

/** Locates the generator's state: the only aligned word of the heap that one `Math.random()` advances by exactly one step. */
function findRandomState(instance: Instance, image: BaseImage, facts: EngineFacts): number {
  plainCopy(image).restore(instance, unchanged(image));
  const words = (): BigUint64Array => new BigUint64Array(instance.bytes.slice(0, image.heapEnd & ~7).buffer);
  const before = words();
  atOnce(instance.evaluate("Math.random()", "bascule:probe", "script"));
  const after = words();
  const hits: number[] = [];
  for (let index = facts.stackTop >> 3; index < before.length; index++) {
    const was = before[index] ?? 0n;
    const is = after[index] ?? 0n;
    if (was !== is && was !== 0n && nextRandomState(was) === is) hits.push(index * 8);
  }
  const [address] = hits;
  if (address === undefined || hits.length !== 1)
    throw new Error(`The engine's random state is not unique: found ${hits.length} candidates`);
  return address;
}
