import { describe, expect, it } from "vitest";
import { WORN_AFTER_BYTES } from "../../sandbox/crew.ts";
import { partsOf } from "../../sandbox/image.ts";
import { createSandbox } from "../../sandbox/mod.ts";
import { INVOCATION, NOTHING_USED, PLUGIN, scriptedWorkers } from "../support/scripted-worker.ts";

const PAGES = WORN_AFTER_BYTES / 4 / 256;

function largeImage(): { readonly pages: SharedArrayBuffer; readonly heapEnd: number } {
  const pages = new SharedArrayBuffer(PAGES * (4 + 256));
  partsOf({ pages }).numbers.set(Array.from({ length: PAGES }, (_, page) => page));
  return { pages, heapEnd: PAGES * 256 };
}

describe("the crew", () => {
  it("lets a worker go that held and forgot much, once it is idle and another is ready [H4.memory]", async () => {
    const { launcher, workers, advance } = scriptedWorkers();
    const sandbox = createSandbox(launcher, { maximumWorkers: 1, engine: "plain" });
    const [first] = workers;
    if (first === undefined) throw new Error("No worker was started");
    const image = largeImage();
    let number = 0;
    for (let version = 1; version <= 4; version++) {
      const loading = sandbox.load({ ...PLUGIN, digest: `v${version}` });
      await expect.poll(() => first.requests.filter(({ type }) => type === "load").length).toBe(version);
      first.say({ type: "loaded", number: ++number, image });
      await loading;
      if (version > 1) sandbox.unload(`v${version - 1}`);
    }
    expect(first.ended).toBe(false);
    advance(200);
    await expect.poll(() => workers.length).toBe(2);
    const call = sandbox.invoke({ ...INVOCATION, digest: "v4" });
    sandbox.unload("v4");
    expect(first.ended).toBe(false);
    first.say({ type: "done", number: ++number, output: '{"o":1}', used: NOTHING_USED, lines: [] });
    expect(await call).toMatchObject({ ok: true });
    await expect.poll(() => first.ended).toBe(true);
    const loading = sandbox.load({ ...PLUGIN, digest: "v5" });
    await expect.poll(() => workers[1]?.requests.at(-1)?.type).toBe("load");
    workers[1]?.say({ type: "loaded", number: ++number, image });
    expect(await loading).toMatchObject({ ok: true });
    await sandbox.close();
  });
});
