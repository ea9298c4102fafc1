import { describe, expect, it } from "vitest";
import {
  createHost,
  toHuman,
  toMachine,
  toMcp,
  type ConfirmationRequest,
  type HostEvent,
  type Tool,
  type ToolFactory,
  type ToolResult,
} from "../../../../host/mod.ts";
import type { DryRunReport } from "../../../../host/call/dry-run-report.ts";
import { memoryPlatform, WORKSPACE } from "../../../support/memory-platform.ts";
import type { JsonObject } from "../../../../manifests/mod.ts";
import { testHost } from "../../../support/test-host.ts";
import { recordingHost, type RecordingHost } from "../../../support/recording-host.ts";
import { hostTool } from "../../../support/tools.ts";

const EDITS = `
export async function run({ fail, over }) {
  const before = await Deno.readTextFile("a.txt");
  await Deno.writeTextFile("a.txt", before + "\\nmore\\n");
  await Deno.mkdir("made/deep", { recursive: true });
  await Deno.writeTextFile("made/deep/new.txt", "new");
  await Deno.rename("b.txt", "c.txt");
  if (over) {
    await Deno.writeTextFile("big.bin", "x");
    try { await Deno.truncate("big.bin", 2 ** 40); } catch { return "caught"; }
  }
  if (fail) throw new Error("no");
  return await Deno.readTextFile("a.txt");
}
`;

const DIFF = ["--- a/a.txt", "+++ b/a.txt", "@@ -1,1 +1,2 @@", "-one", "\\ No newline at end of file", "+one", "+more", ""].join("\n");

/** Returns the contents of a workspace file, or undefined if it is missing. */
async function text({ platform }: Pick<RecordingHost, "platform">, path: string): Promise<string | undefined> {
  const info = await platform.files.stat(`${WORKSPACE}/${path}`);
  return info && (await platform.files.readText(`${WORKSPACE}/${path}`));
}

function reportOf(result: ToolResult): DryRunReport {
  if (result.dryRun === undefined) throw new Error(`No dry run: ${JSON.stringify(result)}`);
  return result.dryRun;
}

describe("a call with dryRun", () => {
  it("changes nothing and reports exactly what it would change; a commit does that, once [E8.dry-run, E8.commit]", async () => {
    const events: HostEvent[] = [];
    await using host = await recordingHost(EDITS, { events: { publish: (event) => events.push(event) } });
    const result = await host.host.call("demo.run", {}, { dryRun: true, callId: "dry-1" });
    expect(result).toMatchObject({ ok: true, output: "one\nmore\n", filesModified: [] });
    expect(reportOf(result)).toEqual({
      changes: [
        { kind: "modified", path: "a.txt", type: "file", before: expect.anything(), after: expect.anything(), diff: DIFF },
        { kind: "renamed", path: "c.txt", from: "b.txt", type: "file" },
        { kind: "created", path: "made", type: "directory" },
        { kind: "created", path: "made/deep", type: "directory" },
        {
          kind: "created",
          path: "made/deep/new.txt",
          type: "file",
          after: expect.objectContaining({ bytes: 3 }),
          diff: expect.any(String),
        },
      ],
      held: [],
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      canCommit: true,
    });
    expect(await Promise.all([text(host, "a.txt"), text(host, "c.txt")])).toEqual(["one", undefined]);
    expect(toMachine(result).metadata["dryRun"]).toEqual(result.dryRun);
    expect(toMcp(result).content.at(-1)).toMatchObject({ type: "text", text: expect.stringContaining("Nothing was changed") });
    expect(toHuman(result)).toContain("would have done this:\n  modified  a.txt  3 bytes → 9 bytes\n    @@ -1,1 +1,2 @@\n    -one\n");
    const acts = events.filter(({ type }) => type === "capability.used");
    expect(acts.length).toBeGreaterThan(4);
    expect(acts.every(({ payload }) => "dryRun" in payload)).toBe(true);
    for (const type of ["tool.called", "tool.completed"])
      expect(events.find((event) => event.type === type)?.payload).toMatchObject({ dryRun: true });

    expect(await host.host.commit("dry-1", { hash: "another" })).toMatchObject({ ok: false, code: "unknown" });
    const committed = await host.host.commit("dry-1", { hash: reportOf(result).hash });
    expect(committed).toEqual({
      ok: true,
      callId: "dry-1",
      filesModified: expect.arrayContaining(["a.txt", "c.txt", "made", "made/deep", "made/deep/new.txt"]),
    });
    expect(await Promise.all([text(host, "a.txt"), text(host, "b.txt"), text(host, "c.txt")])).toEqual(["one\nmore\n", undefined, "two"]);
    expect(await text(host, "made/deep/new.txt")).toBe("new");
    expect(events.at(-1)).toMatchObject({ type: "tool.committed", callId: "dry-1", payload: { ok: true, tool: "demo.run" } });
    expect(await host.host.commit("dry-1")).toMatchObject({ ok: false, code: "unknown", filesModified: [] });
  });

  it.each([
    ["a file that was read and changed", "a.txt", "other"],
    ["a missing file, by creating it", "made", "other"],
    ["a file that was only moved", "b.txt", undefined],
  ])("is not committed after another process changed %s [E8.moved]", async (_what, path, contents) => {
    await using host = await recordingHost(EDITS);
    await host.host.call("demo.run", {}, { dryRun: true, callId: "dry-2" });
    if (contents === undefined) await host.platform.files.remove(`${WORKSPACE}/${path}`);
    else await host.platform.files.writeAtomic(`${WORKSPACE}/${path}`, contents);
    const committed = await host.host.commit("dry-2");
    expect(committed).toMatchObject({ ok: false, code: "changed", filesModified: [] });
    expect(committed).toMatchObject({ message: expect.stringContaining(`"${WORKSPACE}/${path}"`) });
    expect(await text(host, "c.txt")).toBeUndefined();
  });

  it("is not committed after a grant was revoked [E8.grant]", async () => {
    await using host = await recordingHost(EDITS, { grants: {} });
    await host.host.grant("demo", { read: true, write: true });
    expect(await host.host.call("demo.run", {}, { dryRun: true, callId: "dry-3" })).toMatchObject({ ok: true });
    await host.host.revoke("demo", { write: true });
    expect(await host.host.commit("dry-3")).toMatchObject({ ok: false, code: "changed" });
    expect(await text(host, "a.txt")).toBe("one");
  });

  it("reports the changes of a failed call, and does not commit them [E8.failed]", async () => {
    await using host = await recordingHost(EDITS);
    const result = await host.host.call("demo.run", { fail: true }, { dryRun: true, callId: "dry-4" });
    expect(result).toMatchObject({ ok: false, error: { code: "tool_failed" }, dryRun: { canCommit: false } });
    expect(reportOf(result).changes).toHaveLength(5);
    expect(await host.host.commit("dry-4")).toMatchObject({ ok: false, code: "unknown" });
  });

  it("is marked as a dry run in all of its events, and other calls are not [E8.events]", async () => {
    const post = hostTool("post", { sideEffects: ["network"], inputSchema: { type: "object", properties: { to: { type: "string" } } } });
    const project = { policy: { rules: [{ tool: "closed", allow: false }] } };
    const host = testHost({ tools: [post, hostTool("closed")], project });
    const eventsOf = async (tool: string, args: JsonObject, options: object): Promise<unknown> => {
      host.events.length = 0;
      await host.call(tool, args, { confirm: () => Promise.resolve(true), ...options });
      return host.events.map(({ type, payload }) => [type, (payload as { readonly dryRun?: true }).dryRun]);
    };
    for (const dryRun of [true, undefined]) {
      const options = dryRun === undefined ? {} : { dryRun };
      expect(await eventsOf("post", { to: 1 }, options)).toEqual([["tool.input_invalid", dryRun]]);
      expect(await eventsOf("closed", {}, options)).toEqual([["tool.denied", dryRun]]);
      expect(await eventsOf("post", {}, options)).toEqual([
        ["tool.confirmation_requested", dryRun],
        ["tool.confirmation_resolved", undefined],
        ["tool.called", dryRun],
        // A dry run cannot hold back the requests of a host tool.
        [dryRun === true ? "tool.failed" : "tool.completed", dryRun],
      ]);
    }
  });

  it("runs out of room at the bound, even if the call ignores the error [E8.bounded]", async () => {
    await using host = await recordingHost(EDITS);
    const result = await host.host.call("demo.run", { over: true }, { dryRun: true });
    expect(result).toMatchObject({
      ok: false,
      error: { code: "resource_exhausted", details: { limit: "dryRunBytes" } },
      filesModified: [],
    });
    expect(await text(host, "big.bin")).toBeUndefined();
  });

  it("needs no confirmation for a tool that only writes; the commit needs it [E8.confirm]", async () => {
    await using host = await recordingHost(EDITS, { config: {} });
    const result = await host.host.call("demo.run", {}, { dryRun: true, unattended: "refuse" });
    expect(result).toMatchObject({ ok: true, requiresApproval: true, dryRun: { canCommit: true } });
    expect(await host.host.call("demo.run", {}, { unattended: "refuse" })).toMatchObject({ error: { code: "user_denied" } });
  });

  it("is required for every call by a policy rule [E8.policy]", async () => {
    const config = { policy: { rules: [{ tool: "demo.run", dryRun: true }] }, confirmation: { perTool: { "demo.run": "auto" } } };
    await using host = await recordingHost(EDITS, { config });
    const result = await host.host.call("demo.run", {}, { dryRun: false });
    expect(result).toMatchObject({ ok: true, decision: { dryRun: true }, dryRun: { canCommit: true } });
    expect(await text(host, "a.txt")).toBe("one");
    expect(host.host.why("demo.run")?.text.join("\n")).toContain('"dryRun":true');
  });

  it("is refused for a tool whose effects cannot be held back [E8.host]", async () => {
    const write: Tool["execute"] = async (_args, { workspace }) => {
      await workspace.write("from-host.txt", "x");
      return null;
    };
    const native = hostTool("native", { sideEffects: ["write"] }, write);
    const careful: ToolFactory = () => ({ ...hostTool("careful", { sideEffects: ["write"] }, write)(), changesByContext: true });
    const tools = [hostTool("exec", { sideEffects: ["execute"] }), native, careful];
    const platform = memoryPlatform({ "a.txt": "" });
    await using host = await createHost({ platform, tools, config: {}, workspace: WORKSPACE });
    const exec = await host.call("exec", {}, { dryRun: true, confirm: () => Promise.resolve(true) });
    expect(exec).toMatchObject({ ok: false, error: { code: "unavailable", message: expect.stringContaining("executes programs") } });
    expect(await host.call("native", {}, { dryRun: true })).toMatchObject({ ok: false, error: { code: "unavailable" } });
    const ran = await host.call("careful", {}, { dryRun: true, callId: "careful" });
    expect(ran).toMatchObject({ ok: true, dryRun: { changes: [{ kind: "created", path: "from-host.txt" }] } });
    expect(await text({ platform }, "from-host.txt")).toBeUndefined();
    expect(await host.commit("careful")).toMatchObject({ ok: true, filesModified: ["from-host.txt"] });
    expect(await text({ platform }, "from-host.txt")).toBe("x");
  });
});

describe("reload_plugins", () => {
  it("refuses a dry run, because it would reload [E8.dry-run]", async () => {
    await using host = await recordingHost("export const run = () => 1;");
    host.platform.plant("/workspace/plugins/demo/main.ts", "export const run = () => 2;");
    expect(await host.host.call("reload_plugins", {}, { dryRun: true })).toMatchObject({ ok: false, error: { code: "unavailable" } });
    expect((await host.host.call("demo.run")).output).toBe(1);
    expect(await host.host.call("reload_plugins", {})).toMatchObject({ ok: true, output: { reloaded: 1 } });
  });
});

describe("confirmation.preview", () => {
  const config = {};

  it("is on by default, and false switches it off [E2.preview]", async () => {
    const asked: ConfirmationRequest[] = [];
    for (const confirmation of [{}, { preview: false }]) {
      await using host = await recordingHost(EDITS, { config: { confirmation } });
      await host.host.call("demo.run", {}, { confirm: async (request) => (asked.push(request), false) });
    }
    expect(asked.map(({ preview }) => preview !== undefined)).toEqual([true, false]);
  });

  it("shows the diff to the user, and makes the shown changes only [E2.preview, E3.preview]", async () => {
    const events: HostEvent[] = [];
    await using host = await recordingHost(`${EDITS}`, { config, events: { publish: (event) => events.push(event) } });
    const asked: ConfirmationRequest[] = [];
    const result = await host.host.call("demo.run", {}, { confirm: async (request) => (asked.push(request), true) });
    expect(asked[0]?.preview?.changes[0]).toMatchObject({ path: "a.txt", diff: DIFF });
    expect(asked[0]?.projectedModifications).toContain("made/deep/new.txt");
    expect(result).toMatchObject({ ok: true, output: "one\nmore\n" });
    expect(result).not.toHaveProperty("dryRun");
    expect(result.filesModified).toContain("a.txt");
    expect(await text(host, "a.txt")).toBe("one\nmore\n");
    const ofCall = events.map(({ type }) => type).filter((type) => type.startsWith("tool.") && !type.endsWith("registered"));
    expect(ofCall).toEqual([
      "tool.confirmation_requested",
      "tool.confirmation_resolved",
      "tool.called",
      "tool.committed",
      "tool.completed",
    ]);
  });

  it("changes nothing if the user says no, or if a file that was read changed meanwhile [E3.preview]", async () => {
    await using host = await recordingHost(EDITS, { config });
    expect(await host.host.call("demo.run", {}, { confirm: async () => false })).toMatchObject({ error: { code: "user_denied" } });
    expect(await text(host, "c.txt")).toBeUndefined();
    const confirm = async (): Promise<boolean> => {
      await host.platform.files.writeAtomic(`${WORKSPACE}/a.txt`, "changed while the question stood");
      return true;
    };
    expect(await host.host.call("demo.run", {}, { confirm })).toMatchObject({
      ok: false,
      error: { code: "unavailable" },
      filesModified: [],
    });
    expect(await Promise.all([text(host, "a.txt"), text(host, "c.txt")])).toEqual(["changed while the question stood", undefined]);
  });

  it("cannot be committed by its id while the confirmation is pending [E3.preview]", async () => {
    await using host = await recordingHost(EDITS, { config });
    const tried: unknown[] = [];
    const confirm = async (): Promise<boolean> => (tried.push(await host.host.commit("asked-1")), false);
    await host.host.call("demo.run", {}, { confirm, callId: "asked-1" });
    expect(tried).toMatchObject([{ ok: false, code: "unknown" }]);
    expect(await text(host, "a.txt")).toBe("one");
  });

  it("runs nothing for a call that is refused or approved without a question [E2.preview]", async () => {
    const main = `export async function run(args, { workspace }) { console.log("ran"); await workspace.write("x.txt", "x"); }`;
    const types: string[] = [];
    await using host = await recordingHost(main, { config, events: { publish: ({ type }) => types.push(type) } });
    const ran: string[] = [];
    const onLog = (_level: string, line: string): void => void ran.push(line);
    expect(await host.host.call("demo.run", {}, { unattended: "refuse", onLog })).toMatchObject({ error: { code: "user_denied" } });
    expect(ran).toEqual([]);

    const session = host.host.session();
    const first = host.host.call("demo.run", {}, { session, onLog, confirm: () => new Promise(() => {}) });
    await expect.poll(() => host.host.confirmations.list()).toHaveLength(1);
    const [{ request } = { request: { requestId: "", hash: "" } }] = host.host.confirmations.list();
    host.host.confirmations.answer(request.requestId, { approve: true, hash: request.hash, scope: "session" });
    expect(await first).toMatchObject({ ok: true });
    const confirm = (): never => expect.unreachable();
    expect(await host.host.call("demo.run", {}, { session, onLog, confirm })).toMatchObject({ ok: true, filesModified: ["x.txt"] });
    expect(ran).toEqual(["ran", "ran"]);
    expect(types.filter((type) => type === "tool.committed")).toHaveLength(1);
  });

  it("skips a call that it cannot preview: it runs once confirmed [E2.preview]", async () => {
    const main = `export function run({ n }) { if (globalThis.x === undefined && n) throw new Error("x"); return 1; }`;
    await using host = await recordingHost(main, { config });
    const asked: ConfirmationRequest[] = [];
    const confirm = async (request: ConfirmationRequest): Promise<boolean> => (asked.push(request), true);
    expect(await host.host.call("demo.run", { n: 1 }, { confirm })).toMatchObject({ ok: false, error: { code: "tool_failed" } });
    expect(asked).toHaveLength(1);
    expect(asked[0]).not.toHaveProperty("preview");
  });

  it("is held for eight confirmations at once; failed and answered ones hold nothing [E2.preview, E8.bounded]", async () => {
    const main = `export async function run({ fail }, { workspace }) { if (fail) throw new Error("x"); await workspace.write("x.txt", "x"); }`;
    await using host = await recordingHost(main, { config });
    const session = host.host.session({ concurrency: 20 });
    const round = async (answer: Promise<boolean>, args: object[]): Promise<boolean[]> => {
      const seen: boolean[] = [];
      const confirm = (request: ConfirmationRequest): Promise<boolean> => (seen.push(request.preview !== undefined), answer);
      const calls = args.map((one) => host.host.call("demo.run", { ...one }, { session, confirm }));
      await expect.poll(() => seen.length, { timeout: 30_000 }).toBe(args.length);
      if (answer === never) answerNever(false);
      await Promise.all(calls);
      return seen;
    };
    let answerNever = (_answer: boolean): void => {};
    const never = new Promise<boolean>((resolve) => (answerNever = resolve));
    const nine = Array.from({ length: 9 }, () => ({}));
    expect(
      await round(
        Promise.resolve(false),
        [...nine, ...nine].map(() => ({ fail: true })),
      ),
    ).not.toContain(true);
    const seen = await round(never, nine);
    expect(seen.filter((hasPreview) => hasPreview)).toHaveLength(8);
    expect(await round(Promise.resolve(false), [{}])).toEqual([true]);
  });
});
