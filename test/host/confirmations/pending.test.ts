import { describe, expect, it, onTestFinished } from "vitest";
import type { ToolResult } from "../../../host/call/call.ts";
import { createHost, type Host, type HostOptions, type Log } from "../../../host/mod.ts";
import { JsonArgumentText } from "../../../host/call/argument-text.ts";
import { createSession } from "../../../host/call/session.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";
import { WORKSPACE } from "../../support/memory-platform.ts";
import { testHost } from "../../support/test-host.ts";
import { hostTool, pluginVersion, publishedTools } from "../../support/tools.ts";
import { returns } from "../../support/fake-sandbox.ts";

const SILENT: Log = { write: () => {}, child: () => SILENT };

/** A tool that counts its runs. */
function counting(): { readonly save: ReturnType<typeof hostTool>; readonly runs: () => number } {
  let runs = 0;
  return { save: hostTool("save", { sideEffects: ["write"] }, async () => ++runs), runs: () => runs };
}

/** Returns the result that the call received, and its pending confirmation. */
async function asked(
  host: ReturnType<typeof testHost>,
  args: object = {},
  callId = "c1",
): Promise<{ readonly told: ToolResult; readonly hash: string; readonly requestId: string }> {
  const told = await host.call("save", args as never, { callId });
  const { request } = host.confirmations.list().find(({ request: { callId: id } }) => id === callId) ?? {};
  return { told, hash: request?.hash ?? "", requestId: request?.requestId ?? "" };
}

async function settled(host: ReturnType<typeof testHost>, callId = "c1"): Promise<ToolResult> {
  await expect.poll(() => host.calls.result(callId)?.status).not.toBe("pending_approval");
  const result = host.calls.result(callId);
  if (result === undefined) throw new Error("no result");
  return result;
}

describe("a call that waits for an absent user", () => {
  it("returns at once, runs once when a user approves it, and has its result then [E6]", async () => {
    const { save, runs } = counting();
    const host = testHost({ tools: [save] });
    const { told, hash, requestId } = await asked(host);
    expect(told).toMatchObject({
      ok: false,
      status: "pending_approval",
      requiresApproval: true,
      error: { code: "approval_required", details: { requestId }, hint: { text: expect.stringContaining("in a separate terminal") } },
    });
    expect(host.calls.result("c1")).toBe(told);
    // A pending call gets its terminal event when it has ended (AU2).
    expect(host.types()).toEqual(["tool.confirmation_requested"]);
    expect(runs()).toBe(0);

    expect(host.confirmations.answer(requestId, { approve: true, hash })).toBe("answered");
    expect(await settled(host)).toMatchObject({ ok: true, callId: "c1", output: 1 });
    expect(host.types()).toEqual(["tool.confirmation_requested", "tool.confirmation_resolved", "tool.called", "tool.completed"]);
    // A repeated call returns the result and runs nothing; other arguments make it a different call.
    expect(await host.call("save", {}, { callId: "c1" })).toMatchObject({ ok: true, output: 1 });
    expect(runs()).toBe(1);
    expect(await host.call("save", { more: 1 }, { callId: "c1" })).toMatchObject({ error: { code: "approval_required" } });
  });

  it("returns the same pending result to a repeated call, however its arguments are written [E6.repeat]", async () => {
    const host = testHost({ tools: [counting().save] });
    const { told } = await asked(host, { a: 1, b: [{ c: 2, d: 3 }] });
    expect(await host.call("save", { b: [{ d: 3, c: 2 }], a: 1 }, { callId: "c1" })).toBe(told);
    expect(host.confirmations.list()).toHaveLength(1);
  });

  it("is not shared with another session, whose call with the same id, tool and arguments is separate [E6.repeat]", async () => {
    const { save, runs } = counting();
    const host = testHost({ tools: [save] });
    const { requestId, hash } = await asked(host);
    host.confirmations.answer(requestId, { approve: true, hash });
    expect(await settled(host)).toMatchObject({ ok: true, output: 1 });
    const session = createSession({ id: "another", workspace: "/workspace" });
    expect(await host.call("save", {}, { callId: "c1", session })).toMatchObject({ error: { code: "approval_required" } });
    expect(runs()).toBe(1);
    // The same as text.
    const text = new JsonArgumentText('{ "a": 1 }');
    await host.call("save", text, { callId: "c2" });
    const [, own] = host.confirmations.list();
    host.confirmations.answer(own?.request.requestId ?? "", { approve: true, hash: own?.request.hash ?? "" });
    await expect.poll(() => host.calls.result("c2")?.ok).toBe(true);
    expect(await host.call("save", text, { callId: "c2" })).toMatchObject({ ok: true });
    expect(await host.call("save", text, { callId: "c2", session })).toMatchObject({ error: { code: "approval_required" } });
  });

  it("ends as denied, or after the time limit [E4] [E6]", async () => {
    const { save, runs } = counting();
    const host = testHost({ tools: [save], project: { confirmation: { timeoutMs: 1_000 } } });
    const first = await asked(host, {}, "denied");
    expect(host.confirmations.answer(first.requestId, { approve: false, hash: first.hash })).toBe("answered");
    expect(await settled(host, "denied")).toMatchObject({ error: { code: "user_denied" } });
    await asked(host, {}, "late");
    host.platform.advance(1_000);
    expect(await settled(host, "late")).toMatchObject({ error: { code: "confirmation_timeout" } });
    expect(host.confirmations.list()).toEqual([]);
    expect(runs()).toBe(0);
  });

  it("is not cancelled with the caller that was released [E6]", async () => {
    const host = testHost({ tools: [counting().save] });
    const stop = new AbortController();
    await host.call("save", {}, { callId: "c1", signal: stop.signal });
    stop.abort();
    const [pending] = host.confirmations.list();
    expect(pending).toBeDefined();
    const { requestId = "", hash = "" } = pending?.request ?? {};
    host.confirmations.answer(requestId, { approve: true, hash });
    expect(await settled(host)).toMatchObject({ ok: true });
  });

  it("is refused if too many calls wait [E6.bounds]", async () => {
    const host = testHost({ tools: [counting().save] });
    const flood = async (id: string, owner?: string): Promise<readonly [asked: number, refused: number]> => {
      const session = createSession({ id, workspace: WORKSPACE, ...(owner !== undefined && { owner }) });
      const results = await Promise.all(Array.from({ length: 70 }, (_, index) => host.call("save", { index }, { session })));
      const codes = results.map((result) => (result.ok ? "ok" : result.error.code));
      return [codes.filter((code) => code === "approval_required").length, codes.filter((code) => code === "overloaded").length];
    };
    // Neither a session nor a caller with several sessions can take all places, and the total is bounded.
    expect(await flood("one")).toEqual([64, 6]);
    expect(await flood("two", "a")).toEqual([64, 6]);
    expect(await flood("three", "a")).toEqual([0, 70]);
    // The last places are reserved for owners without pending confirmations.
    expect([await flood("four"), await flood("five"), await flood("six")]).toEqual([
      [64, 6],
      [32, 38],
      [1, 69],
    ]);
  });
});

describe("an answer", () => {
  it("applies to the shown request only, and only once [E3]", async () => {
    const { save, runs } = counting();
    const host = testHost({ tools: [save] });
    const first = await asked(host, { to: "a" }, "first");
    const second = await asked(host, { to: "b" }, "second");
    expect(first.hash).not.toBe(second.hash);
    expect(host.confirmations.answer(second.requestId, { approve: true, hash: first.hash })).toBe("changed");
    expect(host.confirmations.answer(first.requestId, { approve: true, hash: first.hash })).toBe("answered");
    expect(host.confirmations.answer(first.requestId, { approve: true, hash: first.hash })).toBe("unknown");
    expect(host.confirmations.answer("nothing", { approve: true, hash: first.hash })).toBe("unknown");
    expect(await settled(host, "first")).toMatchObject({ ok: true });
    expect(runs()).toBe(1);
  });

  it("counts once: the first of several clients wins, and the prompts of the others are aborted [E4.first]", async () => {
    const { save, runs } = counting();
    const host = testHost({ tools: [save] });
    let withdrawn = false;
    const waiting = host.call(
      "save",
      {},
      {
        confirm: (_request, signal) =>
          new Promise((resolve) =>
            signal.addEventListener("abort", () => {
              withdrawn = true;
              resolve(false);
            }),
          ),
      },
    );
    await expect.poll(() => host.confirmations.list()).toHaveLength(1);
    const [{ request } = { request: { requestId: "", hash: "" } }] = host.confirmations.list();
    const answers = [true, false, true].map((approve) => host.confirmations.answer(request.requestId, { approve, hash: request.hash }));
    expect(answers).toEqual(["answered", "unknown", "unknown"]);
    expect(await waiting).toMatchObject({ ok: true });
    expect(withdrawn).toBe(true);
    expect(runs()).toBe(1);
  });

  it("does not run another version of the plugin than the one shown [E3.digest]", async () => {
    const host = testHost({ policyOptions: { grants: { find: () => ({ write: true }) } } });
    host.sandbox.guests.set("save", returns("saved"));
    const publish = (digest: string): void => {
      const tools = [{ name: "save", sideEffects: ["write"] }] as const;
      host.registry.replaceOwner(
        "notes",
        publishedTools(pluginVersion("notes", { tools, digest, manifest: { permissions: { write: true } } })),
      );
    };
    publish("one");
    const { requestId, hash } = await asked(host);
    publish("two");
    expect(host.confirmations.answer(requestId, { approve: true, hash })).toBe("answered");
    expect(await settled(host)).toMatchObject({
      error: { code: "unavailable", message: expect.stringContaining("changed during the confirmation; call it again") },
    });
  });
});

describe("a host", () => {
  async function open(options: HostOptions): Promise<Host> {
    const host = await createHost({ config: false, logger: SILENT, platform: memoryPlatform(), ...options });
    onTestFinished(() => host.close());
    return host;
  }

  it("does not run a call that policy denies or limits since the confirmation began [E3.policy]", async () => {
    const { save, runs } = counting();
    for (const layer of [
      { name: "stop", deny: ["save"] },
      { name: "narrow", permissions: { write: ["/elsewhere"] } },
    ]) {
      const host = await open({ tools: [save] });
      await host.call("save", {}, { callId: "c1" });
      const [{ request } = { request: { requestId: "", hash: "" } }] = host.confirmations.list();
      host.policy.addLayer("global", layer);
      host.confirmations.answer(request.requestId, { approve: true, hash: request.hash });
      await expect.poll(() => host.result("c1")?.status).toBe("error");
      expect(host.result("c1")).toMatchObject({ error: { code: "unavailable" } });
    }
    expect(runs()).toBe(0);
  });

  it("releases waiting calls on close [T5]", async () => {
    const platform = memoryPlatform();
    const host = await open({ tools: [counting().save], platform });
    await host.call("save", {}, { callId: "c1" });
    const closing = host.close();
    platform.advance(2_000);
    await closing;
    expect(host.result("c1")).toMatchObject({ error: { code: "cancelled" } });
  });
});
