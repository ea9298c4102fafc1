import { afterEach, describe, expect, it } from "vitest";
import { createHost, type Host } from "../../../host/mod.ts";
import type { GuardedFile } from "../../../host/platform/platform.ts";
import { createWorkerLauncher } from "../../../host/platform/threads/workers.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

const MANIFEST = {
  schemaVersion: "1.0",
  name: "files",
  version: "1.0.0",
  description: "Opens files",
  state: "session",
  permissions: { read: ["$workspace"] },
  tools: ["open", "fail", "again"].map((name) => ({ name, description: "Opens", inputSchema: { type: "object" }, sideEffects: ["read"] })),
};

const MAIN = `let kept;
const read = async () => { const b = new Uint8Array(9); return new TextDecoder().decode(b.subarray(0, await kept.read(b))); };
export async function open() { kept = await Deno.open("a.txt"); return read(); }
export async function fail() { await Deno.open("a.txt"); throw new Error("no"); }
export async function again() { const other = await Deno.open("a.txt"); return [await read().catch((error) => error.name), other.close()]; }`;

/** Starts real workers over files in memory; collects the opened and closed files. */
async function start(): Promise<{ readonly host: Host; readonly opened: GuardedFile[]; readonly closed: GuardedFile[] }> {
  const memory = memoryPlatform(
    { "plugins/files/manifest.json": JSON.stringify(MANIFEST), "plugins/files/main.ts": MAIN, "a.txt": "abc" },
    { workers: createWorkerLauncher() },
  );
  const [opened, closed]: [GuardedFile[], GuardedFile[]] = [[], []];
  const guarded = {
    ...memory.guarded,
    openToRead: async (...given: Parameters<typeof memory.guarded.openToRead>) => {
      const file = await memory.guarded.openToRead(...given);
      const watched: GuardedFile = { ...file, close: async () => void closed.push(watched) };
      opened.push(watched);
      return watched;
    },
  };
  const host = await createHost({
    platform: { ...memory, guarded },
    plugins: ["plugins"],
    config: { confirmation: { default: { read: "auto" } } },
    grants: { files: { read: ["$workspace"] } },
  });
  hosts.push(host);
  return { host, opened, closed };
}

describe("files that a plugin leaves open", () => {
  it("are closed when the call ends, however it ends, and unusable in the session's next call [PB2.file] [B4]", async () => {
    const { host, opened, closed } = await start();
    const call = async (name: string): Promise<unknown> => {
      const result = await host.call(`files.${name}`, {});
      return result.ok ? result.output : result.error?.code;
    };
    expect([await call("open"), opened.length, closed.length]).toEqual(["abc", 1, 1]);
    expect([await call("fail"), opened.length, closed.length]).toEqual(["tool_failed", 2, 2]);
    expect([await call("again"), opened.length, closed.length]).toEqual([["BadResource", null], 3, 3]);
    expect(closed).toEqual(opened);
  });
});
