import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const MODULE = new URL("../../../../host/platform/threads/young-generation.ts", import.meta.url).href;

/** Returns the MiB that V8 keeps for young objects after many of them died, in a separate process. */
async function youngMib(before: string): Promise<number> {
  const program = `
    import { getHeapSpaceStatistics } from "node:v8";
    import { boundYoungGeneration } from ${JSON.stringify(MODULE)};
    ${before}
    let held = [];
    for (let index = 0; index < 2_000_000; index++) {
      held.push({ index, held: [index] });
      if (held.length > 300_000) held = [];
    }
    console.log(getHeapSpaceStatistics().find((space) => space.space_name === "new_space").space_size / 1024 / 1024);`;
  const folder = fileURLToPath(new URL("../../../..", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], { cwd: folder });
  return Number(stdout);
}

// On Deno the young generation is Deno's own concern.
it.skipIf("Deno" in globalThis)("keeps the young generation at 8 MiB under any allocation [LV5.young]", async () => {
  expect(await youngMib("boundYoungGeneration();")).toBe(8);
  expect(await youngMib("")).toBeGreaterThan(8);
});
