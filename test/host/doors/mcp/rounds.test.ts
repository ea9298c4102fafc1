import { describe, expect, it } from "vitest";
import { createMcpHandler, type McpHandler } from "../../../../host/doors/mcp/mod.ts";
import { createRounds, type Round } from "../../../../host/doors/mcp/rounds.ts";
import { createMemoryClock } from "../../../../host/platform/memory/memory-clock.ts";
import { createRandom } from "../../../../host/platform/random.ts";
import { mcpHost, type McpHost, messageOf, modernRequest, until } from "../../../support/mcp-client.ts";

const PUT = {
  manifest: {
    permissions: { write: ["$workspace"] },
    tools: [
      {
        name: "put",
        description: "Writes",
        inputSchema: { type: "object", properties: { path: { type: "string" }, text: { type: "string" } } },
        sideEffects: ["write"],
      },
    ],
  },
  main: "export const put = async ({ path, text }, context) => { await context.workspace.append(path, text); return 'done'; };",
};
const CALL = { name: "demo__put", arguments: { path: "out.txt", text: "x" } };
const YES = { bascule_confirmation: { action: "accept", content: { approve: true } } };

interface Asked {
  readonly test: McpHost;
  readonly handler: McpHandler;
  readonly state: string;
}

async function asking(): Promise<{ readonly test: McpHost; readonly handler: McpHandler; ask(): Promise<string> }> {
  const test = await mcpHost({ demo: PUT }, { builtins: false, grants: { demo: { write: true } } });
  const handler = createMcpHandler(test);
  return {
    test,
    handler,
    async ask() {
      const { result } = await messageOf(await handler.fetch(modernRequest("tools/call", CALL)));
      expect(result).toMatchObject({
        resultType: "input_required",
        inputRequests: { bascule_confirmation: { method: "elicitation/create" } },
      });
      return result?.["requestState"] as string;
    },
  };
}

async function asked(): Promise<Asked> {
  const { ask, ...rest } = await asking();
  return { ...rest, state: await ask() };
}

async function written({ test }: Pick<Asked, "test">): Promise<string | undefined> {
  const there = await test.platform.files.stat("/workspace/out.txt");
  return there && (await test.platform.files.readText("/workspace/out.txt"));
}

describe("a call that is confirmed between two requests", () => {
  it("runs once when the state comes back with an approval, and the state is used up [E3.mcp-once] [E5.input-required]", async () => {
    const { test, handler, state } = await asked();
    const params = { ...CALL, requestState: state, inputResponses: YES };
    const { result } = await messageOf(await handler.fetch(modernRequest("tools/call", params)));
    expect(result).toMatchObject({ content: [{ type: "text", text: "done" }], isError: false });
    const again = await messageOf(await handler.fetch(modernRequest("tools/call", params)));
    expect(again.error).toMatchObject({ code: -32_602, data: { reason: "invalid_request_state" } });
    expect(await written({ test })).toBe("x");
    await handler.close();
    await test[Symbol.asyncDispose]();
  });

  it.each([
    ["other arguments", { ...CALL, arguments: { path: "out.txt", text: "other" } }],
    ["another name of the tool", { ...CALL, name: "demo.put" }],
  ])("does not run if the answer comes with %s [E3.mcp-bound]", async (_what, changed) => {
    const { test, handler, state } = await asked();
    const { error } = await messageOf(
      await handler.fetch(modernRequest("tools/call", { ...changed, requestState: state, inputResponses: YES })),
    );
    expect(error).toMatchObject({ code: -32_602, data: { reason: "invalid_request_state" } });
    await until(() => test.host.confirmations.list().length === 0);
    expect(await written({ test })).toBeUndefined();
    await handler.close();
    await test[Symbol.asyncDispose]();
  });

  it("belongs to its client: another token can neither use the state nor use it up [E3.mcp-client]", async () => {
    const { test, handler, ask } = await asking();
    const state = await ask();
    const params = { ...CALL, requestState: state, inputResponses: YES };
    const stolen = await messageOf(await handler.fetch(modernRequest("tools/call", params), { id: "another" }));
    expect(stolen.error).toMatchObject({ code: -32_602 });
    expect(await written({ test })).toBeUndefined();
    const own = await messageOf(await handler.fetch(modernRequest("tools/call", params)));
    expect(own.result).toMatchObject({ isError: false });
    await handler.close();
    await test[Symbol.asyncDispose]();
  });

  it.each([
    ["calls", ["call"], false],
    ["a user's client", ["call", "confirm"], true],
  ] as const)("is sent to the client only if its token may answer: one for %s [E5.agent]", async (_whose, scopes, mayAnswer) => {
    const { test, handler } = await asking();
    const { result } = await messageOf(await handler.fetch(modernRequest("tools/call", CALL), { id: "agent", scopes }));
    expect(result).toMatchObject(
      mayAnswer ? { resultType: "input_required" } : { isError: true, structuredContent: { error: { code: "approval_required" } } },
    );
    expect(test.host.confirmations.list()).toHaveLength(1);
    expect(await written({ test })).toBeUndefined();
    await handler.close();
    await test[Symbol.asyncDispose]();
  });

  it("is asked again with a new state if the answer is missing [E5.mcp-missing]", async () => {
    const { test, handler, state } = await asked();
    const { result } = await messageOf(
      await handler.fetch(modernRequest("tools/call", { ...CALL, requestState: state, inputResponses: { other: {} } })),
    );
    expect(result).toMatchObject({ resultType: "input_required" });
    expect(result?.["requestState"]).not.toBe(state);
    const last = {
      ...CALL,
      requestState: result?.["requestState"] as string,
      inputResponses: { bascule_confirmation: { action: "decline" } },
    };
    expect((await messageOf(await handler.fetch(modernRequest("tools/call", last)))).result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "user_denied" } },
    });
    await handler.close();
    await test[Symbol.asyncDispose]();
  });

  it("ends at the confirmation's timeout if its client never comes back [E4.mcp-timeout]", async () => {
    const { test, handler, state } = await asked();
    test.platform.advance(5 * 60_000);
    await until(() => test.host.confirmations.list().length === 0);
    const late = await messageOf(await handler.fetch(modernRequest("tools/call", { ...CALL, requestState: state, inputResponses: YES })));
    expect(late.result).toMatchObject({ isError: true, structuredContent: { error: { code: "confirmation_timeout" } } });
    expect(await written({ test })).toBeUndefined();
    await handler.close();
    await test[Symbol.asyncDispose]();
  });

  it("is cancelled when the door closes [E4.mcp-close]", async () => {
    const { test, handler } = await asked();
    await handler.close();
    await until(() => test.host.confirmations.list().length === 0);
    expect(await written({ test })).toBeUndefined();
    await test[Symbol.asyncDispose]();
  });
});

describe("createRounds()", () => {
  it("limits pending rounds per client and in total, and drops the oldest [E5.rounds]", () => {
    const cancelled: number[] = [];
    const clock = createMemoryClock(0);
    const rounds = createRounds({ clock, random: createRandom(clock) });
    // Only these members of rounds and clients are used.
    const clientOf = (id: number): Round["client"] => ({ id }) as unknown as Round["client"];
    const suspend = (client: Round["client"], index: number): string =>
      rounds.suspend({ call: { cancel: () => void cancelled.push(index) }, client } as unknown as Round);
    const one = clientOf(1);
    const states = Array.from({ length: 66 }, (_, index) => suspend(one, index));
    expect(cancelled).toEqual([0, 1]);
    expect(states.map((state) => rounds.has(state)).indexOf(true)).toBe(2);
    for (let id = 2; id < 10; id += 1) for (let index = 0; index < 25; index += 1) suspend(clientOf(0), 1_000);
    expect(cancelled).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    rounds.end(one);
    expect(cancelled).toHaveLength(66);
  });
});
