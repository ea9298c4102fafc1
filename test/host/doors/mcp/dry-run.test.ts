import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "@modelcontextprotocol/client";
import { createRounds } from "../../../../host/doors/mcp/rounds.ts";
import type { McpClient } from "../../../../host/doors/mcp/client.ts";
import { openCall } from "../../../../host/doors/mcp/open-call.ts";
import { memoryPlatform } from "../../../support/memory-platform.ts";
import { mcpHost, type McpHost, WAYS } from "../../../support/mcp-client.ts";

const OUTPUT = { type: "object", properties: { wrote: { type: "string" } }, required: ["wrote"] } as const;
const PUT = {
  manifest: {
    permissions: { write: ["$workspace"] },
    tools: ["put", "ask"].map((name) => ({
      name,
      description: "Writes",
      inputSchema: { type: "object", properties: { path: { type: "string" } } },
      outputSchema: OUTPUT,
      sideEffects: ["write"],
    })),
  },
  main: `
    export const put = async ({ path }, context) => { await context.workspace.write(path, "new"); return { wrote: path }; };
    export const ask = put;
  `,
};

let test: McpHost;
let numbers = 0;
beforeAll(async () => {
  const config = { confirmation: { perTool: { "demo.put": "auto" } } };
  test = await mcpHost({ demo: PUT }, { builtins: false, config, grants: { demo: { write: true } } });
});
afterAll(async () => await test[Symbol.asyncDispose]());

const unique = (): string => `file${String((numbers += 1))}.txt`;

async function written(path: string): Promise<string | undefined> {
  return (await test.platform.files.stat(`/workspace/${path}`)) && (await test.platform.files.readText(`/workspace/${path}`));
}

interface Dry {
  readonly callId: string;
  readonly hash: string;
}

async function dryRun(client: Client, name: string, path: string): Promise<Dry> {
  const result = await client.callTool({ name, arguments: { path }, _meta: { "bascule/dryRun": true } });
  expect(result).toMatchObject({
    isError: false,
    structuredContent: { wrote: path },
    content: [{ type: "text" }, { type: "text", text: expect.stringContaining("Nothing was changed") }],
    _meta: { "bascule/dryRun": { canCommit: true, changes: [{ kind: "created", path }] } },
  });
  const meta = result._meta as Readonly<Record<string, Dry>>;
  return { callId: meta["bascule/call"]?.callId ?? "", hash: meta["bascule/dryRun"]?.hash ?? "" };
}

const commitOf = (dry: Dry): Record<string, unknown> => ({ "bascule/commit": { ...dry } });

describe.each(WAYS)("a dry run through MCP, %s over %s", (era, over) => {
  it("changes nothing, and is committed once by the same call, which returns the call's own result [E8.mcp]", async () => {
    const client = await test.connect(era, over);
    const path = unique();
    const dry = await dryRun(client, "demo__put", path);
    expect(await written(path)).toBeUndefined();
    const committing = { name: "demo__put", arguments: { path }, _meta: commitOf(dry) };
    expect(await client.callTool(committing)).toMatchObject({
      isError: false,
      structuredContent: { wrote: path },
      _meta: { "bascule/call": { callId: dry.callId } },
    });
    expect(await written(path)).toBe("new");
    test.platform.plant(`/workspace/${path}`, "changed since");
    expect(await client.callTool(committing)).toMatchObject({ isError: true });
    expect(await written(path)).toBe("changed since");
  });

  it("is not committed with other arguments, by another tool or client, or with another hash [E8.mcp, E3]", async () => {
    const client = await test.connect(era, over);
    const path = unique();
    const dry = await dryRun(client, "demo__put", path);
    const attempts = [
      { name: "demo__put", arguments: { path: "other.txt" }, _meta: commitOf(dry) },
      { name: "demo__ask", arguments: { path }, _meta: commitOf(dry) },
    ];
    for (const attempt of attempts) expect(await client.callTool(attempt)).toMatchObject({ isError: true });
    const other = await test.connect(era, over);
    expect(await other.callTool({ name: "demo__put", arguments: { path }, _meta: commitOf(dry) })).toMatchObject({ isError: true });
    const wrong: readonly Record<string, unknown>[] = [
      commitOf({ ...dry, callId: "none" }),
      // Answers as for an unknown dry run: knowing an id reveals nothing about a result.
      commitOf({ ...dry, hash: "0".repeat(64) }),
      { "bascule/commit": dry.callId },
      { "bascule/commit": null },
      { "bascule/dryRun": "yes" },
      { "bascule/dryRun": true, ...commitOf(dry) },
    ];
    for (const _meta of wrong)
      await expect(client.callTool({ name: "demo__put", arguments: { path }, _meta })).rejects.toMatchObject({ code: -32_602 });
    expect([await written(path), await written("other.txt")]).toEqual([undefined, undefined]);
  });

  it("is committed when the client's user confirms the shown report, if the tool needs confirmation [E8.mcp, E5.elicitation]", async () => {
    const said: string[] = [];
    let answer = "decline";
    const client = await test.connect(era, over, {
      capabilities: { elicitation: {} },
      prepare: (made) =>
        made.setRequestHandler("elicitation/create", ({ params }) => {
          said.push(params.message);
          return { action: answer as "accept", ...(answer === "accept" && { content: { approve: true } }) };
        }),
    });
    const path = unique();
    for (const [given, text] of [
      ["decline", undefined],
      ["accept", "new"],
    ] as const) {
      answer = given;
      const dry = await dryRun(client, "demo__ask", path);
      expect(said.length).toBe(given === "accept" ? 1 : 0);
      const result = await client.callTool({ name: "demo__ask", arguments: { path }, _meta: commitOf(dry) });
      expect([result.isError, await written(path)]).toEqual([given === "decline", text]);
    }
    expect(said[1]).toContain(`It will make exactly these changes:\n  created   ${path}`);
    expect(said[1]).toContain("    +new");
  });

  it("must be committed by the user elsewhere if the client cannot ask [E8.mcp, E5.agent]", async () => {
    const client = await test.connect(era, over);
    const path = unique();
    const dry = await dryRun(client, "demo__ask", path);
    const result = await client.callTool({ name: "demo__ask", arguments: { path }, _meta: commitOf(dry) });
    expect(result).toMatchObject({ isError: true, _meta: { "bascule/error": { code: "user_denied" } } });
    expect(JSON.stringify(result.content)).toContain(`bascule commit ${dry.callId}`);
    expect(await written(path)).toBeUndefined();
    expect(await test.host.commit(dry.callId, { hash: dry.hash })).toMatchObject({ ok: true });
  });
});

describe("rounds of many clients", () => {
  it("are dropped for the client with the most, and never for one with few [E3.mcp-flood]", () => {
    const rounds = createRounds(memoryPlatform());
    const cancelled: string[] = [];
    const suspend = (client: McpClient, name: string): string => {
      const call = openCall(() => new Promise(() => {}));
      const question = { inputs: {}, answer: () => true, giveUp: () => {}, settled: new AbortController().signal };
      return rounds.suspend({ call: { ...call, cancel: () => void cancelled.push(name) }, question, client, about: name });
    };
    // Clients are compared by identity, and no member of them is used.
    const greedy = Array.from({ length: 4 }, () => ({}) as McpClient);
    const quiet = {} as McpClient;
    const kept = suspend(quiet, "quiet");
    for (const [index, client] of greedy.entries()) for (let n = 0; n < 65; n += 1) suspend(client, `${index} ${n}`);
    // A client over its share loses its oldest round; over the total, a client with the most rounds loses one.
    expect(cancelled).toEqual(["0 0", "1 0", "2 0", "0 1", "3 0"]);
    expect(rounds.has(kept)).toBe(true);
  });
});
