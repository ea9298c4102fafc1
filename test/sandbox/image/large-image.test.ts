import { afterEach, describe, expect, it } from "vitest";
import { outputOf, startSandbox, type TestSandbox } from "../../support/sandbox.ts";

const FILES = {
  "main.js": `
const kept = [];
for (let i = 0; i < 100_000; i++) kept.push({ i });
export async function run() {
  const date = new Date(2026, 5, 5, 12, 30, 15);
  const { late } = await import("./late.js");
  await new Promise((resolve) => setTimeout(resolve, 50));
  return [kept.length, date.getHours(), date.getMinutes(), late];
}`,
  "late.js": "export const late = 7;",
};

describe.each(["metered", "plain"] as const)("an image larger than a fresh instance, on the %s engine", (engine) => {
  let box: TestSandbox;
  afterEach(async () => {
    expect(box.defects).toEqual([]);
    await box[Symbol.asyncDispose]();
  });

  it("has local time and its modules in every instance that is restored to it [B1.switch]", async () => {
    box = startSandbox({ maximumWorkers: 2, engine });
    const loaded = await box.load("p", FILES, ["run"]);
    expect(loaded).toMatchObject({ ok: true });
    expect(loaded.ok && loaded.imageBytes).toBeGreaterThan(8 << 20);
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => box.call("p", "run", { module: "main.js" })));
    expect(outcomes.map(outputOf)).toEqual(Array.from({ length: 4 }, () => [100_000, 12, 30, 7]));
  });
});
