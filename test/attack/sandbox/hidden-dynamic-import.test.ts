import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSandbox, type TestSandbox } from "../../support/sandbox.ts";

const CASES = {
  spaced: { "main.ts": 'export const go = async () => (await import ("./typed.ts")).value;' },
  commented: { "main.ts": 'export const go = async () => (await import/* */("./typed.ts")).value;' },
  "from JavaScript": { "main.js": 'export const go = async () => (await import("./typed.ts")).value;' },
  evaluated: { "main.js": 'export const go = async () => (await eval("im" + "port(\'./typed.ts\')")).value;' },
};

describe("attack: TypeScript is imported during a call in a way that no text search finds", () => {
  let box: TestSandbox;
  beforeAll(() => {
    box = startSandbox();
  });
  afterAll(() => box[Symbol.asyncDispose]());

  it.each(Object.entries(CASES))("%s: it is loaded all the same [B7.dynamic]", async (name, files) => {
    await box.load(name, { ...files, "typed.ts": "export const value: number = 7;" }, ["go"]);
    const [module = ""] = Object.keys(files);
    expect(await box.call(name, "go", { module })).toMatchObject({ ok: true, output: { o: 7 } });
    expect(box.defects).toEqual([]);
  });

  it("from made-up code, which is no file of the plugin: refused as a fault of the call [B7.dynamic] [B4]", async () => {
    const code = `export const go = () => (async () => {}).constructor("return (await im" + "port('./typed.ts')).value")();`;
    await box.load("constructed", { "main.js": code, "typed.ts": "export const value: number = 7;" }, ["go"]);
    expect(await box.call("constructed", "go", { module: "main.js" })).toMatchObject({ ok: false, fault: { kind: "threw" } });
    expect(box.defects).toEqual([]);
  });
});
