/** Those cases of the liveness suite that a gate has time for; `npm run soak -- --liveness` runs all of them in every mode. */

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
 * A gate shares its machine with other tests: it finds a host that does not come back and a call that waits for another to end. The
 * bounds themselves are the soak's.
 */
const LEEWAY = 4;

describe("attack: keeping everybody else waiting", () => {
  let control: Control;
  beforeAll(async () => void (control = await startControl()));
  afterAll(async () => await control[Symbol.asyncDispose]());

  // Rounds are samples, of which the median counts.
  it.each(SMOKE)("%s (%s) holds neither the event loop nor a canary, nor memory [LV1.smoke]", async (name, mode) => {
    const verdict = await runCase(findCase(name), mode, { pace: SHORT, control, leeway: LEEWAY });
    expect(verdict.problems, formatVerdict(verdict).join("\n")).toEqual([]);
  });
});
