/** Runs `npm run fuzz -- --only races` briefly, for operations that `test/attack/fs/rename-race.test.ts` does not cover. */

import { describe, expect, it } from "vitest";
import { checkRace, RACES } from "./races.ts";

describe.runIf(process.platform === "linux")("file operations during a race", { timeout: 90_000 }, () => {
  it.each(["open", "copy from", "make a temporary file", "stat"])(
    "%s neither touches nor reveals anything outside [C4.race]",
    async (name) => {
      expect(await checkRace(RACES.indexOf(name), 20)).toEqual([]);
    },
  );
});
