import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { main } from "../../../host/doors/cli/main.ts";
import { currentPlatform } from "../../../host/platform/mod.ts";
import { runCommand } from "../../../scripts/run-command.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const MANIFEST = {
  schemaVersion: "1.0",
  name: "demo",
  version: "1.0.0",
  description: "Is tested",
  permissions: { read: ["$workspace"], write: ["$workspace"] },
  tools: [{ name: "hi", description: "Says hi", inputSchema: { type: "object" }, sideEffects: [] }],
};

/** Test files that both `deno test` and `bascule test` run. */
const FILES: Readonly<Record<string, string>> = {
  "forms_test.ts": `
import { hi } from "./main.ts";
Deno.test("name and function", () => { if (hi() !== "hi") throw new Error(); });
Deno.test(async function named(): Promise<void> { await Promise.resolve(); });
Deno.test({ name: "object", fn: () => {} });
Deno.test({ name: "object and function" }, () => {});
Deno.test("name, options, function", { ignore: true }, () => {});
Deno.test({ fn: function fromTheFunction() {} });
Deno.test.ignore("ignored", () => { throw new Error(); });
Deno.test("throws", () => { throw new TypeError("thrown"); });
Deno.test("rejects", async () => { await null; throw new Error("rejected"); });
const refused: string[] = [];
for (const wrong of [["", () => {}], ["no function"], [() => {}], [{ name: "x" }], [{ name: "", fn() {} }], [function f() {}, 1], ["x", { fn() {} }, () => {}], ["x", { name: "y" }, () => {}]]) {
  try { (Deno.test as (...args: unknown[]) => void)(...wrong); refused.push("accepted"); } catch (error) { refused.push(String(error)); }
}
Deno.test(refused.join("; "), () => {});
`,
  "steps_test.ts": `
Deno.test("steps", async (t) => {
  const one = await t.step("one", () => {});
  const two = await t.step("two", async (t) => {
    await t.step("inner", (t) => { if (t.parent?.parent?.name !== "steps" || t.name !== "inner") throw new Error(); });
    await t.step("fails", () => { throw new Error(); });
  });
  const three = await t.step({ name: "three", ignore: true, fn: () => {} });
  const four = await t.step(function four() {});
  await t.step([one, two, three, four].join(), () => {});
});
Deno.test("passes with steps", async (t) => { await t.step("only", () => {}); });
Deno.test("overlap", async (t) => {
  await Promise.all([t.step("first", () => new Promise((r) => setTimeout(r, 5))), t.step("second", () => {})]);
});
Deno.test("overlap allowed", async (t) => {
  const free = { sanitizeOps: false, sanitizeResources: false, sanitizeExit: false };
  await Promise.all([t.step({ name: "first", ...free, fn: () => new Promise<void>((r) => setTimeout(r, 5)) }), t.step({ name: "second", ...free, fn: () => {} })]);
});
Deno.test("not awaited", (t) => { void t.step("never", () => new Promise(() => {})); });
Deno.test("wrong", async (t) => {
  const told: string[] = [];
  for (const wrong of [["x"], [() => {}], [function f() {}, () => {}], [1]]) {
    await (t.step as (...args: unknown[]) => Promise<boolean>)(...wrong).catch((error: Error) => told.push(error.message));
  }
  await t.step(told.join("; "), () => {});
});
`,
  "hooks_test.ts": `
const log: string[] = [];
for (const k of [1, 2]) {
  Deno.test.beforeAll(() => void log.push("A" + k));
  Deno.test.beforeEach(async () => { await null; log.push("b" + k); });
  Deno.test.afterEach(() => void log.push("a" + k));
}
Deno.test("one", () => void log.push("one"));
Deno.test.ignore("left out", () => {});
Deno.test("two", async (t) => { log.push("two"); await t.step("step", () => {}); throw new Error(); });
Deno.test("three", async (t) => { await t.step(log.join(" "), () => {}); });
`,
  "hook_fails_test.ts": `
Deno.test.beforeEach(() => { throw new Error(); });
Deno.test("never runs", async (t) => { await t.step("step", () => {}); });
`,
  "before_all_fails_test.ts": `
Deno.test.beforeAll(() => { throw new Error(); });
Deno.test("never runs", () => {});
`,
  "only_test.ts": `
Deno.test("left out", () => { throw new Error(); });
Deno.test.only("only", () => {});
Deno.test({ name: "also", only: true, fn: () => {} });
`,
  "uncaught_test.ts": `
Deno.test("before", () => {});
Deno.test("uncaught", async () => { setTimeout(() => { throw new Error("later"); }, 1); await new Promise((r) => setTimeout(r, 50)); });
Deno.test("after", () => {});
Deno.test.ignore("ignored", () => {});
`,
  "never_test.ts": `
Deno.test("before", () => {});
Deno.test("never settles", () => new Promise(() => {}));
Deno.test("after", () => {});
`,
  "leaks_test.ts": `
Deno.test("not looked at", () => { setTimeout(() => {}, 100_000); });
Deno.test.sanitizer({ ops: true });
Deno.test("timer", () => { setTimeout(() => {}, 100_000); setInterval(() => {}, 100_000); });
Deno.test("cleared", () => { clearTimeout(setTimeout(() => {}, 100_000)); });
Deno.test("awaited", async () => { await new Promise((r) => setTimeout(r, 5)); await Deno.readTextFile(new URL("./main.ts", import.meta.url)); });
Deno.test({ name: "off again", sanitizeOps: false, fn: () => { setTimeout(() => {}, 100_000); } });
`,
  "permissions_test.ts": `
const tried = (act: () => unknown): string => { try { act(); return "yes"; } catch (error) { return (error as Error).name; } };
Deno.writeTextFileSync("made.txt", "made");
const read = () => tried(() => Deno.readTextFileSync("made.txt"));
const write = () => tried(() => Deno.writeTextFileSync("made.txt", "made"));
const check = (name: string, permissions: Deno.PermissionOptions | undefined, expected: string) =>
  Deno.test({ name, ...(permissions && { permissions }), fn() { const got = read() + " " + write(); if (got !== expected) throw new Error(got); } });
check("all", undefined, "yes yes");
check("inherited", "inherit", "yes yes");
check("none", "none", "NotCapable NotCapable");
check("reads", { read: ["."] }, "yes NotCapable");
check("reads as the run", { read: "inherit" }, "yes NotCapable");
check("nothing named", {}, "NotCapable NotCapable");
check("too much", { read: "inherit", env: true }, "yes NotCapable");
Deno.test.ignore({ name: "ignored", permissions: "none", fn() {} });
`,
};

/** Returns the names with their depth and outcome. Deno reports steps that were not awaited in its own words. */
function results(output: string): readonly string[] {
  return (
    output
      .split("\n")
      .map((line) => /^(\s*.*) \.\.\. (ok|FAILED|ignored|cancelled|INCOMPLETE)\b/.exec(line))
      .filter((match) => match !== null)
      .map(([, name = "", status = ""]) => `${name}: ${status === "INCOMPLETE" ? "FAILED" : status}`)
      // Deno may show concurrent steps in any order.
      .toSorted()
  );
}

function totals(output: string): string | undefined {
  return /^(?:ok|FAILED) \|.*(?= \()/m.exec(output)?.[0];
}

describe("bascule test", () => {
  it.each(Object.keys(FILES))("has the same outcomes as deno test: %s [I7.test] [PB3.test]", { timeout: 60_000 }, async (file) => {
    const folder = await temporaryFolder();
    const plugin = join(folder, "plugins/demo");
    const elsewhere = join(folder, "elsewhere");
    await mkdir(plugin, { recursive: true });
    await mkdir(elsewhere);
    await writeFile(join(plugin, "manifest.json"), JSON.stringify(MANIFEST));
    await writeFile(join(plugin, "main.ts"), `export const hi = (): string => "hi";`);
    await writeFile(join(plugin, file), FILES[file] ?? "");

    const ours: string[] = [];
    const real = currentPlatform();
    const platform = {
      ...real,
      environment: { ...real.environment, cwd: folder, get: (name: string) => (name === "NO_COLOR" ? "1" : real.environment.get(name)) },
      terminal: { ...real.terminal, out: (text: string) => void ours.push(text), error: (text: string) => void ours.push(text) },
    };
    const code = await main(["test", "demo", "--allow-read", "--allow-write"], platform);
    const deno = await runCommand("deno", ["test", "--no-config", "--allow-read", "--allow-write", "--no-check", join(plugin, file)], {
      cwd: elsewhere,
      timeoutMs: 50_000,
      env: { NO_COLOR: "1" },
    });
    const output = ours.join("");
    expect({ results: results(output), totals: totals(output), failed: code !== 0 }).toEqual({
      results: results(deno.output),
      totals: totals(deno.output),
      failed: deno.code !== 0,
    });
    expect(totals(output)).toMatch(/^(?:ok|FAILED) \| \d+ passed/);
  });
});
