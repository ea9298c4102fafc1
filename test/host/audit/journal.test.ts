import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { HostEvent } from "../../../host/audit/events.ts";
import type { JournalWritten } from "../../../host/audit/journal-writer.ts";
import { createJournal, type EventStore, type JournalOptions, type JournalWriter } from "../../../host/audit/journal.ts";
import { toEventText } from "../../../host/audit/event-text.ts";
import { type EventFilter, type KeptEvent, type SearchFound, searchJournal, searchStep } from "../../../host/audit/search.ts";
import { JournalError, type Journals } from "../../../host/platform/files/journal-types.ts";
import { journalWriter, retainBy } from "../../../host/host/open-events.ts";
import { readJournal, verifyJournal } from "../../../host/audit/verify.ts";
import { createHost, type Host, type HostOptions, type Log } from "../../../host/mod.ts";
import type { Platform } from "../../../host/platform/platform.ts";
import { createService, type Service } from "../../../host/primitives/service/service.ts";
import { currentPlatform } from "../../../host/platform/mod.ts";
import { createMemoryPlatform } from "../../../host/platform/memory/memory.ts";
import { hostTool } from "../../support/tools.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import "../../support/seed.ts";

const SILENT: Log = { write: () => {}, child: () => SILENT };
const { journals, files, clock } = currentPlatform({ log: { level: "error" } });
const TOOLS = [hostTool("look", { sideEffects: ["read"] }), hostTool("put", { sideEffects: ["write"] })];
const CONFIG = { confirmation: { default: { write: "auto" } }, policy: { rules: [{ tool: "look", allow: true }] } };

async function projectFolder(config: object = CONFIG): Promise<string> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "bascule.json"), JSON.stringify(config));
  return folder;
}

async function open(folder: string, options: HostOptions = {}): Promise<Host> {
  const host = await createHost({ config: join(folder, "bascule.json"), tools: TOOLS, logger: SILENT, ...options });
  onTestFinished(() => host.close());
  return host;
}

const place = (folder: string): Parameters<typeof verifyJournal>[0] => ({ journals, files, folder: join(folder, ".bascule/audit") });

const event = (number: number, more: object = {}): HostEvent =>
  ({ id: `e${number}`, type: "plugin.loaded", time: number, producer: "bascule", payload: { number }, ...more }) as never;

type World = Pick<Platform, "journals" | "files" | "guarded" | "clock">;

function serviceOn(env: World): Service {
  return createService({ threads: undefined, environment: env, onDefect: (message) => expect.unreachable(message) });
}

/** Each writer has its own files, as in another process. */
function writerIn(folder: string, env: World = currentPlatform()): JournalWriter {
  return journalWriter(serviceOn(env), folder);
}

const retain = retainBy(serviceOn(currentPlatform()));

async function journalIn(folder: string, options: Partial<JournalOptions> = {}): Promise<EventStore> {
  const onDefect = (message: string, error?: unknown): void => expect.unreachable(`${message} ${String(error)}`);
  const store = createJournal({ writer: writerIn(folder), retain, clock, folder, onDefect, ...options });
  await store.prepare();
  return store;
}

async function texts(folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { text } of readJournal({ journals, files, folder })) found.push(text);
  return found;
}

/** Changes the file without the journal. */
function tamper(folder: string, sql: string, ...values: (string | number)[]): void {
  const database = new DatabaseSync(join(folder, "000000000001.db"));
  database.prepare(sql).run(...values);
  database.close();
}

describe("the audit journal of a host", () => {
  it("keeps the outcome of every call, and can be searched and read back [AU3] [AU2]", async () => {
    const folder = await projectFolder({ ...CONFIG, policy: { rules: [{ tool: "echo", allow: false }] } });
    const host = await open(folder);
    const { callId } = await host.call("put");
    await host.call("echo", { text: "no" });
    await host.call("look", { wrong: 1 });
    await host.audit.flush();
    const types = (await host.audit.search()).map(({ event: { type } }) => type);
    expect(types).toEqual(["session.opened", "tool.called", "tool.completed", "tool.denied", ...types.slice(4)]);
    expect(types.slice(4).at(-1)).toMatch(/^tool\.(?:completed|input_invalid)$/);
    expect((await host.audit.search({ callId })).map(({ number, event: { type } }) => [number, type])).toEqual([
      [2, "tool.called"],
      [3, "tool.completed"],
    ]);
    expect(await host.audit.search({ type: "tool.denied", text: "DISABLED BY" })).toHaveLength(1);
    expect(await host.audit.search({ tool: "put" }, 1)).toMatchObject([{ event: { type: "tool.completed" } }]);
    expect(await host.audit.search({ since: Date.now() + 60_000 })).toEqual([]);
    expect(await host.audit.verify()).toMatchObject({ ok: true, rows: types.length, first: 1, problems: [] });
    expect((await stat(join(folder, ".bascule/audit/000000000001.db"))).mode & 0o777).toBe(0o600);
  });

  it("continues the last host's journal, and leaves no files if no events were kept [AU3]", async () => {
    const folder = await projectFolder();
    await (await open(folder)).close();
    expect(await readdir(folder)).not.toContain(".bascule");
    for (let start = 0; start < 2; start++) {
      const host = await open(folder);
      await host.call("put");
      await host.close();
    }
    expect(await verifyJournal(place(folder))).toMatchObject({ ok: true, rows: 8 });
  });

  it("is disabled by the project or the program, and can be replaced by another store [AU3.store]", async () => {
    const folder = await projectFolder({ ...CONFIG, audit: { store: false } });
    await (await open(folder)).call("put");
    const said: string[] = [];
    const store: EventStore = {
      prepare: async () => void said.push("prepare"),
      append: ({ type }) => void said.push(type),
      flush: async () => {},
      close: async () => void said.push("close"),
    };
    const host = await open(await projectFolder(), { events: { store, publish: ({ type }) => void said.push(`published ${type}`) } });
    said.length = 0;
    await host.call("put");
    await host.close();
    expect(said).toEqual([
      "prepare",
      ...["tool.called", "tool.completed", "session.closed"].flatMap((type) => [type, `published ${type}`]),
      "close",
    ]);
    expect(await readdir(folder)).not.toContain(".bascule");
  });

  it("redacts the fields that the project names, in events and results [AU4.fields]", async () => {
    const folder = await projectFolder({ ...CONFIG, audit: { redact: ["Password"] } });
    const host = await open(folder, { tools: [hostTool("login", { sideEffects: ["write"], inputSchema: { type: "object" } })] });
    const result = await host.call("login", { user: { password: "hunter2", name: "a" } });
    expect(result.arguments).toEqual({ user: { password: "[redacted]", name: "a" } });
    await host.audit.flush();
    expect(JSON.stringify(await host.audit.search())).not.toContain("hunter2");
    expect(await host.audit.search({ text: "[redacted]", type: "tool.called" })).toHaveLength(1);
  });

  it("keeps acknowledged rows when the process is killed [AU3.kill]", async () => {
    const folder = await projectFolder();
    const script = fileURLToPath(new URL("../../support/audit-writer.ts", import.meta.url));
    const child = spawn(process.execPath, [...("Deno" in globalThis ? ["run", "-A"] : []), script, folder], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    let said = "";
    child.stdout.setEncoding("utf8");
    await new Promise<void>((resolve) => {
      child.stdout.on("data", (text: string) => {
        said += text;
        if (said.split("\n").length > 30) resolve();
      });
    });
    child.kill("SIGKILL");
    await once(child, "exit");
    const answered = said.split("\n").slice(0, -1);
    const kept = (await texts(join(folder, ".bascule/audit"))).map((text) => JSON.parse(text) as { type: string; callId: string });
    const completed = new Set(kept.filter(({ type }) => type === "tool.completed").map(({ callId }) => callId));
    expect(answered.filter((line) => !line.endsWith(" true") || !completed.has(line.slice(0, -" true".length)))).toEqual([]);
    expect(await verifyJournal(place(folder))).toMatchObject({ ok: true });
  });

  it("rebuilds the history of a session [AU5]", async () => {
    const folder = await projectFolder({ ...CONFIG, policy: { rules: [{ tool: "echo", allow: false }] } });
    const host = await open(folder);
    const session = host.session({ role: "guest" });
    const calls = [
      await host.call("put", {}, { session }),
      await host.call("echo", { text: "x" }, { session }),
      await host.call("nothing", {}, { session }),
    ];
    await host.call("put");
    await host.audit.flush();
    expect(await host.audit.session(session.id)).toMatchObject({
      sessionId: session.id,
      role: "guest",
      workspace: session.workspace,
      calls: [
        { callId: calls[0]?.callId, tool: "put", status: "completed" },
        { callId: calls[1]?.callId, tool: "echo", status: "denied", code: "permission_denied" },
        { callId: calls[2]?.callId, tool: "nothing", status: "failed", code: "tool_not_found" },
      ],
    });
  });
});

describe("verifyJournal()", () => {
  async function written(count: number): Promise<string> {
    const folder = await temporaryFolder();
    const store = await journalIn(folder);
    for (let number = 1; number <= count; number++) void store.append(event(number));
    await store.close();
    return folder;
  }
  const problems = async (folder: string, head?: string): Promise<readonly string[]> =>
    (await verifyJournal({ journals, files, folder }, head === undefined ? {} : { seal: head })).problems;

  it.each<[what: string, sql: string, values: (string | number)[], problem: string]>([
    ["a changed text", "UPDATE rows SET text = replace(text, '17', '71') WHERE number = 17", [], "row 17 does not match its seal"],
    ["a changed seal", "UPDATE rows SET seal = ? WHERE number = 17", ["0".repeat(64)], "row 17 does not match its seal"],
    ["a removed row", "DELETE FROM rows WHERE number = 17", [], "row 18 follows row 16"],
    ["a removed first row", "DELETE FROM rows WHERE number = 1", [], "row 2 follows row 0"],
    ["a truncated end", "DELETE FROM rows WHERE number > 17", [], "row 30 was written and is missing"],
    ["an empty table", "DELETE FROM rows", [], "row 30 was written and is missing"],
    [
      "two swapped rows",
      "UPDATE rows SET number = CASE number WHEN 16 THEN -17 WHEN 17 THEN -16 END WHERE number IN (16, 17)",
      [],
      "row -17",
    ],
    ["an inserted row", "INSERT INTO rows (number, seal, text) VALUES (31, ?, '{}')", ["1".repeat(64)], "row 31 does not match its seal"],
  ])("finds %s [AU3.verify]", async (_what, sql, values, problem) => {
    const folder = await written(30);
    expect(await problems(folder)).toEqual([]);
    tamper(folder, sql, ...values);
    expect(await problems(folder)).toEqual([expect.stringContaining(problem)]);
  });

  it("detects any changed character in any row [AU3.verify]", async () => {
    const folder = await written(200);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 200 }), fc.nat(), async (number, at) => {
        const database = new DatabaseSync(join(folder, "000000000001.db"));
        const { text } = database.prepare("SELECT text FROM rows WHERE number = ?").get(number) as { text: string };
        const index = at % text.length;
        const change = database.prepare("UPDATE rows SET text = ? WHERE number = ?");
        change.run(text.slice(0, index) + String.fromCharCode(text.charCodeAt(index) ^ 1) + text.slice(index + 1), number);
        expect(await problems(folder)).toEqual([expect.stringContaining(`row ${number} does not match its seal`)]);
        change.run(text, number);
        database.close();
      }),
      { numRuns: 40 },
    );
    expect(await problems(folder)).toEqual([]);
  });

  it("detects a rewritten journal, given the seal of its newest row [AU3.head]", async () => {
    const folder = await written(5);
    const { head } = await verifyJournal({ journals, files, folder });
    expect(await problems(folder, head?.seal)).toEqual([]);
    expect(await problems(await written(4), head?.seal)).toEqual(["no row has the expected seal: the journal was truncated or rewritten"]);
  });

  it("names a file that is not a journal [AU3.verify]", async () => {
    const folder = await written(5);
    await writeFile(join(folder, "000000000001.db"), "x".repeat(8_192));
    expect(await problems(folder)).toEqual([expect.stringContaining("cannot be read")]);
  });
});

describe("createJournal()", () => {
  it("continues a full file in a new one with the same chain, and removes the oldest [AU3.files]", async () => {
    const folder = await temporaryFolder();
    const store = await journalIn(folder, { maximumFileBytes: 2_000, maximumFiles: 3 });
    for (let number = 1; number <= 200; number++) {
      void store.append(event(number));
      await store.flush();
    }
    await store.close();
    await expect.poll(async () => (await readdir(folder)).filter((name) => name.endsWith(".db")).length).toBe(3);
    const report = await verifyJournal({ journals, files, folder });
    expect(report).toMatchObject({ ok: true, problems: [] });
    expect(report.first).toBeGreaterThan(1);
    const kept = (await texts(folder))
      .filter((text) => !text.includes("journal."))
      .map((text) => (JSON.parse(text) as { time: number }).time);
    expect(kept).toEqual(Array.from({ length: kept.length }, (_, index) => 200 - kept.length + 1 + index));
    // The file in the middle is missing.
    const [, middle = ""] = (await readdir(folder)).filter((name) => name.endsWith(".db")).toSorted();
    await files.remove(join(folder, middle));
    expect((await verifyJournal({ journals, files, folder })).problems).toEqual([expect.stringContaining("rows are missing")]);
  });

  it("lets several hosts of a project append to one chain, also across files [AU3.together]", async () => {
    const folder = await temporaryFolder();
    const stores = await Promise.all(Array.from({ length: 3 }, () => journalIn(folder, { maximumFileBytes: 3_000, maximumFiles: 100 })));
    for (let number = 1; number <= 90; number++) {
      const store = stores[number % 3];
      void store?.append(event(number));
      if (number % 5 === 0) await store?.flush();
    }
    for (const store of stores) await store.close();
    expect(await verifyJournal({ journals, files, folder })).toMatchObject({ ok: true });
    const times = (await texts(folder))
      .filter((text) => !text.includes("journal."))
      .map((text) => (JSON.parse(text) as { time: number }).time);
    expect(times.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 90 }, (_, index) => index + 1));
  });

  it("omits the large parts of an event, and says so [AU3.bounds]", async () => {
    const folder = await temporaryFolder();
    const store = await journalIn(folder);
    void store.append(
      event(1, { type: "tool.completed", callId: "c", payload: { tool: "t", output: "x".repeat(1 << 20), durationMs: 1 } }),
    );
    void store.append(event(2, { payload: Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key${index}`, index])) }));
    await store.close();
    const [first = "", second = ""] = await texts(folder);
    expect(JSON.parse(first)).toMatchObject({
      callId: "c",
      payload: { tool: "t", output: { leftOut: true, characters: 1 << 20 }, durationMs: 1 },
    });
    expect(JSON.parse(second)).toMatchObject({ id: "e2", payload: { leftOut: true } });
  });

  it("keeps waiting rows while the file cannot be written, and reports the failure and the dropped rows once [AU3.full]", async () => {
    const platform = createMemoryPlatform();
    const defects: string[] = [];
    let isBroken = true;
    const store = createJournal({
      retain,
      clock: platform.clock,
      folder: "/workspace/.bascule/audit",
      onDefect: (message) => defects.push(message),
      writer: writerIn("/workspace/.bascule/audit", {
        ...platform,
        journals: {
          ...platform.journals,
          open(path, mode) {
            if (isBroken) throw new Error("disk full");
            return platform.journals.open(path, mode);
          },
        },
      }),
    });
    await store.prepare();
    for (let number = 1; number <= 10_003; number++) void store.append(event(number));
    await store.flush();
    expect(defects).toEqual(["The audit journal cannot be written; events wait, and calls that change something are refused"]);
    isBroken = false;
    await store.flush();
    const rows = platform.journals.open("/workspace/.bascule/audit/000000000001.db", "read").rows(0, 20_000);
    expect(rows).toHaveLength(10_001);
    expect(rows[0]?.text).toBe('{"type":"journal.dropped","events":3}');
    await store.close();
  });
});

describe("a call that changes something", () => {
  const FOLDER = "/workspace/.bascule/audit";

  /** Opens a host in memory with a journal that can be broken, and a list of its tools' effects. */
  async function breakable(): Promise<{
    readonly host: Host;
    readonly broken: { is: boolean };
    readonly done: string[];
    log: () => string[];
  }> {
    const platform = createMemoryPlatform({ files: { "/workspace/bascule.json": JSON.stringify(CONFIG) } });
    const broken = { is: false };
    const done: string[] = [];
    const journals: Journals = {
      ...platform.journals,
      open(path, mode) {
        const file = platform.journals.open(path, mode);
        return {
          ...file,
          append(make) {
            if (broken.is) throw new JournalError("disk full", false);
            file.append(make);
          },
        };
      },
    };
    const tools = [
      hostTool("put", { sideEffects: ["write"] }, () => void done.push("put")),
      hostTool("look", { sideEffects: ["read"] }, () => void done.push("look")),
    ];
    const host = await createHost({ platform: { ...platform, journals }, tools });
    onTestFinished(() => host.close());
    return {
      host,
      broken,
      done,
      log: () => platform.recorded.log.map(({ message }) => message).filter((message) => message.includes("audit")),
    };
  }

  it("is refused while the journal cannot be written, which is reported once, and runs when it can be written again [AU3.refused]", async () => {
    const { host, broken, done, log } = await breakable();
    expect(await host.call("put")).toMatchObject({ ok: true });
    broken.is = true;
    for (let time = 0; time < 2; time++) {
      expect(await host.call("put")).toMatchObject({
        ok: false,
        error: { code: "unavailable", message: expect.stringContaining("the audit journal cannot be written") as string },
      });
    }
    expect(await host.call("look")).toMatchObject({ ok: true });
    expect(done).toEqual(["put", "look"]);
    expect(log()).toEqual(["The audit journal cannot be written; events wait, and calls that change something are refused"]);
    broken.is = false;
    expect(await host.call("put")).toMatchObject({ ok: true });
    await host.audit.flush();
    const ends = await host.audit.search({ type: "tool", tool: "put" });
    expect(ends.map(({ event: { type } }) => type)).toEqual(
      ["completed", "failed", "failed", "completed"].flatMap((end) => ["tool.called", `tool.${end}`]),
    );
  });

  it("waits until its events are durable, before it acts and before its caller gets the result [AU3.before]", async () => {
    const platform = createMemoryPlatform();
    const written: string[] = [];
    /** Lets the next batch be written, in order. */
    const allow: (() => void)[] = [];
    const store = createJournal({
      ...{ retain, clock: platform.clock, folder: FOLDER, onDefect: (message) => expect.unreachable(message) },
      writer: {
        append: ({ texts }) => new Promise((resolve) => void allow.push(() => (written.push(...texts), resolve({ ok: true })))),
        close: () => Promise.resolve(),
      },
    });
    const prepared = store.prepare();
    allow[0]?.();
    await prepared;
    const durable = [1, 2, 3].map((number) =>
      store.append(event(number, { type: "tool.called", callId: `c${number}`, payload: { sideEffects: ["write"] } })),
    );
    const known: number[] = [];
    for (const [index, promise] of durable.entries()) void promise?.then(() => known.push(index));
    await Promise.resolve();
    expect([known, written]).toEqual([[], []]);
    allow[1]?.();
    await durable[0];
    // Rows that arrive meanwhile share the next commit.
    expect([known, written.length]).toEqual([[0], 1]);
    await expect.poll(() => allow.length).toBe(3);
    allow[2]?.();
    expect(await Promise.all(durable.map(async (written) => await written))).toEqual([true, true, true]);
    expect(written).toHaveLength(3);
    const passive = store.append(event(4, { type: "tool.called", callId: "c4", payload: { sideEffects: ["read"] } }));
    expect(passive).toBeUndefined();
  });

  it("retries for a call that came while an attempt failed, because the journal may be available again [AU3.required]", async () => {
    const failing = Promise.withResolvers<JournalWritten>();
    const outcomes: (JournalWritten | Promise<JournalWritten>)[] = [{ ok: true }, failing.promise];
    const store = createJournal({
      ...{ retain, clock, folder: FOLDER, onDefect: () => {} },
      writer: {
        append: async ({ texts }) => (texts.length === 0 ? { ok: true } : await (outcomes.pop() ?? expect.unreachable())),
        close: () => Promise.resolve(),
      },
    });
    await store.prepare();
    const add = (number: number): Promise<boolean> | undefined =>
      store.append(event(number, { type: "tool.called", callId: `c${number}`, payload: { sideEffects: ["write"] } }));
    const first = add(1);
    const second = add(2);
    failing.resolve({ ok: false, busy: false, message: "the disk is full" });
    expect([await first, await second, outcomes]).toEqual([false, true, []]);
  });

  /** A journal that writes nothing, and whether read-only calls have to wait for it. */
  async function fullJournal(): Promise<{
    open: (session: string, owner: string) => void;
    look: (plugin: string, session?: string) => boolean;
  }> {
    const platform = createMemoryPlatform();
    const store = createJournal({
      ...{ retain, clock: platform.clock, folder: FOLDER, onDefect: (message) => expect.unreachable(message) },
      writer: {
        append: ({ texts }) => (texts.length === 0 ? Promise.resolve({ ok: true }) : new Promise(() => {})),
        close: () => Promise.resolve(),
      },
    });
    await store.prepare();
    let number = 0;
    const of = (sessionId?: string): object => (sessionId === undefined ? {} : { sessionId });
    const payload = { sideEffects: ["read"], arguments: "x".repeat(60_000) };
    return {
      open: (session, owner) => void store.append(event(++number, { type: "session.opened", ...of(session), payload: { owner } })),
      look: (plugin, session) =>
        store.append(event(++number, { type: "tool.called", plugin, ...of(session), callId: `c${number}`, payload })) !== undefined,
    };
  }
  const passed = (count: number, held: number): readonly boolean[] => [
    ...Array.from({ length: count }, () => false),
    ...Array.from({ length: held }, () => true),
  ];

  it("holds back only the plugin whose rows fill the queue [LV3.journal]", async () => {
    const { look } = await fullJournal();
    expect(Array.from({ length: 37 }, () => look("greedy"))).toEqual(passed(34, 3));
    expect(look("modest")).toBe(false);
  });

  it("holds back only the token whose rows fill the queue, across its sessions and plugins [LV3.journal, LV3.token]", async () => {
    const { open, look } = await fullJournal();
    for (const session of ["one", "two"]) open(session, "evil");
    open("three", "other");
    expect(Array.from({ length: 20 }, (_, at) => look(`tool-${at}`, at % 2 === 0 ? "one" : "two"))).toEqual(passed(17, 3));
    expect(Array.from({ length: 10 }, () => look("tool-1", "three"))).toEqual(passed(10, 0));
    // A session without an owner is its own owner.
    expect(look("tool-1", "four")).toBe(false);
  });

  it("drops rows of the token that has most of them first, if the journal cannot be written [LV3.journal, LV3.token]", async () => {
    const texts: string[] = [];
    let isOut = true;
    const store = createJournal({
      ...{ retain, clock, folder: FOLDER, onDefect: () => {} },
      writer: {
        async append(batch) {
          if (batch.texts.length > 0 && isOut) return { ok: false, busy: false, message: "the disk is full" };
          texts.push(...batch.texts);
          return { ok: true };
        },
        close: () => Promise.resolve(),
      },
    });
    await store.prepare();
    let number = 0;
    const look = (plugin: string, sessionId: string): void =>
      void store.append(
        event(++number, { type: "tool.called", plugin, sessionId, callId: `c${number}`, payload: { sideEffects: ["read"] } }),
      );
    // The modest token calls one plugin only, which has more rows than each plugin of the other token.
    for (let at = 0; at < 100; at++) look("shared", "modest");
    for (let at = 0; at < 12_000; at++) look(at % 2 === 0 ? "shared" : `tool-${at}`, "evil");
    await store.flush();
    isOut = false;
    await store.close();
    const rows = texts.map((text) => JSON.parse(text) as { readonly sessionId?: string; readonly events?: number });
    expect(rows.filter(({ sessionId }) => sessionId === "modest")).toHaveLength(100);
    expect(rows.flatMap(({ events }) => events ?? [])).toEqual([2_100]);
  });

  it("neither loses nor duplicates a row when the service thread ends in the middle [AU3.thread]", async () => {
    const folder = await temporaryFolder();
    const inner = writerIn(folder);
    let lives = 0;
    const defects: string[] = [];
    const store = createJournal({
      ...{ retain, clock, folder, onDefect: (message) => void defects.push(message) },
      writer: {
        async append(batch) {
          const written = await inner.append(batch);
          // Every third batch is written without an acknowledgement.
          if (batch.texts.length > 0 && ++lives % 3 === 0) throw new Error("the thread ended");
          return written;
        },
        close: () => inner.close(),
      },
    });
    await store.prepare();
    for (let number = 1; number <= 30; number++) await store.append(event(number));
    await store.close();
    expect((await texts(folder)).map((text) => (JSON.parse(text) as { time: number }).time)).toEqual(
      Array.from({ length: 30 }, (_, index) => index + 1),
    );
    expect(new Set(defects)).toEqual(
      new Set(["The audit journal cannot be written; events wait, and calls that change something are refused"]),
    );
  });
});

describe("toEventText()", () => {
  it("reads no more of an event than it keeps [LV2.events]", () => {
    let looked = 0;
    const output = new Proxy(
      Array.from({ length: 1_000_000 }, () => "text"),
      {
        get(target, key, receiver) {
          looked += 1;
          return Reflect.get(target, key, receiver) as unknown;
        },
      },
    );
    const text = toEventText(event(1, { type: "tool.completed", payload: { tool: "t", output, durationMs: 1 } }));
    expect(JSON.parse(text)).toMatchObject({ payload: { tool: "t", output: { leftOut: true }, durationMs: 1 } });
    expect(looked).toBeLessThan(50_000);
  });
});

describe("searchJournal()", () => {
  /** Returns the answer of each step of a search. */
  async function stepsOf(
    texts: readonly string[],
    filter: EventFilter,
    limit: number,
  ): Promise<{ steps: SearchFound[]; found: readonly KeptEvent[] }> {
    const platform = createMemoryPlatform();
    const folder = "/workspace/audit";
    const store = createJournal({
      ...{
        retain: retainBy(serviceOn(platform)),
        clock: platform.clock,
        folder,
        onDefect: (message) => expect.unreachable(message),
        maximumFileBytes: 500_000,
        maximumFiles: 99,
      },
      writer: writerIn(folder, platform),
    });
    await store.prepare();
    for (const [index, text] of texts.entries()) {
      void store.append(event(index + 1, { payload: { text } }));
      if (index % 20 === 0) await store.flush();
    }
    await store.close();
    const steps: SearchFound[] = [];
    const found = await searchJournal(
      async (step) => {
        const answer = await searchStep(step, platform);
        steps.push(answer);
        return answer;
      },
      { folder, filter, limit },
    );
    return { steps, found };
  }

  it("runs in steps with small answers, from the newest row back, across all files [LV2.search] [AU3.search]", async () => {
    const { steps, found } = await stepsOf(
      Array.from({ length: 120 }, () => "x".repeat(10_000)),
      { text: "xxx" },
      100,
    );
    expect(Math.max(...steps.map(({ texts }) => texts.join("").length))).toBeLessThan(80_000);
    expect(found.map(({ event: { time } }) => time)).toEqual(Array.from({ length: 100 }, (_, index) => index + 21));
  });

  it("reads a bounded number of rows in each step, and no unneeded ones [LV2.search]", async () => {
    const texts = Array.from({ length: 4_000 }, () => "y");
    expect((await stepsOf(texts, { text: "not there" }, 10)).steps.length).toBeGreaterThanOrEqual(4);
    expect((await stepsOf(texts, {}, 10)).steps).toHaveLength(1);
  });
});
