import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import type { Measured } from "./measure.ts";
import { PLANTED, SCENARIOS } from "./operations.ts";

/** What an operation may leave: what the planted leak leaves is twice this, and the collector's own noise a tenth. */
const ALLOWED_BYTES = 300;

interface Line extends Measured {
  readonly name: string;
  readonly error?: string;
}

// Deno has no collection on request here.
describe.skipIf("Deno" in globalThis)("an operation that is over", () => {
  const measured = new Map<string, Line>();

  // In a process of its own, which can be told to collect.
  beforeAll(async () => {
    const child = fork(fileURLToPath(new URL("child.ts", import.meta.url)), [], { execArgv: ["--expose-gc"] });
    child.on("message", (line: Line) => measured.set(line.name, line));
    await new Promise((resolve) => child.on("exit", resolve));
  }, 900_000);

  it.each(SCENARIOS.map(({ name, allowedBytes = ALLOWED_BYTES }) => [name, allowedBytes] as const))(
    "leaves nothing on the heap: %s [LV5.heap]",
    (name, allowedBytes) => {
      const line = measured.get(name);
      expect(line?.error).toBeUndefined();
      expect(line?.bytesEach, `bytes left by each, by round: ${line?.rounds.join(", ")}`).toBeLessThan(allowedBytes);
    },
  );

  it("is found out where it leaves something: a planted leak [LV5.planted]", () => {
    expect(measured.get(PLANTED.name)?.bytesEach).toBeGreaterThan(ALLOWED_BYTES);
  });
});
