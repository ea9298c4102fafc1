import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMemoryPlatform, type MemoryPlatform } from "../../../host/platform/memory/memory.ts";
import { type Bench, manifest, openBench, pluginFiles } from "../../host/plugins/folder/harness.ts";
import "../../support/seed.ts";

/** Two of the names look alike, and two of the folders may hold the same plugin. */
const NAMES = ["alpha", "beta", "gamma", "g4mma", "be-ta", "be_ta"] as const;

type Change =
  | { readonly kind: "write"; readonly folder: string; readonly name: string; readonly code: string }
  | { readonly kind: "needs"; readonly folder: string; readonly name: string; readonly needed: string }
  | { readonly kind: "disable" | "break" | "remove" | "unmanifest"; readonly folder: string }
  | { readonly kind: "rename"; readonly folder: string; readonly to: string }
  | { readonly kind: "reload" };

const name = fc.constantFrom(...NAMES);
const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("write" as const),
      folder: name,
      name,
      code: fc.constantFrom("one", "two", "broken(", "// crash"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("needs" as const), folder: name, name, needed: name }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom("disable" as const, "break" as const, "remove" as const, "unmanifest" as const),
      folder: name,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("rename" as const), folder: name, to: name }) },
  { weight: 4, arbitrary: fc.constant({ kind: "reload" as const }) },
);

async function apply(change: Change, platform: MemoryPlatform, bench: Bench): Promise<void> {
  platform.advance(1_000);
  switch (change.kind) {
    case "write":
      platform.plant(`/plugins/${change.folder}/manifest.json`, manifest(change.name));
      return platform.plant(`/plugins/${change.folder}/main.ts`, change.code);
    case "needs":
      platform.plant(
        `/plugins/${change.folder}/manifest.json`,
        manifest(change.name, { dependencies: change.needed === change.name ? {} : { [change.needed]: "*" } }),
      );
      return platform.plant(`/plugins/${change.folder}/main.ts`, "");
    case "disable":
      return platform.plant(`/plugins/${change.folder}/manifest.json`, manifest(change.folder, { enabled: false }));
    case "break":
      return platform.plant(`/plugins/${change.folder}/manifest.json`, "{");
    case "unmanifest":
      return platform.files.remove(`/plugins/${change.folder}/manifest.json`);
    case "remove":
      return platform.files.remove(`/plugins/${change.folder}`);
    case "rename":
      if (
        (await platform.files.stat(`/plugins/${change.folder}`)) === undefined ||
        (await platform.files.stat(`/plugins/${change.to}`)) !== undefined
      )
        return;
      return platform.files.rename(`/plugins/${change.folder}`, `/plugins/${change.to}`);
    case "reload":
      await bench.directory.reloadChanged();
  }
}

/** Invariants while nothing is running. */
function checkWhole({ directory, registry, sandbox }: Bench): void {
  const bindings = registry.snapshot().tools.map((tool) => ({ owner: tool.owner, binding: tool.binding }));
  const callable = bindings.flatMap(({ owner, binding }) => (binding.kind === "plugin" ? [{ owner, digest: binding.version.digest }] : []));
  const statuses = directory.status();
  const serving = statuses.filter(({ state, lastGood }) => state === "loaded" || lastGood);
  // Every served version is loaded and callable under its own name, and no other is.
  expect(callable.map(({ owner, digest }) => `${owner} ${digest}`).toSorted()).toEqual(
    serving.map((status) => `${status.name} ${status.digest}`).toSorted(),
  );
  expect(new Set(sandbox.images)).toEqual(new Set(serving.map(({ digest }) => digest)));
  expect(new Set(serving.map((status) => status.name)).size).toBe(serving.length);
}

describe("thousands of changes", () => {
  // The same changes at every run. For others: FUZZ_SEED=<number> or FUZZ_SEED=random (see test/support/seed.ts), and for more of them a
  // larger `numRuns` with a longer timeout. The order in which two folders are read still depends on the machine.
  it("lose nothing and leak nothing, in any order [H9]", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 20, maxLength: 80 }), async (changes) => {
        const platform = createMemoryPlatform({ files: { "/plugins/.keep/x": "" } });
        const bench = openBench({ platform });
        await bench.directory.scan();
        for (const one of changes) {
          await apply(one, platform, bench);
          if (one.kind === "reload") checkWhole(bench);
        }
        await bench.directory.reloadChanged();
        checkWhole(bench);
        expect(await bench.directory.checkForChanges()).toEqual([]);

        // Every valid plugin is loaded now, as by a host that has just started.
        await platform.files.remove("/plugins");
        await bench.directory.reloadChanged();
        expect({ images: bench.sandbox.images.size, tools: bench.registry.snapshot().tools, status: bench.directory.status() }).toEqual({
          images: 0,
          tools: [],
          status: [],
        });
        platform.advance(1_000);
        for (const [path, text] of Object.entries({ ...pluginFiles("alpha"), ...pluginFiles("beta"), ...pluginFiles("gamma") }))
          platform.plant(`/plugins/${path}`, text);
        expect(await bench.directory.reloadChanged()).toBe(3);
        checkWhole(bench);
      }),
      { numRuns: 60 },
    );
  });

  it("lose nothing and leak nothing under a watch either [H9] [H3]", async () => {
    const memory = createMemoryPlatform({ files: { "/plugins/.keep/x": "" } });
    // Real time over a file system in memory: as many changes as there are turns.
    const { createClock } = await import("../../../host/platform/threads/clock.ts");
    const platform = { ...memory, clock: createClock() };
    const bench = openBench({ platform, timing: { quietMs: 5, goneMs: 12, graceMs: 20 } });
    await bench.directory.scan();
    await bench.directory.watch();
    const changes = fc.sample(change, { numRuns: 3_000, seed: 7 });
    for (const [index, one] of changes.entries()) {
      await apply(one.kind === "reload" ? { kind: "remove", folder: "beta" } : one, memory, bench);
      if (index % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 8));
    }
    await bench.directory.idle();
    await bench.directory.reloadChanged();
    checkWhole(bench);
    expect(await bench.directory.checkForChanges()).toEqual([]);
    await memory.files.remove("/plugins/.keep");
    for (const name of NAMES) await memory.files.remove(`/plugins/${name}`);
    await expect.poll(() => bench.directory.status(), { timeout: 10_000 }).toEqual([]);
    await bench.directory.idle();
    expect({ images: bench.sandbox.images.size, tools: bench.registry.snapshot().tools }).toEqual({ images: 0, tools: [] });
  });
});
