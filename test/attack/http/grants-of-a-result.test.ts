import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../manifests/mod.ts";
import { httpDoor, SseReader, textOf, TOKENS } from "../../support/http-door.ts";
import { hostTool } from "../../support/tools.ts";

const CALL = { tool: "repeat", args: {} };

describe("attack: a token with the scope call that reads the grants of its calls", () => {
  it("gets no grants in results, turns, streams and events, unlike an admin [I4.grants, D6]", async () => {
    await using door = await httpDoor({ tools: [hostTool("repeat")] });
    const { ask, request } = door;
    for (const [token, isTold] of [
      [TOKENS.call, false],
      [TOKENS.admin, true],
    ] as const) {
      const events = new SseReader(await request("/v1/events?type=tool", { token }));
      const told: Record<string, JsonValue> = {};
      const callId = `call-of-${isTold ? "admin" : "program"}`;
      told["call"] = (await ask("/v1/calls", { token, body: { ...CALL, callId } })).body;
      told["result"] = (await ask(`/v1/calls/${callId}`, { token })).body;
      told["stream"] = await (await request("/v1/calls", { token, body: CALL, fields: { accept: "text/event-stream" } })).text();
      const sessionId = textOf((await ask("/v1/sessions", { token, body: {} })).body, "sessionId");
      const turn = (await ask(`/v1/sessions/${sessionId}/turns`, { token, body: { calls: [CALL] } })).body;
      told["turn"] = turn;
      told["later"] = (await ask(`/v1/sessions/${sessionId}/turns/${textOf(turn, "turnId")}`, { token })).body;
      told["event"] = await events.until("tool.called");
      await events.cancel();
      const said = Object.fromEntries(Object.entries(told).map(([name, value]) => [name, /\\?"grants\\?":/.test(JSON.stringify(value))]));
      expect(said, token).toEqual(Object.fromEntries(Object.keys(told).map((name) => [name, isTold])));
      expect(JSON.stringify(told["call"])).toContain('"because"');
    }
  });
});
