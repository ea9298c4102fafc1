import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../manifests/mod.ts";
import { httpDoor, type HttpDoorUnderTest, TOKENS, textOf } from "../../../support/http-door.ts";
import { memoryPlatformWithWorkers } from "../../../support/memory-platform.ts";

const MANIFEST = JSON.stringify({
  ...{ schemaVersion: "1.0", name: "dice", version: "1.0.0", description: "Dice" },
  tools: [{ name: "roll", description: "Rolls", inputSchema: { type: "object" }, sideEffects: [] }],
});
const CODE = "export const roll = () => `rolled ${Math.random()}`;";

async function open(config: object): Promise<HttpDoorUnderTest> {
  const platform = memoryPlatformWithWorkers({
    "bascule.json": JSON.stringify(config),
    "plugins/dice/manifest.json": MANIFEST,
    "plugins/dice/main.ts": CODE,
  });
  return await httpDoor({ platform, plugins: "plugins", config: "/workspace/bascule.json" });
}

const replayOf = async (
  door: HttpDoorUnderTest,
  callId: string,
  body: object = {},
): Promise<{ readonly status: number; readonly body: JsonObject }> =>
  await door.ask(`/v1/calls/${callId}/replay`, { token: TOKENS.admin, body });

describe("POST /v1/calls/{callId}/replay", () => {
  it("runs a recorded call again with the recorded answers, and compares it with the current code [I4.replay, I5.replay, B8.http]", async () => {
    await using door = await open({ audit: { record: "all" } });
    const { body: called } = await door.ask("/v1/calls", { body: { tool: "dice.roll" } });
    const callId = textOf(called, "callId");
    const { body: listed } = await door.ask("/v1/recordings", { token: TOKENS.admin });
    expect(listed["callIds"]).toEqual([callId]);
    expect(await replayOf(door, callId)).toMatchObject({
      status: 200,
      body: { kind: "same", version: "recorded", lines: [JSON.stringify(called["output"])] },
    });
    door.platform.plant("/workspace/plugins/dice/main.ts", CODE.replace("rolled", "threw"));
    const { status, body } = await replayOf(door, callId, { version: "current" });
    expect([status, body["kind"], (body["lines"] as readonly string[]).slice(1)]).toEqual([
      200,
      "different",
      ["The result differs", expect.stringMatching(/^- "rolled 0\./), expect.stringMatching(/^\+ "threw 0\./)],
    ]);
    expect(await replayOf(door, callId)).toMatchObject({ status: 200, body: { kind: "same" } });
  });

  it("says what to do if the call was not recorded, and is for admins only [I4.replay]", async () => {
    await using door = await open({});
    const { body: called } = await door.ask("/v1/calls", { body: { tool: "dice.roll" } });
    const callId = textOf(called, "callId");
    const refused = await replayOf(door, callId);
    expect([refused.status, refused.body["detail"]]).toEqual([404, expect.stringContaining('set "audit.record" in bascule.json')]);
    for (const token of [TOKENS.call, TOKENS.metrics, undefined])
      expect((await door.request(`/v1/calls/${callId}/replay`, { body: {}, token })).status).toBe(token === undefined ? 401 : 403);
  });
});
