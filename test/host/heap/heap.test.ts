import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import type { Measured } from "./measure.ts";
import { PLANTED, SCENARIOS } from "./operations.ts";

/** Maximum bytes left by an operation: half of the planted leak, and ten times the collector's noise. */
const ALLOWED_BYTES = 300;

interface Line extends Measured {
  readonly name: string;
  readonly error?: string;
}

// Deno has no garbage collection on request here.
describe.skipIf("Deno" in globalThis)("an operation that is over", () => {
  const measured = new Map<string, Line>();

  // Runs in its own process, with `--expose-gc`.
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

  it("is detected if it leaks: a planted leak [LV5.planted]", () => {
    expect(measured.get(PLANTED.name)?.bytesEach).toBeGreaterThan(ALLOWED_BYTES);
  });
});
