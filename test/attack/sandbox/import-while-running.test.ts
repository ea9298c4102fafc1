import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startSandbox, type TestSandbox } from "../../support/sandbox.ts";

const REFUSED = {
  "../../outside/secret.txt": "it leads outside of the plugin",
  "/etc/passwd": "it leads outside of the plugin",
  "file:///tmp/secret.txt": "it leads outside of the plugin",
  "./missing.js": "no such file in the plugin",
  "node:fs": "a plugin imports its own files only",
  "data:text/javascript,export const a = 1": "a plugin imports its own files only",
  "https://example.org/x.js": "a plugin imports its own files only",
};

describe("attack: a call that imports files outside of its plugin", () => {
  let box: TestSandbox;
  beforeAll(async () => {
    box = startSandbox();
    await box.load("importer", "export const go = async ({ from }) => Object.keys(await import(from));", ["go"]);
  });
  afterAll(() => box[Symbol.asyncDispose]());

  it.each(Object.entries(REFUSED))("refuses %s and reports what was imported and why it failed [B7.outside]", async (from, reason) => {
    const outcome = await box.call("importer", "go", { args: { from } });
    expect(outcome).toMatchObject({ ok: false, fault: { kind: "threw" } });
    expect(outcome.ok ? "" : "message" in outcome.fault && outcome.fault.message).toContain(
      `Cannot import "${from}" from "main.ts": ${reason}`,
    );
  });

  it("reports the import that failed, not an earlier one [B7.outside]", async () => {
    await box.call("importer", "go", { args: { from: "node:fs" } });
    const outcome = await box.call("importer", "go", { args: { from: "" } });
    expect(outcome.ok ? "" : "message" in outcome.fault && outcome.fault.message).toContain('Cannot import "" from "main.ts"');
  });
});
