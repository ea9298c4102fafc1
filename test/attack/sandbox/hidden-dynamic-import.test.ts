import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSandbox, type TestSandbox } from "../../support/sandbox.ts";

const CASES = {
  spaced: { "main.ts": 'export const go = async () => (await import ("./typed.ts")).value;' },
  commented: { "main.ts": 'export const go = async () => (await import/* */("./typed.ts")).value;' },
  "from JavaScript": { "main.js": 'export const go = async () => (await import("./typed.ts")).value;' },
  evaluated: { "main.js": 'export const go = async () => (await eval("im" + "port(\'./typed.ts\')")).value;' },
};

describe("attack: a dynamic import of TypeScript that a text search does not find", () => {
  let box: TestSandbox;
  beforeAll(() => {
    box = startSandbox();
  });
  afterAll(() => box[Symbol.asyncDispose]());

  it.each(Object.entries(CASES))("%s: is loaded anyway [B7.dynamic]", async (name, files) => {
    await box.load(name, { ...files, "typed.ts": "export const value: number = 7;" }, ["go"]);
    const [module = ""] = Object.keys(files);
    expect(await box.call(name, "go", { module })).toMatchObject({ ok: true, output: { o: 7 } });
    expect(box.defects).toEqual([]);
  });

  it("from generated code, which belongs to no file: fails as a fault of the call [B7.dynamic] [B4]", async () => {
    const code = `export const go = () => (async () => {}).constructor("return (await im" + "port('./typed.ts')).value")();`;
    await box.load("constructed", { "main.js": code, "typed.ts": "export const value: number = 7;" }, ["go"]);
    expect(await box.call("constructed", "go", { module: "main.js" })).toMatchObject({ ok: false, fault: { kind: "threw" } });
    expect(box.defects).toEqual([]);
  });
});
