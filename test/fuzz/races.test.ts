/** A moment of what `npm run fuzz -- --only races` does a million times, for acts that `test/attack/fs/rename-race.test.ts` has not. */

import { describe, expect, it } from "vitest";
import { checkRace, RACES } from "./races.ts";

describe.runIf(process.platform === "linux")("file acts under a race", { timeout: 90_000 }, () => {
  it.each(["open", "copy from", "make a temporary file", "stat"])("%s touches and tells nothing of outside [C4.race]", async (name) => {
    expect(await checkRace(RACES.indexOf(name), 20)).toEqual([]);
  });
});
