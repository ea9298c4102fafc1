import { afterEach, describe, expect, it } from "vitest";
import { createHost, type Host, type Policy, toMcp, ToolFailed, toolOutput, type ToolResult } from "../../../../host/mod.ts";
import { allowAllPolicy } from "../../../support/allow-all-policy.ts";
import { memoryPlatform } from "../../../support/memory-platform.ts";
import { hostTool } from "../../../support/tools.ts";

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

const MIB = 1024 * 1024;
/** Allows outputs of 8 MiB, because the limit of a tool's output differs from that of a shown result. */
const generous: Policy = {
  limitsFor: (tool, call) => ({ ...allowAllPolicy.limitsFor(tool, call), outputBytes: 8 * MIB }),
  decide(tool, call) {
    const decision = allowAllPolicy.decide(tool, call);
    return decision.kind === "deny" ? decision : { ...decision, limits: { ...decision.limits, outputBytes: 8 * MIB } };
  },
};
const LONG = "añ€😀\n".repeat(150_000);

async function start(): Promise<Host> {
  const host = await createHost({
    platform: memoryPlatform(),
    policy: generous,
    tools: [
      hostTool("text", {}, () => LONG),
      hostTool("list", {}, () => Array.from({ length: 200_000 }, (_, index) => `item ${index}`)),
      hostTool("blocks", {}, () =>
        toolOutput({
          output: { ok: true },
          content: [
            { type: "text", text: LONG },
            { type: "image", mimeType: "image/png", data: "A".repeat(2 * MIB) },
          ],
        }),
      ),
      hostTool("failing", {}, () => toolOutput({ success: false, output: LONG })),
      hostTool("explaining", {}, () =>
        toolOutput({
          success: false,
          content: [
            { type: "text", text: LONG },
            { type: "resource", uri: "file:///a", blob: "A".repeat(2 * MIB) },
            { type: "resource_link", uri: "file:///b", name: "b" },
          ],
        }),
      ),
      hostTool("throwing", {}, () => {
        throw new ToolFailed("It ended with 7", { details: { code: 7, output: LONG } });
      }),
      hostTool("both", {}, () => toolOutput({ output: "y".repeat(6_000), content: [{ type: "text", text: "x".repeat(6_000) }] })),
      hostTool("small", {}, () => "x".repeat(5_000)),
    ],
  });
  hosts.push(host);
  return host;
}

/** Reads the whole omitted part, as a model does. */
async function readOn(host: Host, result: ToolResult, options = {}): Promise<string> {
  const handle = result.truncated?.[0]?.handle;
  const parts: string[] = [];
  for (let offset: unknown = 0; typeof offset === "number";) {
    const { output, truncated } = await host.call("read_result", { handle: handle ?? "", offset }, options);
    expect(truncated).toBeUndefined();
    const { text, nextOffset } = output as { text: string; nextOffset?: number };
    parts.push(text);
    offset = nextOffset;
  }
  return parts.join("");
}

describe("results of calls", () => {
  it("are cut as a whole: the content's bytes reduce the room for the output [X6.cap]", async () => {
    const host = await start();
    const result = await host.call("both", {}, { session: host.session({ resultBytes: 8_192 }) });
    expect([result.content, result.truncated?.map(({ part }) => part)]).toEqual([[{ type: "text", text: "x".repeat(6_000) }], ["output"]]);
  });

  it("above 1 MiB are cut between characters, and the rest is readable with a handle [X6.cap] [X6.tool]", async () => {
    const host = await start();
    const result = await host.call("text");
    const output = typeof result.output === "string" ? result.output : "";
    const bytes = new TextEncoder().encode(LONG).length;
    expect(new TextEncoder().encode(JSON.stringify(output)).length).toBeLessThanOrEqual(MIB);
    expect(result).toMatchObject({ ok: true, truncated: [{ part: "output", bytes }] });
    const shown = output.slice(0, output.lastIndexOf("\n["));
    expect(LONG.startsWith(shown)).toBe(true);
    expect(output).toContain(`of ${bytes} bytes are shown; the rest is omitted: read on with read_result {"handle":"`);
    expect(await readOn(host, result)).toBe(LONG);
    expect(host.result(result.callId)).toBe(result);
  });

  it("of JSON become a summary of type and size, which MCP gets as text only [X6.summary]", async () => {
    const host = await start();
    const result = await host.call("list");
    expect(result.output).toMatchObject({
      truncated: true,
      type: "array",
      items: 200_000,
      handle: result.truncated?.[0]?.handle,
      preview: expect.stringMatching(/^\["item 0","item 1"/),
    });
    expect(JSON.parse(await readOn(host, result))).toHaveLength(200_000);
    expect(toMcp(result)).not.toHaveProperty("structuredContent");
  });

  it("keep the order of their blocks, with notes in place of images, and the reason of failures [X6.content]", async () => {
    const host = await start();
    const result = await host.call("blocks");
    expect(result.output).toEqual({ ok: true });
    expect(result.content).toMatchObject([
      { type: "text" },
      { type: "text", text: expect.stringContaining("[image, image/png, in base64, 2097152 bytes") },
    ]);
    expect(result.truncated?.map(({ part }) => part)).toEqual(["content/0", "content/1"]);
    const failed = await host.call("failing");
    expect(failed).toMatchObject({ ok: false, error: { code: "tool_failed", message: expect.stringContaining("añ€😀") } });
    expect(JSON.stringify(failed).length).toBeLessThan(1.5 * MIB);
    // The message has the beginning only, and the details have the whole text.
    expect(failed.truncated?.map(({ part }) => part)).toEqual(["error/details"]);
    expect(await readOn(host, failed)).toBe(LONG);
    const thrown = await host.call("throwing");
    expect(thrown).toMatchObject({
      ok: false,
      error: { code: "tool_failed", message: "It ended with 7", details: { code: 7, output: { truncated: true } } },
    });
    expect(await readOn(host, thrown)).toBe(LONG);
  });

  it("are cut block by block, also for a failed tool, and every door shows the blocks [X6.content] [X1.failure]", async () => {
    const host = await start();
    const failed = await host.call("explaining");
    expect(failed).toMatchObject({ ok: false, error: { code: "tool_failed", message: expect.stringMatching(/^añ€😀[^]*…$/) } });
    expect(failed.truncated?.map(({ part }) => part)).toEqual(["content/0", "content/1"]);
    expect(await readOn(host, failed)).toBe(LONG);
    const told = toMcp(failed);
    expect([told.isError, told.content.length, told.content.slice(1)]).toEqual([
      true,
      3,
      [
        { type: "text", text: expect.stringContaining("[resource file:///a, in base64, 2097152 bytes: omitted") },
        { type: "resource_link", uri: "file:///b", name: "b" },
      ],
    ]);
    expect(JSON.stringify(told).length).toBeLessThan(1.5 * MIB);
  });

  it("have their session's limit, which a delegated session cannot raise, and are unknown to other sessions [X6.session] [T1.resultBytes]", async () => {
    const host = await start();
    const session = host.session({ resultBytes: 4_096 });
    const result = await host.call("small", {}, { session });
    expect(result.truncated).toMatchObject([{ part: "output", bytes: 5_000 }]);
    expect(await readOn(host, result, { session })).toBe("x".repeat(5_000));
    expect(host.session({ parent: session, resultBytes: MIB }).resultBytes).toBe(4_096);
    expect((await host.call("small")).output).toBe("x".repeat(5_000));
    const handle = result.truncated?.[0]?.handle ?? "";
    expect(host.readResult(handle)).toBeUndefined();
    expect(host.readResult(handle, { session, offset: 4_990 })).toEqual({ text: "x".repeat(10), offset: 4_990, totalBytes: 5_000 });
    expect(await host.call("read_result", { handle })).toMatchObject({ ok: false, error: { code: "tool_failed" } });
    expect(() => host.session({ resultBytes: 10 })).toThrow("from 4096");
  });
});
