/** `event_loop`: longest delay of the host's event loop while hostile guests run (SPEC B1: under 50 ms). */

import { monitorEventLoopDelay } from "node:perf_hooks";
import { startSandbox } from "../test/support/sandbox.ts";
import type { Bench, Measured } from "./measure.ts";

const RESOLUTION_MS = 2;
const ROUNDS = 5;
const HOSTILE = `
export function native() { return new Array(6e7) + "" + new Array(6e7); }
export function spins() { for (;;); }
export function logs() { for (;;) console.log("x".repeat(500)); }
export async function floods() { for (;;) await Promise.all(Array.from({ length: 60 }, () => Deno.readTextFile("x").catch(() => {}))); }
export function big() { return Array.from({ length: 50_000 }, (_, i) => "entry " + i); }
export function memory() { const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1)); }
`;
const NAMES = ["native", "spins", "logs", "floods", "big", "memory"];

export const eventLoop: Bench = {
  id: "event_loop",
  async run(): Promise<Measured> {
    await using box = startSandbox();
    await box.load("hostile", HOSTILE);
    await box.call("hostile", "big");
    const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    delay.enable();
    for (let round = 0; round < ROUNDS; round++) {
      const outcomes = await Promise.all(NAMES.map((name) => box.call("hostile", name, { limits: { cpuMs: 150, wallMs: 300 } })));
      // All calls run until they are stopped, except for the one with the large answer.
      const wrong = NAMES.filter((name, index) => outcomes[index]?.ok !== (name === "big"));
      if (wrong.length > 0) throw new Error(`Guests did not end as expected: ${wrong.join(", ")}`);
    }
    delay.disable();
    return { value: delay.max / 1e6 - RESOLUTION_MS, unit: "ms", baseline: null, ratio: null };
  },
};
