import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSandbox, type TestSandbox } from "../../support/sandbox.ts";

const CODE = `
export const wide = () => "x".repeat(2e7);
export const deep = () => { let value = {}; for (let i = 0; i < 1e5; i++) value = { value }; return value; };
`;

describe("attack: an output that the engine cannot write as JSON", () => {
  let box: TestSandbox;
  beforeAll(async () => {
    box = startSandbox();
    await box.load("outputs", CODE, ["wide", "deep"]);
  });
  afterAll(() => box[Symbol.asyncDispose]());

  it("reports exhausted memory if memory runs out [B3.memory]", async () => {
    expect(await box.call("outputs", "wide")).toMatchObject({ ok: false, fault: { kind: "exhausted", limit: "memory" } });
  });

  it("reports an exhausted stack if the stack runs out [B3.stack]", async () => {
    expect(await box.call("outputs", "deep")).toMatchObject({ ok: false, fault: { kind: "exhausted", limit: "stack" } });
  });
});
