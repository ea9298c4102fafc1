/** Limits that plugins request, in a complete host with the real sandbox. */

import { describe, expect, it, onTestFinished } from "vitest";
import { createHost, type Host, type HostOptions } from "../../../host/mod.ts";
import { memoryPlatformWithWorkers } from "../../support/memory-platform.ts";

const MIB = 1024 * 1024;

const MANIFEST = {
  schemaVersion: "1.0",
  name: "big",
  version: "1.0.0",
  description: "Asks for more than there is by default",
  limits: { memoryBytes: 192 * MIB, outputBytes: 2 * MIB, argumentBytes: 2 * MIB, operationBytes: 16 * MIB },
  tools: [
    { name: "hold", description: "Holds memory", inputSchema: { type: "object" }, sideEffects: [] },
    { name: "say", description: "Says much", inputSchema: { type: "object" }, sideEffects: [] },
    { name: "load", description: "Reads a large file", inputSchema: { type: "object" }, sideEffects: ["read"] },
  ],
  permissions: { read: ["$workspace"] },
};

const CODE = `
export const hold = ({ mebibytes = 100 }) => new Uint8Array(mebibytes * 1024 * 1024).fill(1).length;
export const say = () => "x".repeat(1_500_000);
export const load = async () => (await Deno.readFile("large.bin")).length;
`;

async function start(options: Partial<HostOptions> = {}): Promise<Host> {
  const platform = memoryPlatformWithWorkers({
    "plugins/big/manifest.json": JSON.stringify(MANIFEST),
    "plugins/big/main.ts": CODE,
    "large.bin": new Uint8Array(9 * MIB),
  });
  const host = await createHost({ platform, plugins: ["plugins"], config: false, grants: { big: { read: ["$workspace"] } }, ...options });
  onTestFinished(() => host.close());
  return host;
}

async function outcomes(host: Host): Promise<readonly unknown[]> {
  const said: unknown[] = [];
  for (const [tool, args] of [
    ["hold", {}],
    ["say", {}],
    ["load", {}],
    ["hold", { text: "x".repeat(1_500_000) }],
  ] as const) {
    const result = await host.call(tool, args);
    said.push(result.ok ? "ok" : [result.error.code, result.error.hint?.command ?? result.error.hint?.text]);
  }
  return said;
}

const ACCEPT = "bascule accept big";

describe("limits above the defaults", () => {
  it("do not apply at first, and each call that exceeds the defaults names the remedy [B3.consent] [X3.limits] [LV1.limits]", async () => {
    const host = await start();
    expect(await outcomes(host)).toEqual([
      ["resource_exhausted", ACCEPT],
      ["resource_exhausted", ACCEPT],
      ["tool_failed", ACCEPT],
      ["invalid_args", ACCEPT],
    ]);
  });

  it("apply in the running host when the user accepts them, up to the requested values [B3.consent]", async () => {
    const host = await start();
    await host.accept("big", host.plugins()[0]?.digest ?? "");
    expect(await outcomes(host)).toEqual(["ok", "ok", "ok", "ok"]);
    expect(await host.call("hold", { mebibytes: 200 })).toMatchObject({
      error: { code: "resource_exhausted", details: { limit: "memoryBytes", allowed: 192 * MIB } },
    });
  });

  it("apply if policy allows them, but never above policy's maximum, including memory [B3.policy]", async () => {
    const limits = { memoryBytes: 512 * MIB, outputBytes: 16 * MIB, argumentBytes: 16 * MIB, operationBytes: 64 * MIB };
    expect(await outcomes(await start({ policy: { default: { limits } } }))).toEqual(["ok", "ok", "ok", "ok"]);
    const host = await start({ policy: { default: { limits: { memoryBytes: 24 * MIB } } } });
    await host.accept("big", host.plugins()[0]?.digest ?? "");
    expect(await host.call("hold", { mebibytes: 16 })).toMatchObject({ ok: true });
    expect(await host.call("hold", { mebibytes: 32 })).toMatchObject({
      error: {
        code: "resource_exhausted",
        details: { limit: "memoryBytes", allowed: 24 * MIB },
        hint: { text: expect.stringContaining('set {"memoryBytes":201326592} in the rule') },
      },
    });
  });
});

describe("the CPU time of loads", () => {
  const about = { ...MANIFEST, limits: { loadMs: 20_000 }, tools: MANIFEST.tools.slice(0, 1), permissions: {} };
  const busy = `const end = Math.floor(${Date.now()}); let at = 0; while (at < 3e6) at++;\nexport const hold = () => at + end - end;`;

  async function loads(policy: HostOptions["policy"]): Promise<unknown> {
    const platform = memoryPlatformWithWorkers({ "plugins/big/manifest.json": JSON.stringify(about), "plugins/big/main.ts": busy });
    const host = await createHost({ platform, plugins: ["plugins"], config: false, ...(policy && { policy }) });
    onTestFinished(() => host.close());
    const [plugin] = host.plugins();
    return [plugin?.state, (plugin?.problems ?? []).map(({ message }) => message.replace(/;.*/, "")).join()];
  }

  it("are set by a rule for the plugin, of the program or of bascule.json [AX6.load]", async () => {
    const late = "Loading takes more than 10 ms of CPU time";
    expect(await loads({ rules: [{ plugin: "big", limits: { loadMs: 10 } }] })).toEqual(["failed", expect.stringContaining(late)]);
    expect(await loads({ rules: [{ plugin: "big", limits: { loadMs: 20_000 } }] })).toEqual(["loaded", ""]);
    expect(await loads(undefined)).toEqual(["loaded", ""]);
  });
});
