import { describe, expect, it } from "vitest";
import type { ConfirmationRequest, ConfirmPrompt } from "../../../host/call/call.ts";
import type { Permissions } from "../../../manifests/mod.ts";
import { createSession } from "../../../host/call/session.ts";
import { WORKSPACE } from "../../support/memory-platform.ts";
import { testHost, type TestHost } from "../../support/test-host.ts";
import { hostTool, pluginVersion, publishedTools } from "../../support/tools.ts";
import { returns } from "../../support/fake-sandbox.ts";

const save = hostTool("save", {
  sideEffects: ["write"],
  inputSchema: { type: "object", properties: { path: { type: "string" } } },
  requires: [{ capability: "write", arg: "path" }],
});

/** A user who gives these answers in order, and none after the last. */
function person(...answers: boolean[]): { readonly asked: ConfirmationRequest[]; readonly confirm: ConfirmPrompt } {
  const asked: ConfirmationRequest[] = [];
  return { asked, confirm: async (request) => (asked.push(request), answers[asked.length - 1]) };
}

describe("the confirmation gate", () => {
  it("shows the call as it will run, and runs it when the user approves [E1, E2]", async () => {
    const host = testHost({ tools: [save] });
    const { asked, confirm } = person(true);
    expect(await host.call("save", { path: "a.txt" }, { confirm, callId: "c1" })).toMatchObject({ ok: true, requiresApproval: true });
    expect(asked).toEqual([
      {
        requestId: expect.any(String),
        callId: "c1",
        tool: "save",
        args: { path: `${WORKSPACE}/a.txt` },
        class: "write",
        destructive: false,
        projectedModifications: [`${WORKSPACE}/a.txt`],
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
    expect(host.types()).toEqual(["tool.confirmation_requested", "tool.confirmation_resolved", "tool.called", "tool.completed"]);
    expect(host.events.slice(0, 2).map(({ payload }) => payload)).toEqual([
      {
        requestId: asked[0]?.requestId,
        tool: "save",
        inputSummary: `{"path":"${WORKSPACE}/a.txt"}`,
        class: "write",
        projectedModifications: [`${WORKSPACE}/a.txt`],
      },
      { requestId: asked[0]?.requestId, decision: "allowed", by: "person" },
    ]);
  });

  it("does not ask about an effect without a grant, and says what to do [D1, C2]", async () => {
    const permissions = { write: ["$workspace/notes"], read: ["$workspace"] };
    let stored: Permissions | undefined;
    const host = testHost({ policyOptions: { grants: { find: () => stored } } });
    host.sandbox.guests.set("add", returns("added"));
    const add = { name: "add", sideEffects: ["write"] } as const;
    host.registry.replaceOwner("notes", publishedTools(pluginVersion("notes", { tools: [add], manifest: { permissions } })));
    const { asked, confirm } = person(true, true);

    for (const granted of [undefined, { read: ["$workspace"] }]) {
      stored = granted;
      expect(await host.call("notes.add", {}, { confirm })).toMatchObject({
        ok: false,
        error: {
          code: "fs_denied",
          message: 'Requires write access, but plugin "notes" has no such grant',
          hint: { text: 'Grant it first: "bascule grant notes" lists what the plugin requests' },
        },
      });
    }
    expect(asked).toEqual([]);
    expect(host.types()).toEqual(["tool.denied", "tool.denied"]);

    stored = { write: ["$workspace/notes/today"] };
    expect(await host.call("notes.add", {}, { confirm })).toMatchObject({ ok: true });
    const other = { name: "mail", sideEffects: ["write", "network"] } as const;
    host.registry.replaceOwner("notes", publishedTools(pluginVersion("notes", { tools: [other], manifest: { permissions } })));
    host.sandbox.guests.set("mail", returns("sent"));
    expect(await host.call("notes.mail", {}, { confirm })).toMatchObject({ ok: true });
    expect(asked.map(({ tool }) => tool)).toEqual(["notes.add", "notes.mail"]);
  });

  it("does not run a call that the user refuses [E1, X5]", async () => {
    const host = testHost({ tools: [save] });
    expect(await host.call("save", {}, person(false))).toMatchObject({
      ok: false,
      error: { code: "user_denied", message: "User denied this operation." },
    });
    expect(host.types()).toEqual(["tool.confirmation_requested", "tool.confirmation_resolved", "tool.failed"]);
  });

  it("refuses if no user can be asked, and says what to set [E1.unasked]", async () => {
    const host = testHost({ tools: [save] });
    expect(await host.call("save", {}, { unattended: "refuse" })).toMatchObject({
      ok: false,
      error: {
        code: "user_denied",
        message: "Tool 'save' needs confirmation, and no user can be asked here",
        hint: {
          text: 'Set {"confirmation":{"perTool":{"save":"auto"}}} in bascule.json to allow it without asking, or run it on a terminal',
        },
      },
    });
    expect(host.types()).toEqual(["tool.failed"]);
  });

  it("suggests no setting that would not apply to a destructive tool [E1]", async () => {
    const host = testHost({ tools: [hostTool("wipe", { sideEffects: ["write"], destructive: true })] });
    expect(await host.call("wipe", {}, { unattended: "refuse" })).toMatchObject({
      error: { hint: { text: "Run it on a terminal: a destructive tool always asks" } },
    });
  });

  it("follows its own hint [E1]", async () => {
    const host = testHost({ tools: [save], project: { confirmation: { perTool: { save: "auto" } } } });
    expect(await host.call("save")).toMatchObject({ ok: true, requiresApproval: false });
  });

  it("refuses without asking if the mode is deny [E1]", async () => {
    const host = testHost({ tools: [save], project: { confirmation: { perTool: { save: "deny" } } } });
    const { asked, confirm } = person(true);
    expect(await host.call("save", {}, { confirm })).toMatchObject({
      error: {
        code: "user_denied",
        message: `Tool 'save' needs confirmation, but "confirmation" in bascule.json is "deny" for it`,
      },
    });
    expect(asked).toEqual([]);
    expect(host.types()).toEqual(["tool.failed"]);
  });

  it("does not ask about reads [E1]", async () => {
    const host = testHost({ tools: [hostTool("look", { sideEffects: ["read"] })] });
    const { asked, confirm } = person();
    expect(await host.call("look", {}, { confirm })).toMatchObject({ ok: true });
    expect(asked).toEqual([]);
  });

  it.each([true, false])("excludes the user's time from the call's duration, for the answer %s [E1.duration]", async (answer) => {
    const host = testHost({ tools: [save] });
    const confirm: ConfirmPrompt = async () => {
      host.platform.advance(60_000);
      return answer;
    };
    const result = await host.call("save", {}, { confirm });
    expect([result.ok, result.durationMs, result.limitsUsed.wallMs]).toEqual([answer, 0, 0]);
    expect(host.events.at(-1)).toMatchObject({ payload: { durationMs: 0 } });
  });

  it("times out without an answer, and aborts the prompt [E4]", async () => {
    const host = testHost({ tools: [save], project: { confirmation: { timeoutMs: 1_000 } } });
    let gone = false;
    const running = host.call(
      "save",
      {},
      { confirm: (_request, signal) => new Promise(() => signal.addEventListener("abort", () => (gone = true))) },
    );
    await expect.poll(() => host.types()).toContain("tool.confirmation_requested");
    host.platform.advance(999);
    expect(gone).toBe(false);
    host.platform.advance(1);
    expect(await running).toMatchObject({
      ok: false,
      error: { code: "confirmation_timeout", message: "No answer to the confirmation within 1s" },
    });
    expect(gone).toBe(true);
    expect(host.types().at(-1)).toBe("tool.failed");
  });

  it("counts a lost user as no answer, and a throwing prompt as a refusal [E4]", async () => {
    const host = testHost({ tools: [save] });
    expect(await host.call("save", {}, { confirm: async () => undefined })).toMatchObject({ error: { code: "confirmation_timeout" } });
    expect(await host.call("save", {}, { confirm: () => Promise.reject(new Error("no terminal")) })).toMatchObject({
      error: { code: "user_denied" },
    });
    // Untyped doors may return anything: only `true` approves.
    expect(await host.call("save", {}, { confirm: (async () => "yes") as never })).toMatchObject({ error: { code: "user_denied" } });
  });

  it("ends with a call that is cancelled while it waits [E4]", async () => {
    const host = testHost({ tools: [save] });
    const stop = new AbortController();
    const running = host.call("save", {}, { signal: stop.signal, confirm: () => new Promise(() => {}) });
    await expect.poll(() => host.types()).toContain("tool.confirmation_requested");
    stop.abort();
    expect(await running).toMatchObject({ error: { code: "cancelled" } });
  });
});

describe("prompt_once", () => {
  const project = { confirmation: { default: { write: "prompt_once" } } };

  function withPlugin(digest: string, host: TestHost): void {
    host.registry.replaceOwner(
      "notes",
      publishedTools(pluginVersion("notes", { digest, tools: [{ name: "add", sideEffects: ["write"] }] })),
    );
    host.sandbox.guests.set("add", returns(null));
  }

  it("asks once for a session, tool and version, whatever the arguments [E1.once]", async () => {
    const host = testHost({ project });
    withPlugin("v1", host);
    const { asked, confirm } = person(true, true, true, true);
    for (const text of ["a", "b"]) expect(await host.call("add", { text }, { confirm })).toMatchObject({ ok: true });
    expect(asked).toHaveLength(1);
    await host.call("add", {}, { confirm, session: createSession({ id: "other", workspace: WORKSPACE }) });
    expect(asked).toHaveLength(2);
    withPlugin("v2", host);
    await host.call("add", {}, { confirm });
    expect(asked).toHaveLength(3);
  });

  it("remembers a refusal as well, but not a timeout [E1.once]", async () => {
    const host = testHost({ project });
    withPlugin("v1", host);
    expect(await host.call("add", {}, { confirm: async () => undefined })).toMatchObject({ error: { code: "confirmation_timeout" } });
    const { asked, confirm } = person(false, true);
    for (const _time of [1, 2]) expect(await host.call("add", {}, { confirm })).toMatchObject({ error: { code: "user_denied" } });
    expect(asked).toHaveLength(1);
  });

  it("waits for another call's confirmation only while its own call runs [E1.once, T3]", async () => {
    const host = testHost({ project });
    withPlugin("v1", host);
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<boolean>();
    const confirm: ConfirmPrompt = () => (asked.resolve(), answered.promise);
    const first = host.call("add", {}, { confirm });
    await asked.promise;
    const stop = new AbortController();
    const second = host.call("add", {}, { confirm, signal: stop.signal });
    stop.abort();
    expect(await second).toMatchObject({ ok: false, error: { code: "cancelled" } });
    answered.resolve(true);
    expect(await first).toMatchObject({ ok: true });
  });

  it("asks once for concurrent calls [E1.once]", async () => {
    const host = testHost({ project });
    withPlugin("v1", host);
    let answer = (_agreed: boolean): void => {};
    let asked = 0;
    const confirm: ConfirmPrompt = () => {
      asked += 1;
      return new Promise((resolve) => (answer = resolve));
    };
    const all = Promise.all([1, 2, 3].map(() => host.call("add", {}, { confirm })));
    await expect.poll(() => asked).toBe(1);
    answer(true);
    expect((await all).map(({ ok }) => ok)).toEqual([true, true, true]);
    expect(asked).toBe(1);
  });
});
