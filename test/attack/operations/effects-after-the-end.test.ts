/** A tool starts writes, does not wait for them, and ends. They must be over, and reported completely, when its result is there. */

import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { createHost, type Host, type HostEvent, type ToolResult } from "../../../host/mod.ts";
import { currentPlatform } from "../../../host/platform/mod.ts";
import type { Platform } from "../../../host/platform/platform.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const ENDS = ["throws", "returns", "spins", "waits", "exhausts"] as const;

const MANIFEST = {
  schemaVersion: "1.0",
  name: "evil",
  version: "1.0.0",
  description: "Leaves things behind",
  permissions: { read: ["$workspace"], write: ["$workspace"] },
  limits: { cpuMs: 300, wallMs: 5_000 },
  tools: ENDS.map((name) => ({
    name,
    description: "Leaves writes behind",
    inputSchema: { type: "object" },
    sideEffects: ["read", "write"],
  })),
};

const EVIL = `
const start = async (count = 30) => {
  const writes = Array.from({ length: count }, (_, index) => Deno.writeTextFile("out/" + index, "x".repeat(100_000)));
  for (const write of writes) write.catch(() => {});
  // Some are done, some are under way, and the rest waits.
  await writes[0];
};
export const throws = async () => { await start(); throw new Error("gone") };
export const returns = async () => { await start(); return "done" };
export const spins = async () => { await start(); for (;;); };
export const waits = async () => { await start(); await new Promise((resolve) => setTimeout(resolve, 4_000)) };
export const exhausts = () => { void start(100); return "too many" };
`;

interface World {
  readonly host: Host;
  readonly events: HostEvent[];
  readonly workspace: string;
}

/** A slow disk, so that a missing wait shows. */
function slowDisk(): Platform {
  const platform = currentPlatform({ log: { level: "error" } });
  const { guarded } = platform;
  const writeBytes: typeof guarded.writeBytes = async (path, bytes, options) => {
    for (let turn = 0; turn < 200; turn++) await nextTurn();
    await guarded.writeBytes(path, bytes, options);
    for (let turn = 0; turn < 200; turn++) await nextTurn();
  };
  return { ...platform, guarded: { ...guarded, writeBytes } };
}

async function env(isolation: "thread" | "process"): Promise<World> {
  const workspace = await temporaryFolder();
  await mkdir(join(workspace, "plugins/evil"), { recursive: true });
  await mkdir(join(workspace, "out"));
  await writeFile(join(workspace, "plugins/evil/manifest.json"), JSON.stringify(MANIFEST));
  await writeFile(join(workspace, "plugins/evil/main.ts"), EVIL);
  const host = await createHost({
    platform: slowDisk(),
    workspace,
    plugins: join(workspace, "plugins"),
    undo: true,
    config: { isolation, confirmation: { perTool: Object.fromEntries(ENDS.map((name) => [`evil.${name}`, "auto"])) } },
    grants: { evil: { read: true, write: true } },
  });
  onTestFinished(() => host.close());
  const events: HostEvent[] = [];
  host.subscribe((event) => events.push(event));
  return { host, events, workspace };
}

async function end({ host }: World, how: (typeof ENDS)[number]): Promise<ToolResult> {
  const stop = new AbortController();
  if (how === "waits") host.subscribe((event) => void (event.type === "capability.used" && stop.abort()));
  return await host.call(`evil.${how}`, {}, { signal: stop.signal });
}

describe.each(["thread", "process"] as const)("attack: effects after the end of a call (%s)", (isolation) => {
  it.each(ENDS)(
    "reports everything that a tool did which %s, and nothing is done afterwards [T3.effects, C10.end, E8.end]",
    async (how) => {
      const evil = await env(isolation);
      const result = await end(evil, how);
      const written = (await readdir(join(evil.workspace, "out"))).map((name) => `out/${name}`).toSorted();
      const told = [...evil.events];
      // All thirty writes would have been done by this time.
      for (let turn = 0; turn < 10_000; turn++) await nextTurn();
      expect((await readdir(join(evil.workspace, "out"))).map((name) => `out/${name}`).toSorted()).toEqual(written);
      expect(result.filesModified.toSorted()).toEqual(written);
      expect(how === "exhausts" || written.length > 0).toBe(true);
      expect(evil.events).toEqual(told);
      expect(evil.events.at(-1)?.type).toBe("tool.failed");
      const used = evil.events.filter(({ type }) => type === "capability.used").map(({ payload }) => String(Reflect.get(payload, "value")));
      expect(used.toSorted()).toEqual(written.map((path) => join(evil.workspace, path)));
      if (written.length === 0) return;
      const undone = await evil.host.undo(result.callId);
      expect(undone).toMatchObject({ ok: true, left: [] });
      expect(await readdir(join(evil.workspace, "out"))).toEqual([]);
    },
  );
});
