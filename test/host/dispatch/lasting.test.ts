import { spawn } from "node:child_process";
import { mkdir, mkdtempDisposable, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createHost, type Host, type HostOptions, type ToolResult } from "../../../host/mod.ts";
import { createLastingQuotas, type LastingQuotas } from "../../../host/dispatch/lasting-quotas.ts";
import { createLastingResults } from "../../../host/dispatch/results/lasting-results.ts";
import { createSealedStore, type SealedStore } from "../../../host/primitives/state/sealed-store.ts";
import { createQuotas } from "../../../host/policy/quotas/quotas.ts";
import { REPOSITORY } from "../../../scripts/run-command.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";

const SILENT = { write() {}, child: () => SILENT };
const never = (message: string): void => expect.unreachable(message);

/** Writes a project whose tool may be called twice an hour, and asks before it changes something. */
async function project(folder: string): Promise<(options?: HostOptions) => Promise<Host>> {
  const tools = ["counted", "changes"].map((name) => ({
    name,
    description: "Echoes",
    inputSchema: { type: "object" },
    sideEffects: ["write"],
  }));
  const manifest = { schemaVersion: "1.0", name: "echo", version: "1.0.0", description: "Echoes", tools };
  const rules = [
    { pattern: "echo.counted", confirm: "auto", quota: { per: "tool", windowMs: 3_600_000, calls: 2 } },
    { pattern: "echo.changes", confirm: "prompt" },
  ];
  await mkdir(join(folder, "plugins/echo"), { recursive: true });
  await writeFile(join(folder, "bascule.json"), JSON.stringify({ plugins: ["plugins"], policy: { rules } }));
  await writeFile(join(folder, "plugins/echo/manifest.json"), JSON.stringify(manifest));
  await writeFile(join(folder, "plugins/echo/main.ts"), "export const counted = (args) => args; export const changes = (args) => args;");
  return (options) => createHost({ config: join(folder, "bascule.json"), logger: SILENT, ...options });
}

const codeOf = (result: ToolResult): unknown => (result.ok ? "ok" : result.error.code);

/** Runs a program with a host in a process of its own, and kills it when it has printed a line. */
async function killed(folder: string, body: string): Promise<void> {
  const file = join(folder, "program.ts");
  const source = `
    import { createHost } from ${JSON.stringify(join(REPOSITORY, "host/mod.ts"))};
    const silent = { write() {}, child: () => silent };
    const host = await createHost({ config: ${JSON.stringify(join(folder, "bascule.json"))}, logger: silent });
    ${body}
    process.stdout.write("done\\n");
    setInterval(() => {}, 1_000);`;
  await writeFile(file, source);
  const [command, ...first] = "Deno" in globalThis ? ["deno", "run", "-A", `--config=${REPOSITORY}deno.json`] : ["node"];
  const program = spawn(command ?? "", [...first, file], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let [said, complained] = ["", ""];
  program.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  program.stderr.setEncoding("utf8").on("data", (text: string) => (complained += text));
  await expect.poll(() => said !== "" || program.exitCode !== null, { timeout: 60_000 }).toBe(true);
  program.kill("SIGKILL");
  await expect.poll(() => program.exitCode ?? program.signalCode, { timeout: 60_000 }).not.toBeNull();
  expect([said, complained]).toEqual(["done\n", ""]);
}

describe("a host that is killed", { timeout: 100_000 }, () => {
  it("leaves the use of quotas to the next one [FR3.quotas]", async () => {
    await using place = await mkdtempDisposable(join(tmpdir(), "bascule-lasting-"));
    const folder = await realpath(place.path);
    const open = await project(folder);
    const twice = `await host.call("echo.counted"); await host.call("echo.counted"); await new Promise((resolve) => setTimeout(resolve, 500));`;
    await killed(folder, twice);
    await using next = await open();
    expect(codeOf(await next.call("echo.counted"))).toBe("resource_exhausted");
    expect(next.why("echo.counted")?.quotas).toMatchObject([{ used: 2, left: 0 }]);
  });

  it("leaves the result of a call that may have changed something, however soon it is killed [FR2.once]", async () => {
    await using place = await mkdtempDisposable(join(tmpdir(), "bascule-lasting-"));
    const folder = await realpath(place.path);
    const open = await project(folder);
    await killed(
      folder,
      `const { writeSync } = await import("node:fs");
       await host.call("echo.counted", { text: "once" }, { session: host.session({ owner: "ada" }), callId: "once" });
       writeSync(1, "done\\n");
       process.kill(process.pid, "SIGKILL");`,
    );
    await using next = await open();
    const again = await next.call("echo.counted", { text: "once" }, { session: next.session({ owner: "ada" }), callId: "once" });
    expect(again).toMatchObject({ ok: true, output: { text: "once" }, callId: "once" });
    const events = (await next.audit.search({ callId: "once" })).map(({ event }) => event["type"]);
    expect(events.filter((type) => type === "tool.called")).toEqual(["tool.called"]);
  });

  it("leaves approvals for a session to the same session of the same caller only, and results to their callers [FR3.approvals] [FR3.results]", async () => {
    await using place = await mkdtempDisposable(join(tmpdir(), "bascule-lasting-"));
    const folder = await realpath(place.path);
    const open = await project(folder);
    await killed(
      folder,
      `const session = host.session({ id: "s", owner: "ada" });
       const pending = await host.call("echo.changes", { text: "kept" }, { session, callId: "released" });
       const [{ request }] = host.confirmations.list();
       host.confirmations.answer(request.requestId, { approve: true, hash: request.hash, scope: "session" });
       while (host.result("released").status !== "success") await new Promise((resolve) => setTimeout(resolve, 10));
       await host.call("echo.counted", { text: "named" }, { session, callId: "named" });
       await new Promise((resolve) => setTimeout(resolve, 500));`,
    );
    await using next = await open();
    // Repeats return the result, for the same caller only.
    const released = (owner: string): Promise<ToolResult> =>
      next.call("echo.changes", { text: "kept" }, { session: next.session({ owner }), callId: "released", unattended: "refuse" });
    expect(await released("ada")).toMatchObject({ ok: true, output: { text: "kept" }, callId: "released" });
    expect(await released("bob")).toMatchObject({ error: { code: "invalid_args" } });
    expect(next.result("named")).toMatchObject({ ok: true, output: { text: "named" } });
    const changes = async (session: { readonly id: string; readonly owner: string; readonly role?: string }): Promise<unknown> =>
      codeOf(await next.call("echo.changes", {}, { session: next.session(session) }));
    expect(await changes({ id: "s", owner: "bob" })).toBe("approval_required");
    expect(await changes({ id: "t", owner: "ada" })).toBe("approval_required");
    expect(await changes({ id: "s", owner: "ada", role: "other" })).toBe("approval_required");
    expect(await changes({ id: "s", owner: "ada" })).toBe("ok");
    // A session that has ended leaves none.
    const session = next.session({ id: "s", owner: "ada" });
    await next.endSession(session);
    expect(await changes({ id: "s", owner: "ada" })).toBe("approval_required");
  });
});

describe("a damaged file of an earlier host", { timeout: 60_000 }, () => {
  it("is named in the log, and hinders neither the rest nor any call [FR5.damaged]", async () => {
    await using place = await mkdtempDisposable(join(tmpdir(), "bascule-lasting-"));
    const folder = await realpath(place.path);
    const open = await project(folder);
    const first = await open();
    await first.call("echo.counted", { n: 1 }, { callId: "kept" });
    await first.close();
    const damaged = join(folder, ".bascule/waiting/0-damaged.db");
    await writeFile(damaged, "this is not a database ".repeat(500));
    const said: string[] = [];
    const logger = { write: (_level: unknown, message: string) => void said.push(message), child: () => logger };
    await using next = await open({ logger });
    expect(said.filter((message) => message.includes("earlier host"))).toEqual([expect.stringContaining(damaged)]);
    expect(next.result("kept")).toMatchObject({ output: { n: 1 } });
    expect(codeOf(await next.call("echo.counted", {}, { callId: "new" }))).toBe("ok");
    expect(codeOf(await next.call("echo.counted"))).toBe("resource_exhausted");
  });
});

/** A project in memory, with one store after the other. */
function memory(): { readonly platform: ReturnType<typeof memoryPlatform>; open(): Promise<SealedStore> } {
  const platform = memoryPlatform();
  const { states, files, random } = platform;
  return {
    platform,
    async open() {
      const store = createSealedStore({ states, files, folder: "/kept", keyFile: "/key", newId: random.uuidv7, onDefect: never });
      await store.takeOver();
      return store;
    },
  };
}

describe("createLastingQuotas()", () => {
  it("adds the use of hosts that ran together, until its window is over [FR3.quotas] [FR4.bounds]", async () => {
    const { platform, open } = memory();
    const { clock, random } = platform;
    const key = JSON.stringify(["tool", "t", "calls", 3_200]);
    const openIn = (store: SealedStore): { readonly quotas: ReturnType<typeof createQuotas>; readonly lasting: LastingQuotas } => {
      const lasting = createLastingQuotas({ store: store.space("quota"), newId: random.uuidv7, clock, onDefect: never });
      const quotas = createQuotas(clock.monotonic, lasting.note);
      lasting.open(quotas);
      return { quotas, lasting };
    };
    const usedIn = ({ quotas }: ReturnType<typeof openIn>, name = key): number =>
      (quotas.useOf(name)?.amounts ?? []).reduce((sum, { amount }) => sum + amount, 0);
    const beside = [await open(), await open()];
    for (const store of beside) {
      const { quotas, lasting } = openIn(store);
      quotas.restore({ key, windowMs: 3_200, amounts: [{ amount: 2, ageMs: 0 }] });
      lasting.note(key);
      // Kept within 100 ms.
      platform.advance(100);
    }
    for (const store of beside) store.close();
    const [second, third] = [await open(), await open()];
    expect(usedIn(openIn(second))).toBe(4);
    // One row for the window from now on, and the hosts that still run keep theirs.
    expect([second, third].map((store) => store.space("quota").list().length)).toEqual([1, 0]);
    second.close();
    platform.advance(3_300);
    const last = await open();
    expect(usedIn(openIn(last))).toBe(0);
    expect(last.space("quota").list()).toEqual([]);
  });

  it("keeps a bounded number of windows, the latest used [FR4.bounds]", async () => {
    const { platform, open } = memory();
    const { clock, random } = platform;
    const store = await open();
    const lasting = createLastingQuotas({ store: store.space("quota"), newId: random.uuidv7, clock, onDefect: never });
    const quotas = createQuotas(clock.monotonic, lasting.note);
    lasting.open(quotas);
    for (let index = 0; index < 1_100; index++) {
      const key = JSON.stringify(["session", `s${index}`, "calls", 3_200]);
      quotas.restore({ key, windowMs: 3_200, amounts: [{ amount: 1, ageMs: 0 }] });
      lasting.note(key);
    }
    lasting.close();
    const rows = store.space("quota").list();
    expect(rows).toHaveLength(1_000);
    expect(rows.at(-1)?.id).toContain("s1099");
  });
});

describe("createLastingResults()", () => {
  it("keeps the last of each caller within bounds, for a day, and says that a large one has ended [FR3.results] [FR4.bounds]", async () => {
    const { platform, open } = memory();
    const { clock, slices } = platform;
    const resultOf = (callId: string, output: string): ToolResult => ({
      ...{ ok: true, status: "success", callId, tool: "t", arguments: {}, output, requiresApproval: false, content: [], sideEffects: [] },
      ...{ filesModified: [], durationMs: 1, limitsUsed: { wallMs: 1 }, metadata: {} },
    });
    const first = await open();
    const keeping = createLastingResults({ store: first.space("result"), clock, slices, onDefect: never });
    keeping.keep({ result: resultOf("ada", "ada's"), owner: "ada", key: "k" });
    for (let index = 0; index < 4_200; index++) keeping.keep({ result: resultOf(`bob ${index}`, "bob's"), owner: "bob" });
    keeping.keepSoon({ result: resultOf("soon", "x".repeat(100_000)) });
    keeping.close();
    // In its own process a repeat is decided without the store.
    expect(keeping.find("ada")).toBeUndefined();
    first.close();
    const next = await open();
    const kept = createLastingResults({ store: next.space("result"), clock, slices, onDefect: never });
    kept.open();
    // Bob's flood displaces his own results only.
    expect(next.space("result").list()).toHaveLength(4_000);
    expect(kept.find("ada")).toMatchObject({ result: { output: "ada's" }, owner: "ada", key: "k" });
    expect([kept.find("bob 0"), kept.find("unknown")]).toEqual([undefined, undefined]);
    expect(kept.find("bob 4199")).toMatchObject({ result: { output: "bob's" }, owner: "bob" });
    expect(kept.find("soon")?.result).toMatchObject({ error: { code: "unavailable", message: expect.stringContaining("too large") } });
    next.close();
    const late = await open();
    const tomorrow = { ...clock, now: () => clock.now() + 25 * 3_600_000 };
    const old = createLastingResults({ store: late.space("result"), clock: tomorrow, slices, onDefect: never });
    old.open();
    expect(old.find("ada")).toBeUndefined();
    await expect.poll(() => late.space("result").list()).toEqual([]);
  });
});
