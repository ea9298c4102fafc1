import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const MODULE = new URL("../../../../host/platform/threads/young-generation.ts", import.meta.url).href;

/**
 * Returns the MiB that V8 keeps for young objects while many of them die, in a separate process: the median of 100 samples, because V8
 * adds pages for the length of a collection when its parallel tasks leave gaps.
 */
async function youngMib(before: string): Promise<number> {
  const program = `
    import { getHeapSpaceStatistics } from "node:v8";
    import { boundYoungGeneration } from ${JSON.stringify(MODULE)};
    const young = () => getHeapSpaceStatistics().find((space) => space.space_name === "new_space").space_size / 1024 / 1024;
    ${before}
    const samples = [];
    let held = [];
    for (let index = 0; index < 2_000_000; index++) {
      held.push({ index, held: [index] });
      if (held.length > 300_000) held = [];
      if (index % 20_000 === 0) samples.push(young());
    }
    console.log(samples.sort((one, other) => one - other)[50]);`;
  const folder = fileURLToPath(new URL("../../../..", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], { cwd: folder });
  return Number(stdout);
}

// On Deno the young generation is Deno's own concern.
it.skipIf("Deno" in globalThis)("keeps the young generation at 8 MiB under any allocation [LV5.young]", async () => {
  expect(await youngMib("boundYoungGeneration();")).toBe(8);
  expect(await youngMib("")).toBeGreaterThan(8);
});

it.skipIf("Deno" in globalThis)("keeps it at 8 MiB when loading modules has grown it before [LV5.young]", async () => {
  const grown = `
    const before = [];
    while (young() < 4) before.push({ held: [before.length] });
    boundYoungGeneration();`;
  expect(await youngMib(grown)).toBe(8);
});
