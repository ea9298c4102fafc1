/** The cases of the liveness suite that a gate has time for. `npm run soak -- --liveness` runs all of them in every mode. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findCase } from "./cases.ts";
import { type Control, startControl } from "./control.ts";
import type { ModeName } from "./modes.ts";
import { runCase } from "./run-case.ts";
import { formatVerdict, SHORT } from "./suite.ts";

/** Each takes some five seconds. */
const SMOKE: readonly (readonly [name: string, mode: ModeName])[] = [
  ["hostage.sixteen-loops", "threads"],
  ["hostage.sync-operations", "plain"],
  ["hostage.sync-operations", "deno"],
  ["log.unread", "threads"],
];

/**
 * Factor on the bounds, because a gate shares its machine with other tests. It finds a lost host, and a call that waits for another to
 * end; the soak checks the bounds themselves.
 */
const LEEWAY = 4;

describe("attack: blocking all other work", () => {
  let control: Control;
  beforeAll(async () => void (control = await startControl()));
  afterAll(async () => await control[Symbol.asyncDispose]());

  // Rounds are samples, judged by their median.
  it.each(SMOKE)("%s (%s) does not hold the event loop, canaries or memory [LV1.smoke]", async (name, mode) => {
    const verdict = await runCase(findCase(name), mode, { pace: SHORT, control, leeway: LEEWAY });
    expect(verdict.problems, formatVerdict(verdict).join("\n")).toEqual([]);
  });
});
