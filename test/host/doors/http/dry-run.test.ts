import { describe, expect, it } from "vitest";
import type { ToolCall } from "../../../../host/call/call.ts";
import { CALL_ENDPOINTS } from "../../../../host/doors/http/call-endpoints.ts";
import type { CommitOptions } from "../../../../host/effects/overlay/dry-runs.ts";
import { configOf, httpDoor, type HttpDoorUnderTest, TOKENS, textOf } from "../../../support/http-door.ts";
import { hostTool } from "../../../support/tools.ts";
import type { JsonObject } from "../../../../manifests/mod.ts";
import type { ToolFactory } from "../../../../host/tools/tool.ts";

const AUTO = { confirmation: { default: { write: "auto" } } } as const;

/** Creates a tool that writes a file in the workspace and supports dry runs. */
const put: ToolFactory = () => ({
  ...hostTool("put", { sideEffects: ["write"] }, async (_args, { workspace }) => {
    await workspace.write("out.txt", "new\n");
    return "done";
  })(),
  changesByContext: true,
});

interface Dry {
  readonly callId: string;
  readonly hash: string;
}

async function dryRun(door: HttpDoorUnderTest, token: string = TOKENS.call): Promise<Dry> {
  const { status, body } = await door.ask("/v1/calls", { token, body: { tool: "put", dryRun: true } });
  const report = body["dryRun"] as JsonObject;
  expect([status, body["ok"], report]).toEqual([
    200,
    true,
    expect.objectContaining({ canCommit: true, changes: [expect.objectContaining({ kind: "created", path: "out.txt" })] }),
  ]);
  return { callId: textOf(body, "callId"), hash: textOf(report, "hash") };
}

async function written({ platform }: HttpDoorUnderTest): Promise<string | undefined> {
  return (await platform.files.stat("/workspace/out.txt")) && (await platform.files.readText("/workspace/out.txt"));
}

function commit(
  door: HttpDoorUnderTest,
  { callId, hash }: Dry,
  token: string = TOKENS.call,
  more: object = {},
): ReturnType<typeof door.ask> {
  return door.ask(`/v1/calls/${callId}/commit`, { token, body: { hash, ...more } });
}

describe("a dry run over HTTP", () => {
  it("changes nothing until its own token commits it, once and as it was shown [E8.http]", async () => {
    await using door = await httpDoor({ tools: [put], project: AUTO });
    const dry = await dryRun(door);
    expect(await written(door)).toBeUndefined();
    expect((await commit(door, dry, TOKENS.other)).status).toBe(404);
    expect((await commit(door, { ...dry, hash: "0".repeat(64) })).status).toBe(404);
    expect(await written(door)).toBeUndefined();
    expect(await commit(door, dry)).toEqual({ status: 200, body: { ok: true, callId: dry.callId, filesModified: ["out.txt"] } });
    expect(await written(door)).toBe("new\n");
    expect((await commit(door, dry)).status).toBe(404);
  });

  it("is not committed if a file has changed since [E8.http]", async () => {
    await using door = await httpDoor({ tools: [put], project: AUTO });
    const dry = await dryRun(door);
    door.platform.plant("/workspace/out.txt", "another change");
    expect(await commit(door, dry)).toMatchObject({ status: 409, body: { detail: expect.stringContaining("out.txt") } });
    expect(await written(door)).toBe("another change");
  });

  it.each<[string, JsonObject]>([
    ["the tool needs confirmation", {}],
    ["policy made the call a dry run", { ...AUTO, policy: { rules: [{ tool: "put", dryRun: true }] } }],
  ])("can only be committed by the user if %s, whatever scopes the caller has [E8.agent, E5.agent]", async (_why, project) => {
    const agent = "an-agent-with-everything";
    const tokens = [await configOf("agent", agent, ["call", "admin"])];
    await using door = await httpDoor({ tools: [put], project, tokens });
    const dry = await dryRun(door, agent);
    expect(await commit(door, dry, agent)).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining(`bascule commit ${dry.callId}`) },
    });
    expect(await written(door)).toBeUndefined();
    // The dry run is kept, so another admin can commit it.
    expect(await commit(door, dry, TOKENS.admin)).toMatchObject({ status: 200, body: { ok: true } });
    expect(await written(door)).toBe("new\n");
  });

  it("cannot be committed as a user by the admin that called, even if it exists only at the second lookup [E8.agent]", async () => {
    const commitCall = CALL_ENDPOINTS.find(({ id }) => id === "commitCall");
    const requests: CommitOptions[] = [];
    const unknown = { ok: false, callId: "x", code: "unknown", message: "", filesModified: [] } as const;
    const host = { commit: (_callId: string, options: CommitOptions) => (requests.push(options), Promise.resolve(unknown)) };
    const ask = async (isPerson: boolean): Promise<readonly unknown[]> => {
      requests.length = 0;
      const caller = { id: "admin-1", name: "admin", scopes: ["admin"], isPerson } as const;
      const request = {
        params: { callId: "x" },
        query: {},
        body: { hash: "h" },
        fields: new Headers(),
        signal: new AbortController().signal,
        caller,
      };
      await expect(commitCall?.run(request, { host } as unknown as Parameters<typeof commitCall.run>[1])).rejects.toThrow();
      const callOf = (owner: string): ToolCall => ({ session: { owner } }) as unknown as ToolCall;
      return requests.map(({ caller: by, of }) => [by?.owns(callOf("admin-1")), of?.(callOf("admin-1")), of?.(callOf("other-2"))]);
    };
    expect(await ask(false)).toEqual([
      [true, undefined, undefined],
      [undefined, false, true],
    ]);
    expect(await ask(true)).toEqual([[undefined, true, true]]);
  });

  it("is committed only if it is one of the intended calls [E8.http]", async () => {
    await using door = await httpDoor({ tools: [put], project: AUTO });
    const { callId, hash } = await dryRun(door);
    expect(await door.host.commit(callId, { hash, of: () => false })).toMatchObject({ ok: false, code: "unknown" });
    expect(await door.host.commit(callId, { hash, of: ({ session }) => session.owner !== undefined })).toMatchObject({ ok: true });
  });

  it("asks the user if its caller waits, shows the same report, and is not committed after a denial [E8.http, E2]", async () => {
    await using door = await httpDoor({ tools: [put] });
    for (const approve of [false, true]) {
      const dry = await dryRun(door);
      const asked = commit(door, dry, TOKENS.call, { wait: true });
      await expect.poll(() => door.host.confirmations.list().length).toBe(1);
      const [question] = door.host.confirmations.list();
      expect(question).toMatchObject({ request: { callId: dry.callId, preview: { hash: dry.hash } } });
      // The dry run cannot be committed while the confirmation is pending.
      expect((await commit(door, dry, TOKENS.admin)).status).toBe(404);
      expect(await written(door)).toBeUndefined();
      const { requestId, hash } = question?.request ?? {};
      await door.ask(`/v1/confirmations/${requestId}`, { token: TOKENS.admin, body: { approve, hash } });
      expect((await asked).status).toBe(approve ? 200 : 403);
      expect(await written(door)).toBe(approve ? "new\n" : undefined);
    }
  });

  it("is bounded: at most two commits of one token wait for confirmation, with the memory they hold [E8.http, I4.flood]", async () => {
    await using door = await httpDoor({ tools: [put] });
    const waiting: ReturnType<typeof door.ask>[] = [];
    for (let n = 1; n <= 2; n += 1) {
      waiting.push(commit(door, await dryRun(door), TOKENS.call, { wait: true }));
      await expect.poll(() => door.host.confirmations.list().length).toBe(n);
    }
    const third = await dryRun(door);
    expect(await commit(door, third, TOKENS.call, { wait: true })).toMatchObject({
      status: 403,
      body: { detail: expect.stringContaining("Other commits") },
    });
    const others = commit(door, await dryRun(door, TOKENS.other), TOKENS.other, { wait: true });
    await expect.poll(() => door.host.confirmations.list().length).toBe(3);
    for (const { request } of door.host.confirmations.list())
      door.host.confirmations.answer(request.requestId, { approve: false, hash: request.hash });
    expect((await Promise.all([...waiting, others])).map(({ status }) => status)).toEqual([403, 403, 403]);
    // The dry run is kept, and a place is free again.
    const again = commit(door, third, TOKENS.call, { wait: true });
    await expect.poll(() => door.host.confirmations.list().length).toBe(1);
    const [question] = door.host.confirmations.list();
    door.host.confirmations.answer(question?.request.requestId ?? "", { approve: true, hash: question?.request.hash ?? "" });
    expect((await again).status).toBe(200);
  });

  it("does not displace other tokens' dry runs, however many one token makes [E8.http, I4.flood]", async () => {
    await using door = await httpDoor({ tools: [put], project: AUTO });
    const mine = await dryRun(door);
    for (let n = 0; n < 6; n += 1) await dryRun(door, TOKENS.other);
    expect((await commit(door, mine)).status).toBe(200);
  });
});

describe("undo over HTTP", () => {
  it("lists the calls that can be undone, previews an undo and does it, with an admin token only [E8.undo-http]", async () => {
    await using door = await httpDoor({ tools: [put], project: { ...AUTO, undo: { keep: true } } });
    const admin = { token: TOKENS.admin };
    const { body: result } = await door.ask("/v1/calls", { body: { tool: "put" } });
    const callId = textOf(result, "callId");
    expect((await door.ask("/v1/undo")).status).toBe(403);
    expect((await door.ask("/v1/undo", admin)).body).toMatchObject({ calls: [{ callId, tool: "put" }] });
    const place = `/v1/undo/${callId}`;
    expect((await door.ask(place, { body: {} })).status).toBe(403);
    expect(await door.ask(place, { ...admin, body: { dryRun: true } })).toMatchObject({
      status: 200,
      body: { restored: ["out.txt"], dryRun: { changes: [{ kind: "deleted", path: "out.txt" }] } },
    });
    expect(await written(door)).toBe("new\n");
    expect((await door.ask(place, { ...admin, body: {} })).body).toMatchObject({ ok: true, restored: ["out.txt"], left: [] });
    expect(await written(door)).toBeUndefined();
    expect((await door.ask(place, { ...admin, body: {} })).status).toBe(404);
  });
});
