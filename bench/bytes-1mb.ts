/** `bytes_1mb`: 1 MB from the host to the guest as raw bytes, against 1 MB of JSON text, through the same operation's path. */

import { startSandbox, type TestSandbox } from "../test/support/sandbox.ts";
import type { HostCallHandler } from "../sandbox/mod.ts";
import { againstInUs, type Bench, compareCalls, type Measured, mustBe } from "./measure.ts";

const MEGABYTE = 1_000_000;
/**
 * Operations with bytes in each call, so that the call lasts about as long as one with JSON: the first few meet cold caches and a
 * sleeping worker.
 */
const BURST = 50;
/** The cost of a call without payload counts for both candidates. */
const SOURCE = `
export async function bytes(_args, context) {
  let b;
  for (let count = 0; count < ${BURST}; count++) b = await context.workspace.readBytes("x");
  return [b.length, b[999_999]];
}
export async function json(_args, context) { const v = await context.workspace.list("x"); return [v.length, v[v.length - 1]]; }
`;

export const bytes1mb: Bench = {
  id: "bytes_1mb",
  async run(): Promise<Measured> {
    const bytes = makeBytes();
    // Bytes as a JSON array of numbers; as many as give a text of the same size.
    const numbers = [...bytes.subarray(0, Math.floor(MEGABYTE / (JSON.stringify([...bytes]).length / MEGABYTE)))];
    const last = (values: ArrayLike<number>): (number | undefined)[] => [values.length, values[values.length - 1]];
    let lent = makeBytes();
    const hostCall: HostCallHandler = ({ name }) => {
      if (name === "workspace.list") return Promise.resolve({ ok: true, value: numbers });
      // Reuses one buffer, because making a megabyte takes longer than sending it; a new one is made if the old one was moved instead of
      // copied.
      if (lent.length === 0) lent = makeBytes();
      return Promise.resolve({ ok: true, value: null, bytes: lent });
    };

    // One sandbox for each candidate: an instance that JSON has grown is replaced, and that time must not count for bytes.
    await using forBytes = await startPayload();
    await using forJson = await startPayload();
    const call = (box: TestSandbox, name: "bytes" | "json", wanted: unknown) => async (): Promise<void> => {
      const outcome = await box.call("payload", name, { hostCall });
      mustBe(outcome.ok ? outcome.output : outcome.fault, { o: wanted });
    };
    const candidates = { json: call(forJson, "json", last(numbers)), bytes: call(forBytes, "bytes", last(bytes)) };
    const times = await compareCalls(candidates, { rounds: 20, calls: 4, warmCalls: 20 });
    const { value, ratio, ...rest } = againstInUs(times, "bytes", "json");
    return { ...rest, value: value / BURST, ratio: (ratio ?? Number.NaN) / BURST };
  },
};

function makeBytes(): Uint8Array {
  return Uint8Array.from({ length: MEGABYTE }, (_, index) => index % 251);
}

async function startPayload(): Promise<TestSandbox> {
  const box = startSandbox();
  await box.load("payload", SOURCE, ["bytes", "json"]);
  return box;
}
