import { mkdir, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { HostEvent } from "../../../host/audit/events.ts";
import { createOperations } from "../../../host/doors/host-operations.ts";
import { createHost, type Host } from "../../../host/mod.ts";
import { currentPlatform } from "../../../host/platform/mod.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const TOOL = { description: "Looks at its call", inputSchema: { type: "object" }, sideEffects: ["read", "write"] };

/** Returns the tool's view of its environment and its call, as JSON. */
const MAIN = `
  export const status = () => null;
  const shape = (value: object): object =>
    Object.fromEntries(Object.entries(value).map(([key, member]) => [key, typeof member === "object" && member !== null && key !== "signal" ? shape(member) : typeof member]));
  export async function look(args: any, context: any) {
    const { sessionId, callId, deadline, signal, ...rest } = context;
    await context.workspace.write("out.txt", "one two");
    await context.workspace.append("out.txt", " three");
    await context.workspace.patch("out.txt", "two", "2");
    const refused = await context.workspace.read("/etc/passwd").catch((error: Error) => error.name);
    const missing = await Deno.readTextFile("missing.txt").catch((error: Error) => [error.name, error instanceof Deno.errors.NotFound]);
    return {
      args,
      shape: shape({ ...rest, signal }),
      told: [context.workspacePath === Deno.cwd(), signal instanceof AbortSignal, signal.aborted, Object.isFrozen(context), context.settings],
      read: await context.workspace.read("out.txt"),
      bytes: [...(await context.workspace.readBytes("out.txt", { offset: 0, length: 3 }))],
      native: await Deno.readTextFile("out.txt"),
      exists: [await context.workspace.exists("out.txt"), await context.workspace.exists("nothing")],
      list: (await context.workspace.list()).map(({ name }: { name: string }) => name).includes("out.txt"),
      refused,
      missing,
      granted: (await Deno.permissions.query({ name: "read", path: "out.txt" })).state,
    };
  }
`;

async function project(config: object, more: readonly object[] = []): Promise<{ readonly host: Host; readonly events: HostEvent[] }> {
  const root = await temporaryFolder();
  await mkdir(`${root}/plugins/words`, { recursive: true });
  await writeFile(
    `${root}/plugins/words/manifest.json`,
    JSON.stringify({
      schemaVersion: "1.0",
      name: "words",
      version: "1.0.0",
      description: "Words",
      permissions: { read: ["$workspace"], write: ["$workspace"], run: ["git"] },
      settingsSchema: { type: "object", properties: { size: { type: "integer", default: 3 } } },
      tools: [{ name: "look", ...TOOL }, ...more],
    }),
  );
  await writeFile(`${root}/plugins/words/main.ts`, MAIN);
  await writeFile(
    `${root}/bascule.json`,
    JSON.stringify({ confirmation: { default: { write: "auto" } }, audit: { store: false }, ...config }),
  );
  const host = await createHost({
    config: `${root}/bascule.json`,
    grants: { words: { read: ["$workspace"], write: ["$workspace"] } },
    workspace: root,
    logger: memoryPlatform().log,
  });
  const events: HostEvent[] = [];
  void (async () => {
    for await (const event of host.events) events.push(event);
  })();
  return { host, events };
}

const NATIVE = { policy: { rules: [{ plugin: "words", route: "host" }] } };

describe("a trusted plugin", () => {
  it("behaves the same in the sandbox, in Deno and unconfined, and the difference is shown everywhere [O1.same, D7]", async () => {
    const came: unknown[] = [];
    const shown: unknown[] = [];
    for (const [config, confinement] of [
      [{}, undefined],
      [{ ...NATIVE, trusted: ["words"] }, "deno"],
      // In Deno's place; the native API is Node's then, so the code that uses Deno's is skipped below.
      [{ ...NATIVE, trusted: [{ name: "words", unconfined: true }] }, "none"],
    ] as const) {
      const { host, events } = await project(config);
      await using _closing = host;
      const [listed] = host.list({ tags: ["source:plugin"] });
      expect([listed?.route, listed?.confinement]).toEqual([confinement === undefined ? "wasm" : "host", confinement]);
      expect(host.why("look")?.confinement).toBe(confinement);
      const operations = createOperations({
        host,
        files: currentPlatform().files,
        slices: currentPlatform().slices,
        session: host.session(),
        about: { version: "0", pid: 1 },
      });
      expect(await operations.info("look")).toMatchObject({ tool: { route: listed?.route, ...(confinement && { confinement }) } });
      expect((await operations.why({ name: "look" })).tools[0]?.confinement).toBe(confinement);
      shown.push(host.why("look")?.text.find((line) => line.startsWith("  route")));
      if (confinement === "none" && !("Deno" in globalThis)) continue;
      const result = await host.call("look", { a: [1] });
      expect(result).toMatchObject({ ok: true, route: confinement === undefined ? "wasm" : "host" });
      expect(result.decision?.confinement).toBe(confinement);
      await expect
        .poll(() => events.find(({ type }) => type === "tool.called"))
        .toMatchObject({
          payload: { decision: confinement === undefined ? { kind: "allow" } : { confinement } },
        });
      came.push(result.output);
    }
    for (const other of came.slice(1)) expect(other).toEqual(came[0]);
    expect(came[0]).toMatchObject({
      args: { a: [1] },
      read: "one 2 three",
      native: "one 2 three",
      refused: "NotCapable",
      missing: ["NotFound", true],
      granted: "granted",
    });
    expect(shown).toEqual([
      "  route    wasm",
      "  route    host, each act checked by way of Deno's permissions",
      "  route    host, UNCONFINED",
    ]);
  });

  it("is not trusted by its route alone, not native by trust alone, and not trusted with other bytes [O1.untrusted, O2]", async () => {
    const { host: routed } = await project(NATIVE);
    await using _routed = routed;
    expect(await routed.call("look")).toMatchObject({
      ok: false,
      error: { code: "unavailable", message: expect.stringContaining('does not list "words"') },
    });

    const { host: other } = await project({ ...NATIVE, trusted: [{ name: "words", digest: "0".repeat(64) }] });
    await using _other = other;
    expect(await other.call("look")).toMatchObject({ ok: false, error: { code: "unavailable" } });

    const { host: listed } = await project({ trusted: ["words"] });
    await using _listed = listed;
    expect(await listed.call("look")).toMatchObject({ ok: true, route: "wasm" });
  });

  it("is unavailable without a confirmation, if it cannot run on its route [O1.untrusted, G3, E5]", async () => {
    const asks = { confirmation: { default: { read: "prompt", write: "prompt", execute: "prompt" } } };
    const needsHost = { name: "status", ...TOOL, sideEffects: ["execute"], permissions: { run: ["git"] } };
    for (const config of [{ ...asks, ...NATIVE }, asks]) {
      const { host } = await project(config, [needsHost]);
      await using _closing = host;
      let asked = 0;
      const call = async (tool: string): Promise<unknown> => await host.call(tool, {}, { confirm: async () => ((asked += 1), false) });
      expect(await call("status")).toMatchObject({
        ok: false,
        error: { code: "unavailable", message: expect.stringContaining('"trusted" in bascule.json') },
      });
      expect(asked).toBe(0);
      expect(host.list().find(({ name }) => name === "status")).toMatchObject({
        enabled: false,
        reason: expect.stringContaining("trusted"),
      });
      expect(host.policy.canUse(undefined, "status")).toBe(false);
      // The plugin's other tool requests nothing that the sandbox lacks.
      expect(host.policy.canUse(undefined, "look")).toBe(config !== asks ? false : true);
    }
  });

  it("answers that the microvm route is reserved, and what is missing [O4]", async () => {
    const { host } = await project({ policy: { rules: [{ plugin: "words", route: "microvm" }] } });
    await using _closing = host;
    expect(host.why("look")).toMatchObject({ verdict: "unavailable", route: "microvm", because: { layer: "route microvm" } });
    expect(host.definitionsFor().map(({ name }) => name)).not.toContain("look");
    expect(await host.call("look")).toMatchObject({
      ok: false,
      error: { code: "unavailable", message: expect.stringContaining("microvm") },
    });
  });
});
