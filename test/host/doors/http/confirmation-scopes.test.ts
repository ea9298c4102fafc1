import { describe, expect, it } from "vitest";
import { aborted } from "../../../../host/primitives/until-aborted.ts";
import type { ConfirmationRequest } from "../../../../host/call/call.ts";
import type { PendingConfirmation } from "../../../../host/confirmations/pending.ts";
import { answerConfirmation } from "../../../../host/doors/answer-confirmation.ts";
import { httpDoor, type HttpDoorUnderTest, textOf, TOKENS } from "../../../support/http-door.ts";

import { chainHost } from "../../../support/chain-host.ts";
import { recordingHost } from "../../../support/recording-host.ts";
import { hostTool } from "../../../support/tools.ts";

/** Opens a door with tools that need confirmation. */
async function asking(): Promise<{ readonly door: HttpDoorUnderTest; readonly runs: () => number }> {
  let runs = 0;
  const change = hostTool("change", { sideEffects: ["write"] }, () => ++runs);
  const wipe = hostTool("wipe", { sideEffects: ["write"], destructive: true }, () => ++runs);
  return { door: await httpDoor({ tools: [change, wipe] }), runs: () => runs };
}

async function pending(door: HttpDoorUnderTest): Promise<readonly PendingConfirmation[]> {
  return (await door.ask("/v1/confirmations", { token: TOKENS.admin })).body["confirmations"] as unknown as readonly PendingConfirmation[];
}

async function answer(door: HttpDoorUnderTest, more: object): Promise<readonly [status: number, detail: unknown]> {
  const [question] = await pending(door);
  const { requestId = "", hash } = question?.request ?? {};
  const { status, body } = await door.ask(`/v1/confirmations/${requestId}`, { token: TOKENS.admin, body: { hash, ...more } });
  return [status, body["detail"]];
}

describe("an answer over HTTP", () => {
  it("approves a tool for the session, and no other tool or session [E5.scope]", async () => {
    const { door, runs } = await asking();
    await using _ = door;
    await door.request("/v1/calls", { body: { tool: "change" } });
    expect((await pending(door)).map(({ scopes }) => scopes)).toEqual([["once", "session"]]);
    expect(await answer(door, { approve: true, scope: "session" })).toEqual([200, undefined]);
    await expect.poll(runs).toBe(1);
    expect((await door.ask("/v1/calls", { body: { tool: "change", args: { other: 1 } } })).body).toMatchObject({ ok: true, output: 2 });
    expect((await door.ask("/v1/calls", { body: { tool: "change" }, token: TOKENS.other })).body).toMatchObject({
      status: "pending_approval",
    });
    expect((await door.ask("/v1/calls", { body: { tool: "wipe" } })).body).toMatchObject({ status: "pending_approval" });
    expect(runs()).toBe(2);
  });

  it("approves one call without a scope, and the next one asks again [E5.scope]", async () => {
    const { door, runs } = await asking();
    await using _ = door;
    await door.request("/v1/calls", { body: { tool: "change" } });
    expect(await answer(door, { approve: true, scope: "once" })).toEqual([200, undefined]);
    await expect.poll(runs).toBe(1);
    expect((await door.ask("/v1/calls", { body: { tool: "change" } })).body).toMatchObject({ status: "pending_approval" });
  });

  it("cannot have a scope that is not offered: a destructive tool always asks [E5.scope, E1]", async () => {
    const { door, runs } = await asking();
    await using _ = door;
    await door.request("/v1/calls", { body: { tool: "wipe" } });
    expect((await pending(door)).map(({ scopes }) => scopes)).toEqual([["once"]]);
    const refused = [400, 'This confirmation offers the scopes once, not "session"'];
    expect(await answer(door, { approve: true, scope: "session" })).toEqual(refused);
    expect(await answer(door, { approve: true, scope: "always" })).toEqual([400, 'This confirmation offers the scopes once, not "always"']);
    expect(await answer(door, { approve: false, scope: "session" })).toEqual([400, "A scope belongs to an approval: leave it out to deny"]);
    expect(await answer(door, { approve: true, reason: "x" })).toEqual([400, "A reason belongs to a denial: leave it out to approve"]);
    expect([await pending(door), runs()]).toMatchObject([{ length: 1 }, 0]);
  });

  it("gives the reason for a denial to the caller and to the journal [E5.reason]", async () => {
    const { door } = await asking();
    await using _ = door;
    const { body } = await door.ask("/v1/calls", { body: { tool: "change" } });
    expect(await answer(door, { approve: false, reason: "Use the staging folder" })).toEqual([200, undefined]);
    await expect
      .poll(async () => (await door.ask(`/v1/calls/${textOf(body, "callId")}`)).body["error"])
      .toMatchObject({ code: "user_denied", message: "User denied this operation: Use the staging folder" });
    const found = await door.ask("/v1/audit?type=tool.confirmation_resolved", { token: TOKENS.admin });
    expect(found.body["events"]).toMatchObject([
      { event: { payload: { decision: "denied", by: "person", reason: "Use the staging folder" } } },
    ]);
  });
});

const READS = `export async function run({ path }) {
  const { state } = await Deno.permissions.request({ name: "read", path });
  return state === "granted" ? await Deno.readTextFile(path) : state;
}`;

describe("an answer to a permission that a call requests", () => {
  it("holds for the session and this path only, or for always as a grant after the call [E7.scope]", async () => {
    const tools = [{ name: "run", description: "Runs", inputSchema: { type: "object" }, sideEffects: ["read"] }];
    await using opened = await recordingHost(READS, { grants: {}, manifest: { tools } });
    const { host } = opened;
    const session = host.session();
    const call = (path: string): ReturnType<typeof host.call> =>
      host.call("demo.run", { path }, { session, confirm: (_request, signal) => aborted(signal) });
    const asked = async (): Promise<PendingConfirmation | undefined> => {
      await expect.poll(() => host.confirmations.list().length).toBe(1);
      return host.confirmations.list()[0];
    };
    const say = async (scope: "session" | "always"): Promise<void> => {
      const { request, scopes } = (await asked()) ?? {};
      expect(scopes).toEqual(["once", "session", "always"]);
      expect(answerConfirmation(request?.requestId ?? "", { approve: true, hash: request?.hash ?? "", scope }, { host })).toBe("answered");
    };
    const first = call("a.txt");
    await say("session");
    expect(await first).toMatchObject({ ok: true, output: "one" });
    expect(await call("a.txt")).toMatchObject({ ok: true, output: "one" });
    expect(host.grants.list()).toEqual([]);
    const second = call("b.txt");
    await say("always");
    await second;
    await expect.poll(() => host.grants.list().map(({ permissions }) => permissions)).toEqual([{ read: ["/workspace/b.txt"] }]);
  });

  it("holds for a session only where the same tools call, so that no other plugin acts through this one [E7.scope-chain]", async () => {
    const served = { run: { sideEffects: ["read"], callers: ["direct", "chain"] } };
    const manifest = { permissions: { read: ["$workspace"] } };
    const asking = { main: `export const ask = (_args, { tools }) => tools.call("demo.run", { path: "a.txt" });`, tools: { ask: {} } };
    const files = { "a.txt": "one" };
    await using opened = await chainHost(
      { asking: { ...asking, calls: ["demo.run"] }, demo: { main: READS, tools: served, manifest } },
      { files },
    );
    const { host } = opened;
    const session = host.session();
    const ask = { session, confirm: (_request: ConfirmationRequest, signal: AbortSignal) => aborted(signal) };
    const direct = host.call("demo.run", { path: "a.txt" }, ask);
    await expect.poll(() => host.confirmations.list().length).toBe(1);
    const [{ request } = { request: { requestId: "", hash: "" } }] = host.confirmations.list();
    host.confirmations.answer(request.requestId, { approve: true, hash: request.hash, scope: "session" });
    expect(await direct).toMatchObject({ ok: true, output: "one" });
    const refusing = { session, confirm: () => Promise.resolve(false) };
    expect(await host.call("asking.ask", {}, refusing)).toMatchObject({ ok: true, output: "denied" });
    expect(await host.call("demo.run", { path: "a.txt" }, refusing)).toMatchObject({ ok: true, output: "one" });
  });

  it("grants nothing to another version of the plugin that is there when the call ends [E7.scope-version]", async () => {
    const tools = [{ name: "run", description: "Runs", inputSchema: { type: "object" }, sideEffects: ["read"] }];
    await using opened = await recordingHost(READS, { grants: {}, manifest: { tools } });
    const { host } = opened;
    const confirm = (_request: ConfirmationRequest, signal: AbortSignal): ReturnType<typeof aborted> => aborted(signal);
    const ended = host.call("demo.run", { path: "a.txt" }, { session: host.session(), confirm });
    await expect.poll(() => host.confirmations.list().length).toBe(1);
    const [{ request } = { request: { requestId: "", hash: "" } }] = host.confirmations.list();
    const later = { ...host, plugins: () => host.plugins().map((status) => ({ ...status, digest: "another" })) };
    const defects: string[] = [];
    const onDefect = (_message: string, error: unknown): void => void defects.push(String(error));
    const always = { approve: true, hash: request.hash, scope: "always" } as const;
    expect(answerConfirmation(request.requestId, always, { host: later, onDefect })).toBe("answered");
    await ended;
    await expect.poll(() => defects).toEqual(['Error: Plugin "demo" changed during the call']);
    expect(host.grants.list()).toEqual([]);
  });
});
