import { mkdir, readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { createOverlay } from "../../../host/effects/overlay/overlay.ts";
import { currentPlatform } from "../../../host/platform/mod.ts";
import { createMemoryPlatform } from "../../../host/platform/memory/memory.ts";
import { errorName, type TestCall, testCall } from "../../support/bridge-context.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const GRANTED = { read: ["$workspace"], write: ["data", "alone.txt", "$tmp", "pattern/*"] };

async function onDisk(dry: boolean): Promise<TestCall & { readonly folder: string }> {
  const folder = await temporaryFolder();
  for (const path of ["data/sub/deep", "data/empty", "other", ".tmp", "pattern/one"]) await mkdir(`${folder}/${path}`, { recursive: true });
  const real = currentPlatform();
  await real.files.writeAtomic(`${folder}/alone.txt`, "x");
  const platform = dry ? createOverlay({ platform: real, sends: "nothing" }).platform : real;
  return { folder, ...testCall({ platform, cwd: folder, permissions: GRANTED }) };
}

describe.each([
  ["on the disk", false],
  ["in a dry run", true],
])("attack: the granted folder itself is removed %s", (_where, dry) => {
  it("cannot be removed, moved or replaced [C4.root]", async () => {
    const { answer, folder } = await onDisk(dry);
    const outcomes = [
      await answer("fs.remove", { path: "data", recursive: true }),
      await answer("fs.remove", { path: "data" }),
      await answer("fs.remove", { path: "data/sub/..", recursive: true }),
      await answer("fs.remove", { path: ".tmp", recursive: true }),
      await answer("fs.rename", { from: "data", to: ".tmp/data" }),
      await answer("fs.rename", { from: "data/empty", to: ".tmp" }),
      await answer("fs.rename", { from: ".tmp", to: "data/tmp" }),
    ];
    expect(outcomes.map(errorName)).toEqual(outcomes.map(() => "NotCapable"));
    expect((await readdir(folder)).toSorted()).toEqual([".tmp", "alone.txt", "data", "other", "pattern"]);
    expect((await readdir(`${folder}/data`)).toSorted()).toEqual(["empty", "sub"]);
    expect(outcomes[0]).toMatchObject({
      error: {
        message:
          "Requires write access to \"data\", and to the folder it lies in, since it is the granted folder itself (remove what is in it, or grant the folder above): remove 'data'",
      },
    });
  });

  it("does not include its entries, files granted by name, or matches of a pattern [C4.root]", async () => {
    const { answer } = await onDisk(dry);
    for (const [name, args] of [
      ["fs.remove", { path: "data/sub", recursive: true }],
      ["fs.rename", { from: "data/empty", to: "data/full" }],
      ["fs.remove", { path: "alone.txt" }],
      ["fs.remove", { path: "pattern/one" }],
    ] as const)
      expect(await answer(name, args), name).toMatchObject({ ok: true });
  });
});

it("can be removed if the folder above is granted too [C4.root]", async () => {
  const platform = createMemoryPlatform({ cwd: "/w", files: { "/w/data/x": "x" } });
  const { answer } = testCall({ platform, cwd: "/w", permissions: { read: true, write: ["$workspace", "data"] } });
  expect(await answer("fs.remove", { path: "data", recursive: true })).toMatchObject({ ok: true });
  expect(errorName(await answer("fs.remove", { path: "/w", recursive: true }))).toBe("NotCapable");
});
