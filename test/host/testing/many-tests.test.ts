import { describe, expect, it } from "vitest";
import { createCliProject } from "../doors/cli/run-cli.ts";

const MANIFEST = {
  schemaVersion: "1.0",
  name: "demo",
  version: "1.0.0",
  description: "Is tested",
  tools: [{ name: "nothing", description: "Does nothing", inputSchema: { type: "object" }, sideEffects: [] }],
};

describe("bascule test", () => {
  it("runs hundreds of fast tests and steps, whose reports exceed no limit [I7.many] [PB3.test]", async () => {
    await using project = await createCliProject({
      "plugins/demo/manifest.json": JSON.stringify(MANIFEST),
      "plugins/demo/main.ts": "export const nothing = () => null;",
      "plugins/demo/many_test.ts": `for (let index = 0; index < 300; index++) Deno.test("test " + index, () => {});
Deno.test("has steps", async (t) => { for (let index = 0; index < 300; index++) await t.step("step " + index, () => {}); });`,
    });
    const { code, out } = await project.run(["test", "demo"]);
    expect({
      code,
      last: out
        .replace(/\(\d[\d.]*m?s\)/g, "(time)")
        .trim()
        .split("\n")
        .at(-1),
    }).toEqual({
      code: 0,
      last: "ok | 301 passed (300 steps) | 0 failed (time)",
    });
  });

  it("names the file of a test, as Deno does [PB3.origin]", async () => {
    await using project = await createCliProject({
      "plugins/demo/manifest.json": JSON.stringify(MANIFEST),
      "plugins/demo/main.ts": "export const nothing = () => null;",
      "plugins/demo/in/here_test.ts": `Deno.test("origin", async (t) => {
  await t.step("step", (s) => { if (s.origin !== import.meta.url || t.origin !== import.meta.url) throw new Error(s.origin); });
});`,
    });
    expect(await project.run(["test", "demo"])).toMatchObject({ code: 0 });
  });
});
