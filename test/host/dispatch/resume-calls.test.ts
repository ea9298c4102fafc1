import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtempDisposable, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createHost, type Host, type HostOptions, type ToolResult } from "../../../host/mod.ts";
import { TERMINAL_EVENT_TYPES } from "../../../host/audit/events.ts";
import type { JsonObject } from "../../../manifests/mod.ts";
import type { WaitingCall } from "../../../host/effects/frozen/frozen-calls.ts";
import { REPOSITORY } from "../../../scripts/run-command.ts";

const PROGRAM = fileURLToPath(new URL("waiting-program.ts", import.meta.url));
const CALLS = 100;

interface Left {
  readonly waiting: readonly WaitingCall[];
  readonly pending: readonly { readonly requestId: string; readonly callId: string; readonly hash: string }[];
}

/** Reads the results in a host that has seen none of the calls. */
async function resultsOf(folder: string, calls: readonly WaitingCall[]): Promise<readonly unknown[]> {
  const [found] = await run("results", folder, 1);
  const byId = found as Readonly<Record<string, unknown>>;
  return calls.map(({ callId }) => byId[callId]);
}

interface Lost {
  /** Results of the callers that came back. */
  readonly again: readonly ToolResult[];
  readonly events: readonly (readonly JsonObject[])[];
}

/** Returns the error codes of the terminal events. */
function endsOf(events: readonly JsonObject[]): readonly unknown[] {
  const ends = events.filter(({ type }) => TERMINAL_EVENT_TYPES.some((one) => one === type));
  return ends.map(({ payload }) => (payload as JsonObject)["code"]);
}

/** Checks that the calls which could not be frozen ended once, and did not run again [FR2.lost]. */
function expectLost({ again, events }: Lost): void {
  expect(again).toMatchObject([
    { callId: "lost", error: { code: "lost", details: { mayHaveHappened: true, retryable: false } }, arguments: { id: "lost" } },
    { callId: "lost-idle", error: { code: "lost", details: { mayHaveHappened: false, retryable: true } } },
  ]);
  expect(events.map((own) => own.map(({ type }) => type))).toEqual([
    expect.arrayContaining(["tool.called", "tool.failed"]),
    ["tool.called", "tool.failed"],
  ]);
  expect(events.map(endsOf)).toEqual([["lost"], ["lost"]]);
}

/** Runs the program until it has printed `lines` lines, and kills it then unless it only reads. */
async function run(what: string, folder: string, lines: number): Promise<readonly unknown[]> {
  const [command, ...first] = "Deno" in globalThis ? ["deno", "run", "-A", `--config=${REPOSITORY}deno.json`] : ["node"];
  const program = spawn(command ?? "", [...first, PROGRAM, what, folder, String(CALLS)], {
    cwd: folder,
    env: { ...process.env, XDG_CONFIG_HOME: join(folder, "config") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [said, complained] = ["", ""];
  program.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  program.stderr.setEncoding("utf8").on("data", (text: string) => (complained += text));
  await expect.poll(() => said.split("\n").length > lines || program.exitCode !== null, { timeout: 100_000 }).toBe(true);
  if (what !== "results") program.kill("SIGKILL");
  await expect.poll(() => program.exitCode ?? program.signalCode, { timeout: 60_000 }).not.toBeNull();
  expect(complained).toBe("");
  return said.split("\n", lines).map((line): unknown => JSON.parse(line));
}

/** Returns the reason why each call waits, by its id. */
function waitsOf(waiting: readonly WaitingCall[]): ReadonlyMap<string, unknown> {
  return new Map(
    waiting.map(({ callId, tool, sessionId, owner, waitsFor, requestId, hasBegun }) => [
      callId,
      { tool, sessionId, owner, waitsFor, requestId, hasBegun },
    ]),
  );
}

const NAP = `export const nap = ({ ms }) => new Promise((resolve) => setTimeout(resolve, ms, "woke"));`;

/** Writes a project with a plugin that sleeps. */
async function napping(
  folder: string,
  source = NAP,
  permissions = {},
  changing: readonly string[] = [],
): Promise<(options?: HostOptions) => Promise<Host>> {
  const toolOf = (name: string, sideEffects: readonly string[]): object => ({
    ...{ name, description: "Sleeps", inputSchema: { type: "object" }, sideEffects, callers: ["direct", "chain"] },
  });
  const tools = [toolOf("nap", []), ...changing.map((name) => toolOf(name, ["write"]))];
  const manifest = { schemaVersion: "1.0", name: "rest", version: "1.0.0", description: "Sleeps", permissions, tools };
  await mkdir(join(folder, "plugins/rest"), { recursive: true });
  await writeFile(join(folder, "bascule.json"), '{ "plugins": ["plugins"] }');
  await writeFile(join(folder, "plugins/rest/manifest.json"), JSON.stringify(manifest));
  await writeFile(join(folder, "plugins/rest/main.ts"), source);
  return (options) => createHost({ config: join(folder, "bascule.json"), logger: SILENT, ...options });
}

const SILENT = { write() {}, child: () => SILENT };

/** Starts a call and closes its host once the call is frozen. */
async function leave(open: () => Promise<Host>, ms: number): Promise<ToolResult> {
  const host = await open();
  const call = host.call("nap", { ms }, { callId: "nap-1" });
  await expect.poll(() => host.waiting().length, { timeout: 20_000 }).toBe(1);
  await host.close();
  return await call;
}

describe("a host that closes while a call waits", { timeout: 60_000 }, () => {
  it("leaves it to the next one, where its caller gets the result by its id [FR2.closed]", async () => {
    await using place = await mkdtempDisposable(join(tmpdir(), "bascule-waiting-"));
    const open = await napping(await realpath(place.path));
    expect(await leave(open, 2_000)).toMatchObject({ ok: false, error: { code: "unavailable", details: { waiting: true } } });
    await using next = await open();
    const again = next.call("nap", { ms: 2_000 }, { callId: "nap-1" });
    // Another call cannot take its id.
    expect(await next.call("nap", { ms: 1 }, { callId: "nap-1" })).toMatchObject({ ok: false, error: { code: "invalid_args" } });
    expect(await again).toMatchObject({ ok: true, output: "woke", callId: "nap-1" });
    expect([next.waiting(), next.result("nap-1")]).toMatchObject([[], { output: "woke" }]);
  });

  it("is followed by one in which it goes on in the version that it began in, if that is kept [FR2.version]", async () => {
    await using place = await mkdtempDisposable(join(tmpdir(), "bascule-waiting-"));
    const folder = await realpath(place.path);
    await leave(await napping(folder), 1_500);
    const open = await napping(folder, NAP.replace("woke", "rose"));
    await using next = await open();
    const digest = (result: ToolResult | undefined): unknown => result?.digest;
    const fresh = await next.call("nap", { ms: 1 });
    expect(fresh).toMatchObject({ ok: true, output: "rose" });
    await expect.poll(() => next.result("nap-1"), { timeout: 20_000 }).toMatchObject({ ok: true, output: "woke" });
    expect(digest(next.result("nap-1"))).not.toBe(digest(fresh));
    // The version is used for this call only.
    expect(await next.call("nap", { ms: 1 })).toMatchObject({ output: "rose", digest: digest(fresh) });
  });

  it("has a user answer for a call of an earlier version, as policy decides now [FR2.version]", async () => {
    await using place = await mkdtempDisposable(join(tmpdir(), "bascule-waiting-"));
    const folder = await realpath(place.path);
    const asks = (text: string): string =>
      `export const nap = async () => [${JSON.stringify(text)}, (await Deno.permissions.request({ name: "env", variable: "SECRET" })).state];`;
    const first = await (await napping(folder, asks("first"), { env: ["SECRET"] }))();
    const calls = ["kept", "denied"].map((callId) => first.call("nap", {}, { callId, confirm: () => new Promise(() => {}) }));
    await expect.poll(() => first.waiting().length, { timeout: 20_000 }).toBe(2);
    await first.close();
    await Promise.all(calls);
    await using next = await (await napping(folder, asks("second"), { env: ["SECRET"] }))();
    for (const { request } of next.confirmations.list())
      next.confirmations.answer(request.requestId, { approve: request.callId === "kept", hash: request.hash });
    await expect.poll(() => next.result("kept"), { timeout: 20_000 }).toMatchObject({ output: ["first", "granted"] });
    await expect.poll(() => next.result("denied"), { timeout: 20_000 }).toMatchObject({ output: ["first", "denied"] });
  });

  it("keeps no call whose step waits for the user: both are lost if it is killed [FR1.steps]", async () => {
    await using place = await mkdtempDisposable(join(tmpdir(), "bascule-waiting-"));
    const folder = await realpath(place.path);
    const source = `export const nap = ({ ms }, { tools }) => ms ? new Promise((resolve) => setTimeout(resolve, ms)) : tools.call("changes", {});
      export const changes = () => "changed";`;
    const permissions = { tools: ["rest.changes"] };
    await using host = await (await napping(folder, source, permissions, ["changes"]))({ grants: { rest: permissions } });
    const call = host.call("nap", {}, { confirm: () => new Promise(() => {}) });
    await expect.poll(() => host.confirmations.list().length, { timeout: 20_000 }).toBe(1);
    // A later call is frozen.
    const later = host.call("nap", { ms: 2_000 }, { callId: "later" });
    await expect.poll(() => host.waiting().map(({ callId }) => callId), { timeout: 20_000 }).toContain("later");
    expect(host.waiting()).toHaveLength(1);
    for (const { request } of host.confirmations.list())
      host.confirmations.answer(request.requestId, { approve: true, hash: request.hash });
    expect(await call).toMatchObject({ ok: true, output: "changed" });
    await later;
  });

  it("cannot be continued in another version of the plugin, which its result says [FR5.version]", async () => {
    await using place = await mkdtempDisposable(join(tmpdir(), "bascule-waiting-"));
    const folder = await realpath(place.path);
    await leave(await napping(folder), 1_500);
    await rm(join(folder, ".bascule/versions"), { recursive: true });
    const open = await napping(folder, NAP.replace("woke", "rose"));
    await using next = await open();
    await expect
      .poll(() => next.result("nap-1"), { timeout: 20_000 })
      .toMatchObject({
        error: { code: "unavailable", message: expect.stringContaining("another version"), details: { mayHaveHappened: true } },
      });
    expect(next.waiting()).toEqual([]);
  });
});

describe("a host that is killed while calls wait", { timeout: 200_000 }, () => {
  it("is followed by one in which each of them continues, and none does anything twice [FR2.killed] [FR2.once] [FR2.lost] [FR3.results]", async () => {
    await using place = await mkdtempDisposable(join(tmpdir(), "bascule-waiting-"));
    const folder = await realpath(place.path);
    const [before] = (await run("begin", folder, 1)) as [readonly WaitingCall[]];
    expect(before).toHaveLength(CALLS);
    const [left, results, lost] = (await run("go on", folder, 3)) as [Left, readonly ToolResult[], Lost];
    expect(waitsOf(left.waiting)).toEqual(waitsOf(before));
    const asked = before.filter(({ waitsFor }) => waitsFor === "confirmation");
    // The confirmation is there under its id.
    expect(new Set(left.pending.map(({ requestId }) => requestId))).toEqual(new Set(asked.map(({ requestId }) => requestId)));
    expect(results.flatMap((result) => (result.ok ? [] : [[result.callId, result.error]]))).toEqual([]);
    expect(new Map(results.map(({ callId, output, filesModified }) => [callId, { output, filesModified }]))).toEqual(
      new Map(before.map(({ callId }) => [callId, { output: callId, filesModified: [`effects/${callId}`] }])),
    );
    const effects = readdirSync(join(folder, "effects")).filter((name) => name !== "lost");
    expect(effects).toHaveLength(CALLS);
    const done = new Set(effects.map((name) => readFileSync(join(folder, "effects", name), "utf8")));
    expect(done).toEqual(new Set(["begun ended ", "begun granted ended "]));
    expectLost(lost);
    expect(readFileSync(join(folder, "effects", "lost"), "utf8")).toBe("begun ");
    // A later host continues nothing and ends no call again. It still has the results.
    const [empty, none, later] = (await run("go on", folder, 3)) as [Left, readonly ToolResult[], Lost];
    expect([empty, none]).toEqual([{ waiting: [], pending: [] }, []]);
    expect(later.events.map(endsOf)).toEqual([["lost"], ["lost"]]);
    expect(later).toEqual(lost);
    expect(await resultsOf(folder, left.waiting)).toEqual(results);
  });
});
