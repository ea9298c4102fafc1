/** Warnings for values that top-level code takes, in a complete host with the real sandbox. */

import { describe, expect, it, onTestFinished } from "vitest";
import { createHost, type Host } from "../../../../host/mod.ts";
import { memoryPlatformWithWorkers } from "../../../support/memory-platform.ts";

const MANIFEST = {
  schemaVersion: "1.0",
  name: "frozen",
  version: "1.0.0",
  description: "Takes values while it loads",
  tools: [{ name: "run", description: "Runs", inputSchema: { type: "object" }, sideEffects: [] }],
};

/** A number in the source gives each test an image of its own, because images are cached. */
let unique = Date.now();

async function start(source: string, more: Readonly<Record<string, string>> = {}): Promise<Host> {
  const files = { "manifest.json": JSON.stringify(MANIFEST), "main.ts": `${source}\n// ${unique++}`, ...more };
  const planted = Object.fromEntries(Object.entries(files).map(([path, text]) => [`plugins/frozen/${path}`, text]));
  const host = await createHost({ platform: memoryPlatformWithWorkers(planted), plugins: "plugins", config: false });
  onTestFinished(() => host.close());
  return host;
}

function warningsOf(host: Host): readonly string[] {
  return (host.plugins()[0]?.problems ?? []).map(
    ({ severity, file = "", line = 0, message, fix = "" }) => `${severity} ${file}:${line} ${message.replace(/ runs.*/, "")}; ${fix}`,
  );
}

const FIX = 'move it into the tool function; for a value that is made once and kept: await context.data.kv.once("key", () => …)';

describe("values that top-level code takes", () => {
  it("are warned of with their line, once per place [AX6.warnings]", async () => {
    const host = await start(
      [
        "const id: string = crypto.randomUUID();",
        "const { random } = Math;",
        "interface Gone { a: string }",
        "const seed = Math.random();",
        "const kept = random();",
        "const bytes = crypto.getRandomValues(new Uint8Array(4));",
        "const begun = Date.now();",
        "const when = new Date();",
        "const pick = () => Math.random();",
        "const many = Array.from({ length: 50 }, () => pick());",
        "export const run = () => [id, seed, kept, bytes, begun, when, many].length;",
      ].join("\n"),
    );
    expect(warningsOf(host)).toEqual([
      `warning main.ts:1 crypto.randomUUID(); ${FIX}`,
      `warning main.ts:4 Math.random(); ${FIX}`,
      `warning main.ts:5 Math.random(); ${FIX}`,
      `warning main.ts:6 crypto.getRandomValues(); ${FIX}`,
      `warning main.ts:7 Date.now(); ${FIX}`,
      `warning main.ts:8 new Date(); ${FIX}`,
      `warning main.ts:9 Math.random(); ${FIX}`,
    ]);
    expect(await host.call("run")).toMatchObject({ ok: true, output: 7 });
  });

  it("are not warned of inside functions that no top-level code calls, for fixed dates and timers [AX6.warnings]", async () => {
    const host = await start(
      [
        "const epoch = new Date(0), day = new Date('2026-01-01'), parsed = Date.parse('2026-01-01'), utc = Date.UTC(2026, 1);",
        "setTimeout(() => {}, 5);",
        'const file = new File([], "a"), event = new Event("b");',
        "const later = () => [Math.random(), crypto.randomUUID(), Date.now(), new Date()];",
        "class Job { at = Date.now(); static made = 1; }",
        "const { random } = Math;",
        "export const run = () => [...later(), new Job(), random(), epoch, day, parsed, utc].length;",
      ].join("\n"),
    );
    expect(warningsOf(host)).toEqual([]);
    expect(await host.call("run")).toMatchObject({ ok: true, output: 10 });
  });

  it("are warned of at every start, with the file that takes them [AX6.warnings]", async () => {
    const cached = unique;
    const source = `import { at } from "./lib.ts";\nexport const run = () => at;`;
    const lib = { "lib.ts": `export const at = Date.now(); // ${cached}` };
    const expected = [`warning lib.ts:1 Date.now(); ${FIX}`];
    expect(warningsOf(await start(source, lib))).toEqual(expected);
    unique = cached;
    expect(warningsOf(await start(source, lib))).toEqual(expected);
  });

  it("are bounded: twenty places [AX6.warnings]", async () => {
    const lines = Array.from({ length: 50 }, (_, at) => `const n${at} = Math.random();`);
    expect(warningsOf(await start(`${lines.join("\n")}\nexport const run = () => n0;`))).toHaveLength(20);
  });

  it("leave Math as it is for calls, also if the plugin made it constant [AX6.warnings]", async () => {
    const host = await start(
      "Object.freeze(Math);\nconst n = Math.random();\nexport const run = () => [typeof n, Math.random() === Math.random()];",
    );
    expect(await host.call("run")).toMatchObject({ ok: true, output: ["number", false] });
    const plain = await start("export const run = () => [String(Math.random), Math.random.name, Math.random() === Math.random()];");
    expect(await plain.call("run")).toMatchObject({ ok: true, output: [expect.stringContaining("[native code]"), "random", false] });
  });
});
