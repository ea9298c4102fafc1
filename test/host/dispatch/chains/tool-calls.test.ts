import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostTool } from "../../../support/tools.ts";
import { type ChainHost, chainHost, endings } from "../../../support/chain-host.ts";

/** A plugin that calls the tool in its arguments and returns the outcome. */
const CALLER = `
export async function ask({ tool, args }, { tools }) {
  try { return { output: await tools.call(tool, args) }; }
  catch ({ name, code, message, tool }) { return { name, code, message, tool: tool ?? null }; }
}
export const raw = ({ tool, args }, { tools }) => tools.call(tool, args);
export async function many({ tool, times }, { tools }) {
  return await Promise.all(Array.from({ length: times }, (_, n) => tools.call(tool, { n })));
}
export function leave({ tool }, { tools }) { void tools.call(tool, {}); return "gone"; }
export const local = () => "of asking";
`;
const SERVED = `
export const up = ({ text = "" }) => text.toUpperCase();
export const local = () => "of served";
export const mine = (_args, { tools }) => tools.call("local");
export const fail = () => { throw new Error("it broke"); };
export async function twice({ text }, { tools }) { return (await tools.call("up", { text })) + (await tools.call("up", { text })); }
export const write = async (_args, { workspace }) => { await workspace.write("out.txt", "written"); return "wrote"; };
export const forever = () => new Promise(() => setInterval(() => {}, 1_000));
`;
const CHAIN = { callers: ["direct", "chain"] };
const NAMED = ["served.*", "echo", "local", "slow", "delegate", "gone", "read_result", "reload_plugins", "inner"];

let made: ChainHost;
beforeAll(async () => {
  made = await chainHost(
    {
      asking: { main: CALLER, tools: { ask: {}, raw: {}, many: {}, leave: {}, local: {} }, calls: NAMED },
      served: {
        main: SERVED,
        tools: { up: {}, local: {}, mine: {}, fail: CHAIN, twice: CHAIN, write: { ...CHAIN, sideEffects: ["write"] }, forever: CHAIN },
        calls: ["served.up", "served.local"],
        manifest: { permissions: { tools: ["served.up", "served.local"], write: ["$workspace"] } },
      },
    },
    {
      tools: [
        hostTool("slow", { callers: ["direct"], sideEffects: ["write"] }),
        hostTool("delegate", { callers: ["direct", "chain"] }),
        hostTool("inner", { callers: ["chain"] }),
      ],
    },
  );
});
afterAll(() => made[Symbol.asyncDispose]());

describe("context.tools.call()", () => {
  it("returns the output of a read-only tool, as a step of a chain, with records of both [C9.output] [K6.reads] [AU6.record]", async () => {
    const { host, events } = made;
    const before = events.length;
    const result = await host.call("asking.ask", { tool: "served.up", args: { text: "abc" } });
    expect(result).toMatchObject({
      ok: true,
      output: { output: "ABC" },
      steps: [{ tool: "served.up", index: 0, wave: 0, depth: 1, parentCallId: result.callId, ok: true }],
    });
    const own = events.slice(before);
    expect(endings(own)).toEqual([
      ["served.up", "ok", 0],
      ["asking.ask", "ok", undefined],
    ]);
    const [called] = own.filter(({ type, chainId }) => type === "tool.called" && chainId !== undefined);
    expect(called).toMatchObject({ chainId: result.callId, chainIndex: 0, payload: { tool: "served.up", caller: "chain" } });
    expect(own.filter(({ type }) => type === "capability.used")).toMatchObject([{ payload: { permission: "tools", value: "served.up" } }]);
  });

  it("refuses a tool without a grant, and says which grant would allow it [C9.granted] [C10]", async () => {
    await using other = await chainHost({
      asking: { main: CALLER, tools: { ask: {} }, calls: ["served.up", "echo"], granted: ["echo"] },
      served: { main: SERVED, tools: { up: {}, local: {} } },
    });
    const refused = { name: "NotCapable", code: undefined, tool: null };
    const outputOf = async (tool: string): Promise<unknown> => (await other.host.call("asking.ask", { tool, args: { text: "a" } })).output;
    expect(await outputOf("echo")).toEqual({ output: { text: "a" } });
    expect(await outputOf("served.up")).toMatchObject({
      ...{ name: refused.name, tool: null },
      message: 'Requires tools access to "served.up", grant it with: bascule grant asking --allow-tools=served.up',
    });
    expect(await outputOf("served.local")).toMatchObject({ name: "NotCapable", message: expect.stringContaining("manifest") });
    expect(other.events.filter(({ type, payload }) => type === "tool.called" && "tool" in payload && payload.tool === "served.up")).toEqual(
      [],
    );
  });

  it("throws the error of a failed step with its code; if the tool does not catch it, the caller receives it [C9.failure] [X4]", async () => {
    const { host } = made;
    expect((await host.call("asking.ask", { tool: "served.fail", args: {} })).output).toEqual({
      ...{ name: "ToolError", code: "tool_failed", message: "it broke", tool: "served.fail" },
    });
    expect((await host.call("asking.ask", { tool: "echo", args: { txt: 1 } })).output).toMatchObject({ code: "invalid_args" });
    expect((await host.call("asking.ask", { tool: "gone", args: {} })).output).toMatchObject({ code: "tool_not_found" });
    expect(await host.call("asking.raw", { tool: "served.fail" })).toMatchObject({
      ok: false,
      error: { code: "tool_failed", message: "it broke" },
    });
  });

  it("lets tools call only tools that may be chained: never delegation or the client's built-ins [K6.callers] [K6.never] [H2]", async () => {
    const { host } = made;
    const messageOf = async (tool: string): Promise<unknown> => (await host.call("asking.ask", { tool, args: {} })).output;
    expect(await messageOf("slow")).toMatchObject({
      code: "permission_denied",
      message: "Permission denied: tool 'slow' cannot be called by other tools",
    });
    for (const tool of ["delegate", "reload_plugins", "read_result"])
      expect(await messageOf(tool)).toMatchObject({ code: "permission_denied" });
    expect(await host.call("inner")).toMatchObject({
      ok: false,
      error: { code: "permission_denied", message: "Permission denied: tool 'inner' is for other tools only" },
    });
    expect(await messageOf("inner")).toEqual({ output: {} });
    expect(host.definitionsFor().map(({ name }) => name)).not.toContain("inner");
  });

  it("resolves a bare name to the plugin's own tool, even if other plugins have the name [C9.names]", async () => {
    const { host } = made;
    expect((await host.call("asking.ask", { tool: "local", args: {} })).output).toEqual({ output: "of asking" });
    // For all other callers the bare name is the first plugin's.
    expect((await host.call("local")).plugin).toBe("asking");
    expect((await host.call("served.mine")).output).toBe("of served");
    expect((await host.call("asking.ask", { tool: "served.twice", args: { text: "x" } })).output).toEqual({ output: "XX" });
  });

  it("runs in its caller's slot: a session with one slot has no deadlock [D4.slot]", async () => {
    const { host } = made;
    const session = host.session({ concurrency: 1 });
    const ask = (): Promise<unknown> =>
      host.call("asking.ask", { tool: "served.twice", args: { text: "a" } }, { session }).then(({ output }) => output);
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([{ output: "AA" }, { output: "AA" }, { output: "AA" }]);
    expect(session.slots).toMatchObject({ running: 0, waiting: 0 });
  });

  it("ends with its caller: a deadline and a cancellation reach it, and no step keeps running [T3.chain] [D4.deadline]", async () => {
    const { host, events } = made;
    // The clock stands still, so the step gets all of its caller's time, which is less than the tool's own minute.
    await host.call("asking.ask", { tool: "echo", args: { text: "a" } }, { timeoutMs: 20_000 });
    const [given] = events.filter((event) => event.type === "tool.called" && event.payload.tool === "echo").slice(-1);
    expect(given).toMatchObject({ payload: { decision: { limits: { wallMs: 20_000 } } } });
    const stop = new AbortController();
    const before = events.length;
    const cancelled = host.call("asking.ask", { tool: "served.forever", args: {} }, { signal: stop.signal });
    await expect.poll(() => events.slice(before).filter(({ type }) => type === "tool.called").length, { timeout: 30_000 }).toBe(2);
    stop.abort();
    expect(await cancelled).toMatchObject({ ok: false, error: { code: "cancelled" } });
    expect(endings(events.slice(before))).toEqual([
      ["served.forever", "cancelled", 0],
      ["asking.ask", "cancelled", undefined],
    ]);
  });

  it("is awaited, otherwise the call is at fault [B4] [C9.unfinished]", async () => {
    const result = await made.host.call("asking.leave", { tool: "served.forever" });
    expect(result).toMatchObject({ ok: false, error: { code: "tool_failed", message: expect.stringContaining("tools.call") } });
    expect(result.steps).toMatchObject([{ tool: "served.forever", code: "cancelled" }]);
  });

  it("asks the present user and names the chain, and ignores a remembered approval for another caller [E1.chain] [E2.chain]", async () => {
    const asked: unknown[] = [];
    await using other = await chainHost(
      {
        asking: { main: CALLER, tools: { raw: {} }, calls: ["served.write"] },
        served: {
          main: SERVED,
          tools: { write: { ...CHAIN, sideEffects: ["write"] } },
          manifest: { permissions: { write: ["$workspace"] } },
        },
      },
      {
        grants: { asking: { tools: ["served.write"] }, served: { write: ["$workspace"] } },
        config: { confirmation: { default: { write: "prompt_once" } } },
      },
    );
    const { host } = other;
    const confirm = (request: unknown): Promise<boolean> => Promise.resolve(asked.push(request) > 0);
    expect(await host.call("served.write", {}, { confirm })).toMatchObject({ ok: true });
    expect(await host.call("served.write", {}, { confirm })).toMatchObject({ ok: true });
    expect(await host.call("asking.raw", { tool: "served.write" }, { confirm })).toMatchObject({ ok: true, output: "wrote" });
    expect(asked).toMatchObject([{ tool: "served.write" }, { tool: "served.write", calledBy: ["asking.raw"] }]);
    expect(await host.call("asking.raw", { tool: "served.write" }, { session: host.session(), unattended: "refuse" })).toMatchObject({
      error: { message: "Tool 'served.write' needs confirmation, and no user can be asked here" },
    });
  });

  it("is refused if its caller is a dry run, because its changes would be real [E8.chain] [C9.dry]", async () => {
    const { host, platform, events } = made;
    const before = events.length;
    for (const tool of ["served.write", "served.up"]) {
      const dry = await host.call("asking.ask", { tool, args: {} }, { dryRun: true });
      expect(dry).toMatchObject({ ok: true, output: { name: "NotSupported", message: expect.stringContaining("in a dry run") } });
    }
    expect(events.slice(before).filter(({ type, chainId }) => type === "tool.called" && chainId !== undefined)).toEqual([]);
    expect(await platform.files.stat("/workspace/out.txt")).toBeUndefined();
  });

  it("is restricted by the session like a direct call, and counts in quotas [C9.session] [D9.chain]", async () => {
    const { host } = made;
    const readOnly = host.session({ context: { readOnly: true } });
    expect((await host.call("asking.ask", { tool: "served.write", args: {} }, { session: readOnly })).output).toMatchObject({
      code: "permission_denied",
    });
    const few = host.session({ quotas: [{ calls: 3 }] });
    const result = await host.call("asking.many", { tool: "served.up", times: 3 }, { session: few });
    expect(result).toMatchObject({ ok: false, error: { message: expect.stringContaining("Quota of 3 calls") } });
  });
});
