import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../manifests/mod.ts";
import { httpDoor, type HttpDoorUnderTest, TOKENS, textOf } from "../../../support/http-door.ts";
import { memoryPlatform, WORKSPACE } from "../../../support/memory-platform.ts";
import { hostTool } from "../../../support/tools.ts";

/** Opens one server after the other in a project with a tool that needs a confirmation. */
function project(): { open(): Promise<HttpDoorUnderTest>; runs(): number } {
  const platform = memoryPlatform({ "bascule.json": "{}" });
  let runs = 0;
  const put = hostTool("put", { sideEffects: ["write"] }, () => Promise.resolve(++runs));
  return { open: () => httpDoor({ platform, config: `${WORKSPACE}/bascule.json`, tools: [put] }), runs: () => runs };
}

async function idsFor({ ask }: HttpDoorUnderTest, token: string): Promise<unknown> {
  const { body } = await ask("/v1/waiting", { token });
  return (body["waiting"] as readonly JsonObject[]).map(({ callId }) => callId);
}

const CALL = { tool: "put", args: { a: 1 } };
const approve = async ({ ask, host }: HttpDoorUnderTest, callId: string): Promise<unknown> => {
  const pending = host.confirmations.list().find(({ request }) => request.callId === callId);
  const { requestId = "", hash } = pending?.request ?? {};
  return (await ask(`/v1/confirmations/${requestId}`, { token: TOKENS.admin, body: { approve: true, hash } })).status;
};

describe("waiting calls over HTTP", () => {
  it("are listed, shown and cancelled by their token, over a restart [FR4.http]", async () => {
    const { open, runs } = project();
    await using first = await open();
    for (const callId of ["waiting-1", "waiting-2"]) expect((await first.ask("/v1/calls", { body: { ...CALL, callId } })).status).toBe(202);
    await first[Symbol.asyncDispose]();
    await using next = await open();
    expect(await Promise.all([TOKENS.call, TOKENS.other, TOKENS.admin].map((token) => idsFor(next, token)))).toEqual([
      ["waiting-1", "waiting-2"],
      [],
      ["waiting-1", "waiting-2"],
    ]);
    expect(await next.ask("/v1/waiting/waiting-1")).toMatchObject({
      status: 200,
      body: { callId: "waiting-1", tool: "put", waitsFor: "confirmation", hasBegun: false, requestId: expect.any(String) },
    });
    for (const path of ["/v1/waiting/waiting-1", "/v1/waiting/none"])
      expect(await next.ask(path, { token: TOKENS.other })).toMatchObject({ status: 404, body: { code: "not_found" } });
    expect((await next.ask("/v1/waiting/waiting-2/cancel", { token: TOKENS.other, method: "POST" })).status).toBe(404);
    expect((await next.ask("/v1/waiting", { token: TOKENS.metrics })).status).toBe(403);
    expect(await next.ask("/v1/waiting/waiting-2/cancel", { method: "POST" })).toMatchObject({
      status: 200,
      body: { cancelled: true, result: { callId: "waiting-2", error: { code: "cancelled" } } },
    });
    expect([await idsFor(next, TOKENS.call), runs()]).toEqual([["waiting-1"], 0]);
  });

  it("give a client that comes back with its callId the result, also after another restart [FR2.http]", async () => {
    const { open, runs } = project();
    await using first = await open();
    const { body: pending } = await first.ask("/v1/calls", { body: { ...CALL, callId: "waiting-1" } });
    await first[Symbol.asyncDispose]();
    const next = await open();
    const again = (door: HttpDoorUnderTest, call: object, token: string = TOKENS.call): Promise<unknown> =>
      door.ask("/v1/calls", { token, body: { ...CALL, callId: "waiting-1", ...call } });
    // The same confirmation is pending.
    expect(await again(next, {})).toMatchObject({ status: 202, body: { error: { details: (pending["error"] as JsonObject)["details"] } } });
    expect(await again(next, { args: { a: 2 } })).toMatchObject({ body: { error: { code: "invalid_args" } } });
    expect(await again(next, {}, TOKENS.other)).toMatchObject({ status: 409 });
    expect(await next.ask("/v1/calls/waiting-1", { token: TOKENS.other })).toMatchObject({ status: 404 });
    expect(await approve(next, "waiting-1")).toBe(200);
    const done = { status: 200, body: { ok: true, output: 1, callId: "waiting-1" } };
    await expect.poll(() => next.ask("/v1/calls/waiting-1")).toMatchObject(done);
    expect(await again(next, {})).toMatchObject(done);
    await next[Symbol.asyncDispose]();
    await using last = await open();
    expect([await again(last, {}), await last.ask("/v1/calls/waiting-1")]).toMatchObject([done, done]);
    expect(runs()).toBe(1);
    expect(textOf((await last.ask("/v1/calls/waiting-1")).body, "status")).toBe("success");
  });
});
