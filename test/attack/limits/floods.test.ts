import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHost, type Host } from "../../../host/mod.ts";
import { createWorkerLauncher } from "../../../host/platform/threads/workers.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";

const LIMITS = {
  logBytes: 10_000,
  operations: 200,
  pendingOperations: 8,
  timers: 20,
  outputBytes: 10_000,
  operationBytes: 10_000,
  jsonDepth: 16,
  memoryBytes: 16 * 1024 * 1024,
};

/** Each one runs forever and ignores all errors. */
const FLOODS: readonly (readonly [name: string, body: string, limit: string])[] = [
  ["progress", `for (;;) { progress({ at: 1 }); await Deno.stat("x").catch(() => {}); }`, "operations"],
  ["host_calls", `for (;;) try { await Deno.readTextFile("x"); } catch {}`, "operations"],
  ["host_calls_sync", `for (;;) try { Deno.readTextFileSync("x"); } catch {}`, "operations"],
  ["calls_at_once", `const all = []; for (;;) all.push(Deno.readTextFile("x").catch(() => {}));`, "memoryBytes"],
  ["timers", `for (;;) try { setTimeout(() => {}, 60_000); } catch {}`, "timers"],
  [
    "timers_of_timers",
    `const more = () => { for (let n = 0; n < 2; n++) setTimeout(more, 0); }; more(); await new Promise(() => {});`,
    "timers",
  ],
  ["promises", `const all = []; for (;;) all.push(new Promise(() => {}));`, "memoryBytes"],
  ["results", `return "x".repeat(20_000);`, "outputBytes"],
  ["deep_results", `let value = []; for (let n = 0; n < 40; n++) value = [value]; return value;`, "jsonDepth"],
  ["payloads", `for (;;) try { await Deno.writeFile("x", new Uint8Array(20_000)); } catch {}`, "operationBytes"],
  ["recursion", `const down = () => down() + 1; return down();`, "stackBytes"],
];

describe("attack: floods of operations that cost the host something", () => {
  let host: Host;
  beforeAll(async () => {
    const manifest = {
      schemaVersion: "1.0",
      name: "flood",
      version: "1.0.0",
      description: "Floods",
      tools: FLOODS.map(([name]) => ({ name, description: "Floods", inputSchema: { type: "object" }, sideEffects: [] })),
    };
    const main = FLOODS.map(([name, body]) => `export async function ${name}(_args, { progress }) { ${body} }`).join("\n");
    const platform = memoryPlatform(
      { "plugins/flood/manifest.json": JSON.stringify(manifest), "plugins/flood/main.ts": main },
      { workers: createWorkerLauncher() },
    );
    host = await createHost({ platform, plugins: ["plugins"], config: { policy: { rules: [{ plugin: "flood", limits: LIMITS }] } } });
  });
  afterAll(async () => await host.close());

  it.each(FLOODS)("of %s is stopped at the limit, which the error names [B3.flood]", { timeout: 120_000 }, async (name, _body, limit) => {
    const result = await host.call(`flood.${name}`);
    expect(result).toMatchObject({ ok: false, error: { code: "resource_exhausted", details: { limit } } });
    // The result reports the use that exceeded the limit.
    const used = (result.limitsUsed as unknown as Readonly<Record<string, number | undefined>>)[limit];
    const allowed = (LIMITS as Readonly<Record<string, number>>)[limit];
    if (["operations", "pendingOperations"].includes(limit)) expect(used).toBeGreaterThanOrEqual(allowed ?? Infinity);
  });
});
