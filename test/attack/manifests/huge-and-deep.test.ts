import { mkdirSync, writeFileSync } from "node:fs";
import { truncate } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { manifest } from "../../host/plugins/folder/harness.ts";
import { hostileRoot, refusalOf } from "./hostile-root.ts";

describe("a plugin folder of excessive size", () => {
  it("is refused with a manifest of many megabytes, in bounded time and memory [M4.size]", async () => {
    const text = manifest("evil", { description: "x".repeat(8 * 1024 * 1024) });
    expect(await refusalOf({ "evil/manifest.json": text, "evil/main.ts": "" })).toEqual([expect.stringMatching(/bytes|large|long/i)]);
  });

  it.each([
    ["lists", "[", "]"],
    ["objects", '{"a":', "}"],
  ])("is refused with a manifest of 100,000 nested %s [M4.depth]", async (_what, open, close) => {
    const nested = (depth: number): string => `${open.repeat(depth)}1${close.repeat(depth)}`;
    // The first fits the size limit, the second does not.
    for (const depth of [20_000, 100_000]) {
      expect(await refusalOf({ "evil/manifest.json": `{"x":${nested(depth)}}`, "evil/main.ts": "" })).toEqual([
        expect.stringMatching(/deep|nest|large|bytes/i),
      ]);
    }
  });

  it("is refused with a sparse file of a terabyte, without reading it [H1.others]", async () => {
    const { root, statusOf } = await hostileRoot({ "evil/manifest.json": manifest("evil"), "evil/main.ts": "", "evil/big.bin": "" });
    await truncate(join(root, "evil/big.bin"), 2 ** 40);
    expect((await statusOf("evil"))?.problems.map(({ message }) => message)).toEqual(["Holds more than 32 MiB"]);
  });

  it("is refused with one file too many [H1.others]", async () => {
    const { root, statusOf } = await hostileRoot({ "evil/manifest.json": manifest("evil"), "evil/main.ts": "" });
    for (let index = 0; index < 1_999; index++) writeFileSync(join(root, `evil/f${index}`), "");
    expect((await statusOf("evil"))?.problems.map(({ message }) => message)).toEqual(["Holds more than 2000 files"]);
  });

  it("is refused with one folder too many [H1.others]", async () => {
    const { root, statusOf } = await hostileRoot({ "evil/manifest.json": manifest("evil"), "evil/main.ts": "" });
    for (let index = 0; index < 5_999; index++) mkdirSync(join(root, `evil/d${index}`));
    expect((await statusOf("evil"))?.problems.map(({ message }) => message)).toEqual(["Holds more than 6000 files and folders"]);
  });

  it("is refused with folders 200 deep [H1.others]", async () => {
    const deep = `evil/${"d/".repeat(200)}x.ts`;
    expect(await refusalOf({ "evil/manifest.json": manifest("evil"), "evil/main.ts": "", [deep]: "" })).toEqual([
      expect.stringMatching(/is nested more than 16 folders deep$/),
    ]);
  });

  it("is refused with links that multiply: two in each of 16 folders, each leading to the next [H1.others]", async () => {
    const links = Array.from({ length: 16 }, (_, level) => [
      [`evil/l${level}/a`, { link: `../l${level + 1}` }],
      [`evil/l${level}/b`, { link: `../l${level + 1}` }],
    ]).flat();
    const [first] = await refusalOf({
      "evil/manifest.json": manifest("evil"),
      "evil/main.ts": "",
      "evil/l16/x": "",
      ...Object.fromEntries(links),
    });
    expect(first).toMatch(/Holds more than|folders deep/);
  });
});
