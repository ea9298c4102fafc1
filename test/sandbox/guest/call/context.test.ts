import { describe, expect, it } from "vitest";
import { type FakeAnswer, type Guest, startGuest } from "../engine.ts";

const encoder = new TextEncoder();

function host(operation: string): FakeAnswer {
  switch (operation) {
    case "workspace.read":
      return { bytes: encoder.encode("text\u0000é") };
    case "workspace.exists":
      return { value: true };
    case "workspace.list":
      return { value: [{ name: "a", kind: "file" }] };
    default:
      return {};
  }
}

async function run(body: string, context: Record<string, unknown> = {}): Promise<{ output: unknown; guest: Guest }> {
  const guest = await startGuest({ source: `export async function tool(args, context) { ${body} }`, answer: host });
  return { output: guest.output({ context, args: { given: 1 } }), guest };
}

describe("the tool context", () => {
  it("contains the facts from the host, deeply frozen [D7]", async () => {
    const told = {
      sessionId: "s",
      turnId: "t",
      agentId: "a",
      traceparent: "00-x",
      settings: { nested: { list: [1, { deep: true }] } },
      permissions: { read: ["/ws"] },
      deadline: 5,
    };
    const { output, guest } = await run(
      `const { signal, log, workspace, data: _stored, tools, progress, output, error, ...data } = context;
       const frozen = []; const walk = (value) => { if (typeof value === "object" && value !== null) { frozen.push(Object.isFrozen(value)); Object.values(value).forEach(walk) } }; Object.values(data).forEach(walk);
       const refused = []; for (const change of [() => { context.callId = "x" }, () => { context.settings.nested.list.push(1) }, () => { context.workspace.read = 1 }, () => { context.tools.call = 1 }, () => { delete context.log.info }, () => { context.extra = 1 }]) try { change(); refused.push(false) } catch { refused.push(true) }
       return { data, frozen: frozen.every(Boolean) && Object.isFrozen(context), refused, aborted: signal.aborted, kinds: [log.info, workspace.read, tools.call, progress, output, error].map((f) => typeof f) }`,
      told,
    );
    expect(output).toEqual({
      data: { callId: "call-1", workspacePath: "/ws", ...told },
      frozen: true,
      refused: [true, true, true, true, true, true],
      aborted: false,
      kinds: ["function", "function", "function", "function", "function", "function"],
    });
    guest.dispose();
  });

  it("passes arguments that the tool may change [B5]", async () => {
    const { output, guest } = await run(`args.given = 2; args.more = [1]; return args`);
    expect(output).toEqual({ given: 2, more: [1] });
    guest.dispose();
  });

  it("logs to the call's logger, formatted like the console [D7] [B6.console]", async () => {
    const { guest } = await run(
      `context.log.debug("a", { b: 1 }); context.log.info("%s!", "x"); context.log.warn(1); context.log.error(new Map()); context.log.write("warn", "w", 2); try { context.log.write("fatal", "x") } catch (e) { context.log.info(e.name) }`,
    );
    expect(guest.logs).toEqual([
      { level: "debug", text: "a { b: 1 }" },
      { level: "info", text: "x!" },
      { level: "warn", text: "1" },
      { level: "error", text: "Map(0) {}" },
      { level: "warn", text: "w 2" },
      { level: "info", text: "TypeError" },
    ]);
    guest.dispose();
  });

  it("reports progress at once and without waiting [D7] [T4]", async () => {
    const { output, guest } = await run(
      `const seen = [context.progress({ done: 1, of: [2] })]; context.progress("half"); for (const bad of [undefined, () => {}, 1n]) try { context.progress(bad) } catch (e) { seen.push(e.name) } return seen`,
    );
    expect(output).toEqual([null, "TypeError", "TypeError", "TypeError"]);
    expect(guest.crossings.map(({ id, operation, args }) => ({ isAsync: id > 0, operation, args }))).toEqual([
      { isAsync: true, operation: "progress", args: { value: { done: 1, of: [2] } } },
      { isAsync: true, operation: "progress", args: { value: "half" } },
    ]);
    guest.dispose();
  });

  it("aborts its signal when the call is cancelled, with time for cleanup [D7] [T3]", async () => {
    const guest = await startGuest({
      source: `export function tool(args, { signal }) { return new Promise((resolve) => { signal.onabort = () => resolve([signal.aborted, signal.reason.name, signal.reason.code]) }) }`,
    });
    expect(guest.entry("invoke", "main.js", "tool", "{}", "{}")).toBe("w");
    guest.runJobs();
    guest.entry("abort");
    guest.entry("abort");
    guest.runJobs();
    expect(guest.entry("poll")).toBe('d{"o":[true,"AbortError",20]}');
    guest.dispose();
  });

  it("ignores a cancellation before any call [B4]", async () => {
    const guest = await startGuest({ source: "" });
    guest.entry("abort");
    expect(guest.entry("poll")).toBe("w");
    guest.dispose();
  });
});

describe("context.workspace", () => {
  it("sends every method to the host [C8]", async () => {
    const { output, guest } = await run(`
      const w = context.workspace; const bytes = await w.readBytes("b", { offset: 1, length: 2 });
      return [await w.read("a"), [...bytes], await w.write("c", "é"), await w.writeBytes("d", new Uint8Array([9]).buffer), await w.append("e", "x\\0"), await w.exists("f"), await w.list(), await w.list("g"), await w.delete("h"), await w.patch("i", "old\\0", "new")]`);
    expect(output).toEqual([
      "text\u0000é",
      [...encoder.encode("text\u0000é")],
      null,
      null,
      null,
      true,
      [{ name: "a", kind: "file" }],
      [{ name: "a", kind: "file" }],
      null,
      null,
    ]);
    expect(guest.crossings.map(({ operation, args, bytes }) => [operation, args, ...(bytes === undefined ? [] : [[...bytes]])])).toEqual([
      ["workspace.read", { path: "b", offset: 1, length: 2 }],
      ["workspace.read", { path: "a" }],
      ["workspace.write", { path: "c", append: false }, [195, 169]],
      ["workspace.write", { path: "d", append: false }, [9]],
      ["workspace.write", { path: "e", append: true }, [120, 0]],
      ["workspace.exists", { path: "f" }],
      ["workspace.list", { path: "." }],
      ["workspace.list", { path: "g" }],
      ["workspace.delete", { path: "h" }],
      ["workspace.patch", { path: "i", old: "old\u0000", replacement: "new" }],
    ]);
    guest.dispose();
  });

  it("rejects invalid arguments, and sends nothing to the host [C8] [B5]", async () => {
    const { output, guest } = await run(`
      const w = context.workspace; const seen = [];
      for (const p of [w.read(3), w.read("a\\0"), w.read("a", 5), w.read("a", { offset: -1, length: 1 }), w.read("a", { offset: 0 }), w.write("a", 3), w.writeBytes("a", "text"), w.patch("a", undefined, "x"), w.delete()]) seen.push(await p.then(() => "done", (e) => e.name));
      return seen`);
    expect(output).toEqual(Array.from({ length: 9 }, () => "TypeError"));
    expect(guest.crossings).toEqual([]);
    guest.dispose();
  });
});
