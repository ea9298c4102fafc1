/** Calls that began before a revocation, or wait for a slot during it. */

import { describe, expect, it } from "vitest";
import { createHost, type Host, type ToolResult } from "../../../host/mod.ts";
import { memoryPlatformWithWorkers, WORKSPACE } from "../../support/memory-platform.ts";

const SOURCE = `
export async function run(_args, context) {
  let reads = 0;
  for (;;) {
    try {
      await Deno.readTextFile("a.txt");
      reads += 1;
      if (reads === 1) context.progress({ began: true });
    } catch (error) {
      return { reads, caught: error.name };
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
export function once() {
  return Deno.readTextFileSync("a.txt");
}
export async function outer(_args, context) {
  return await context.tools.call("demo.run", {});
}
`;
const tool = (name: string): object => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: "object" },
  sideEffects: ["read"],
  callers: ["direct", "chain"],
});
const MANIFEST = {
  schemaVersion: "1.0",
  name: "demo",
  version: "1.0.0",
  description: "Reads as long as it may",
  permissions: { read: ["$workspace"], tools: ["demo.run"] },
  tools: ["run", "once", "outer"].map(tool),
};

/** Longer than the test may take, so that a call that ends was ended. */
const LIMITS = { wallMs: 600_000 };

function config(policy: { readonly default?: object; readonly [rest: string]: unknown }): string {
  return JSON.stringify({ plugins: ["plugins"], policy: { ...policy, default: { limits: LIMITS, ...policy.default } } });
}

async function openHost(): Promise<{ readonly host: Host; readonly rewrite: (policy: Parameters<typeof config>[0]) => Promise<void> }> {
  const platform = memoryPlatformWithWorkers({
    "a.txt": "a",
    "bascule.json": config({}),
    "plugins/demo/manifest.json": JSON.stringify(MANIFEST),
    "plugins/demo/main.ts": SOURCE,
  });
  const host = await createHost({ platform });
  await host.grant("demo", { read: [WORKSPACE], tools: ["demo.run"] });
  const rewrite = async (policy: Parameters<typeof config>[0]): Promise<void> => {
    await platform.files.writeAtomic(`${WORKSPACE}/bascule.json`, config(policy));
    await host.reload();
  };
  return { host, rewrite };
}

/** Starts a call that reads until it is ended. */
async function begin(host: Host, name: string = "demo.run"): Promise<{ readonly ended: Promise<ToolResult> }> {
  const { promise: began, resolve } = Promise.withResolvers<void>();
  host.subscribe(({ type }) => void (type === "capability.used" && resolve()));
  const ended = host.call(name);
  await Promise.race([began, ended]);
  return { ended };
}

const REVOKED = (name: string, what: string): object => ({
  ok: false,
  error: {
    code: "permission_denied",
    message: `Permission denied: tool '${name}' was ended because its permission was revoked (${what})`,
    details: { reason: "revoked" },
  },
});

describe("attack: a call continues with revoked permissions", () => {
  it("is ended when its grant is revoked [C2.revoked]", async () => {
    const { host } = await openHost();
    await using _ = host;
    const { ended } = await begin(host);
    await host.revoke("demo", { read: true });
    expect(await ended).toMatchObject(REVOKED("demo.run", `read "${WORKSPACE}" of user grant`));
    expect(await host.call("demo.once")).toMatchObject({ ok: false });
  });

  it("is ended when a new rule, layer or denial refuses it, and not when more is allowed [P1.revoked]", async () => {
    const { host, rewrite } = await openHost();
    await using _ = host;
    for (const [policy, what] of [
      [{ rules: [{ plugin: "demo", allow: false }] }, "rule: plugin demo"],
      [{ layers: [{ name: "house", level: "global", deny: ["demo.*"] }] }, "house: deny demo.*"],
      [{ default: { grants: { read: { deny: ["a.txt"] } } } }, 'read "a.txt" of user grant'],
    ] as const) {
      const { ended } = await begin(host);
      await rewrite(policy);
      expect(await ended).toMatchObject(REVOKED("demo.run", what));
      await rewrite({});
    }
    const { ended } = await begin(host);
    await host.grant("demo", { net: ["a.example.com"] });
    await rewrite({ default: { limits: { wallMs: 500_000 } } });
    const remove = host.policy.addLayer("global", { name: "late", deny: ["demo.run"] });
    expect(await ended).toMatchObject(REVOKED("demo.run", "late: deny demo.run"));
    remove();
  });

  it("is ended inside a chain, as is a chain whose own grant is revoked [C9.revoked]", async () => {
    const { host } = await openHost();
    await using _ = host;
    const { ended } = await begin(host, "demo.outer");
    await host.revoke("demo", { tools: true });
    expect(await ended).toMatchObject(REVOKED("demo.outer", 'tools "demo.run" of user grant'));
  });

  it("is decided again when it gets its slot [D4.revoked]", async () => {
    const { host, rewrite } = await openHost();
    await using _ = host;
    const session = host.session({ concurrency: 1 });
    const { promise: began, resolve } = Promise.withResolvers<void>();
    host.subscribe(({ type }) => void (type === "capability.used" && resolve()));
    const first = host.call("demo.run", {}, { session, callId: "first" });
    await began;
    const waiting = host.call("demo.once", {}, { session });
    const allowed = host.call("echo", { text: "hello" }, { session });
    await expect.poll(() => session.slots.waiting).toBe(2);
    await rewrite({ rules: [{ tool: "demo.once", allow: false }] });
    await host.cancelCall("first");
    await first;
    expect(await waiting).toMatchObject({ ok: false, error: { code: "permission_denied" } });
    expect(await allowed).toMatchObject({ ok: true });
  });
});
