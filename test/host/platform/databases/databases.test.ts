import { mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encodeFrame, FrameReader } from "../../../../host/platform/databases/database-frames.ts";
import type { DatabaseAnswer } from "../../../../host/platform/databases/database-types.ts";
import { createDatabases } from "../../../../host/platform/databases/databases.ts";
import { createMemoryClock } from "../../../../host/platform/memory/memory-clock.ts";

let root = "";
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "bascule-databases-"));
});
afterAll(async () => await rm(root, { recursive: true, force: true }));

/** A process that answers when the test says so. */
class FakeProcess {
  readonly asked: string[] = [];
  killed = false;
  exit: (reason: string) => void = () => {};
  #data: (chunk: Uint8Array) => void = () => {};
  readonly #reader = new FrameReader(Infinity);
  send(pieces: readonly Uint8Array[]): void {
    for (const piece of pieces) for (const { body } of this.#reader.push(piece)) this.asked.push(new TextDecoder().decode(body));
  }
  onData(listener: (chunk: Uint8Array) => void): void {
    this.#data = listener;
  }
  onExit(listener: (reason: string) => void): void {
    this.exit = listener;
  }
  keepAlive(): void {}
  kill(): Promise<void> {
    this.killed = true;
    return Promise.resolve();
  }
  say(head: object, text = ""): void {
    for (const piece of encodeFrame(head, new TextEncoder().encode(text))) for (const byte of piece) this.#data(Uint8Array.of(byte));
  }
  sayRaw(bytes: Uint8Array): void {
    this.#data(bytes);
  }
}

function start(): {
  readonly processes: FakeProcess[];
  /** Lines of the host's log. */
  readonly logged: string[];
  readonly clock: ReturnType<typeof createMemoryClock>;
  readonly ask: (name: string, request: string | Uint8Array, signal?: AbortSignal) => Promise<string>;
  readonly release: () => Promise<void>;
} {
  const processes: FakeProcess[] = [];
  const logged: string[] = [];
  const clock = createMemoryClock(0);
  const databases = createDatabases({
    clock,
    log: { write: (level, message, fields) => void logged.push([level, message, ...Object.values(fields ?? {})].join(" ")) },
    start: () => {
      const made = new FakeProcess();
      processes.push(made);
      return made;
    },
  });
  const ask = async (name: string, request: string | Uint8Array, signal = new AbortController().signal): Promise<string> =>
    shown(
      await databases.run(join(root, name), {
        ...{ access: "write", quotaBytes: 1, answerBytes: 1_000, signal },
        body: typeof request === "string" ? new TextEncoder().encode(request) : request,
      }),
    );
  return { processes, logged, clock, ask, release: () => databases.release(root) };
}

function shown(answer: DatabaseAnswer): string {
  return answer.ok ? new TextDecoder().decode(answer.bytes) : `${answer.name}: ${answer.message}`;
}

const ABORTED = "AbortError: The call was cancelled, or has ended";

describe("createDatabases()", () => {
  it("gives each database a process of its own, and one request at a time [AX3.process]", async () => {
    const { processes, ask } = start();
    const answers = [ask("a", "1"), ask("b", "2")];
    await expect.poll(() => processes.flatMap(({ asked }) => asked).toSorted()).toEqual(["1", "2"]);
    answers.push(ask("a", "3"));
    const [a, b] = processes.toSorted((left, right) => Number(left.asked[0]) - Number(right.asked[0])) as [FakeProcess, FakeProcess];
    b.say({ ok: true }, "two");
    expect(await answers[1]).toBe("two");
    expect(a.asked).toEqual(["1"]);
    a.say({ ok: true }, "one");
    expect(await answers[0]).toBe("one");
    await expect.poll(() => a.asked).toEqual(["1", "3"]);
    a.say({ ok: false, name: "Busy", message: "later" });
    expect(await answers[2]).toBe("Busy: later");
  });

  it("kills the process of an ended call, and only drops what waits [AX3.deadline]", async () => {
    const { processes, ask } = start();
    const [first, second] = [new AbortController(), new AbortController()];
    const answers = [ask("a", "1", first.signal)];
    await expect.poll(() => processes[0]?.asked).toEqual(["1"]);
    answers.push(ask("a", "2", second.signal), ask("a", "3"));
    second.abort();
    expect([await answers[1], processes[0]?.killed]).toEqual([ABORTED, false]);
    first.abort();
    expect([await answers[0], processes[0]?.killed]).toEqual([ABORTED, true]);
    await expect.poll(() => processes[1]?.asked).toEqual(["3"]);
    processes[0]?.say({ ok: true }, "an answer that came too late");
    processes[1]?.say({ ok: true }, "three");
    expect(await answers[2]).toBe("three");
  });

  it("lets more databases than processes take turns [AX3.process]", async () => {
    const { processes, ask } = start();
    const names = Array.from({ length: 9 }, (_, index) => `p${index}`);
    const answers = names.map((name) => ask(name, name));
    await expect.poll(() => processes.length).toBe(8);
    await expect.poll(() => processes[0]?.asked.length).toBe(1);
    const again = ask(processes[0]?.asked[0] ?? "", "again");
    processes[0]?.say({ ok: true }, "done");
    // The first process ends although its plugin has another request.
    await expect.poll(() => processes.length).toBe(9);
    expect(processes[0]?.killed).toBe(true);
    for (let at = 1; at < 10; at++) {
      await expect.poll(() => processes[at]?.asked.length).toBe(1);
      processes[at]?.say({ ok: true }, "done");
    }
    expect(await Promise.all([...answers, again])).toEqual(Array.from({ length: 10 }, () => "done"));
  });

  it("wakes the next database if the one before it has given up waiting [AX3.process]", async () => {
    const { processes, ask } = start();
    const busy = Array.from({ length: 8 }, (_, index) => ask(`w${index}`, `w${index}`));
    await expect.poll(() => processes.filter(({ asked }) => asked.length === 1).length).toBe(8);
    const impatient = new AbortController();
    const [first, second] = [ask("impatient", "1", impatient.signal), ask("patient", "2")];
    impatient.abort();
    expect(await first).toBe(ABORTED);
    processes[0]?.say({ ok: true }, "done");
    await expect.poll(() => processes[8]?.asked).toEqual(["2"]);
    for (const process of processes.slice(1)) process.say({ ok: true }, "done");
    expect(new Set(await Promise.all([...busy, second]))).toEqual(new Set(["done"]));
  });

  it("ends a request that has run for five seconds if another database waits [AX3.turns]", async () => {
    const { processes, clock, ask } = start();
    const endless = Array.from({ length: 8 }, (_, index) => ask(`e${index}`, `e${index}`));
    await expect.poll(() => processes.filter(({ asked }) => asked.length === 1).length).toBe(8);
    clock.advance(6_000);
    expect(processes.filter(({ killed }) => killed)).toEqual([]);
    const other = ask("other", "1");
    await expect.poll(() => processes[8]?.asked).toEqual(["1"]);
    const later = ask("later", "2");
    await expect.poll(() => processes[9]?.asked).toEqual(["2"]);
    expect(processes.filter(({ killed }) => killed).length).toBe(2);
    const overdue = await Promise.race(endless);
    expect(overdue).toBe(
      "Busy: The statement ran for more than 5 s while other plugins waited for a database, and was rolled back (make it shorter, or try again)",
    );
    for (const process of processes) if (!process.killed) process.say({ ok: true }, "done");
    expect([await other, await later, (await Promise.all(endless)).toSorted()]).toEqual([
      "done",
      "done",
      [overdue, overdue, ...Array.from({ length: 6 }, () => "done")],
    ]);
  });

  it("ends a process that has had nothing to do for half a minute, and any that it is asked to [AX3.process]", async () => {
    const { processes, clock, ask, release } = start();
    const first = ask("a", "1");
    await expect.poll(() => processes[0]?.asked.length).toBe(1);
    processes[0]?.say({ ok: true }, "one");
    await first;
    clock.advance(29_000);
    expect(processes[0]?.killed).toBe(false);
    clock.advance(2_000);
    expect(processes[0]?.killed).toBe(true);
    const second = ask("a", "2");
    await expect.poll(() => processes[1]?.asked.length).toBe(1);
    await release();
    expect([await second, processes[1]?.killed]).toEqual([ABORTED, true]);
  });

  it("believes nothing that a process says out of place, and tells only the log why it ended [AX3.process]", async () => {
    const { processes, logged, ask } = start();
    const tried = async (act: (process: FakeProcess) => void): Promise<string> => {
      const asked = (): number => processes.reduce((sum, process) => sum + process.asked.length, 0);
      const before = asked();
      const answer = ask("a", "1");
      await expect.poll(asked).toBe(before + 1);
      act(processes.at(-1) ?? new FakeProcess());
      return await answer;
    };
    const ended =
      "Error: The statement was ended and rolled back: the database's process stopped (one that takes too much memory does that)";
    expect(await tried((process) => process.exit('signal SIGSEGV; it said "at /home/ada/x.ts"'))).toBe(ended);
    expect(await tried((process) => process.sayRaw(new Uint8Array(64).fill(255)))).toBe(ended);
    expect(logged).toEqual([
      `warn The process of a plugin's database ended ${join(root, "a")} signal SIGSEGV; it said "at /home/ada/x.ts"`,
      `warn The process of a plugin's database ended ${join(root, "a")} RangeError: The frame is too large`,
    ]);
    const places = `cannot read ${join(root, "a")}/data.db-wal`;
    expect(await tried((process) => process.say({ ok: false, name: "Error", message: places }))).toBe(
      "Error: cannot read $data/data.db-wal",
    );
    expect(await tried((process) => process.say({ ok: true }, "x".repeat(3_000)))).toBe("Error: The database's process gave no answer");
    expect(await tried((process) => process.say({ ok: false, name: "NotCapable", message: 7 }))).toBe(
      "Error: The database's process gave no answer",
    );
  });

  it("bounds what waits for one database [AX3.bounds]", async () => {
    const { processes, ask, release } = start();
    const answers = Array.from({ length: 257 }, (_, index) => ask("a", String(index)));
    await expect.poll(() => processes[0]?.asked.length).toBe(1);
    expect(await answers.at(-1)).toBe("Busy: More than 256 requests, or 64 MiB, wait for the plugin's database (await earlier ones first)");
    await release();
    expect(new Set((await Promise.all(answers)).slice(0, 256))).toEqual(new Set([ABORTED]));
  });

  it("bounds what waits for all databases, and leaves each of them some room [AX3.bounds]", async () => {
    const { processes, ask, release } = start();
    const large = new Uint8Array(60 * 1024 * 1024);
    // Eight run, so that each of the next has a request that waits.
    const running = Array.from({ length: 8 }, (_, index) => ask(`r${index}`, "1"));
    await expect.poll(() => processes.flatMap(({ asked }) => asked).length).toBe(8);
    const waiting = Array.from({ length: 4 }, (_, index) => ask(`w${index}`, large));
    expect(await ask("w4", large)).toBe(
      "Busy: More than 256 MiB of requests wait for the databases of all plugins (send less at once, or try again)",
    );
    const small = ask("w5", large.subarray(0, 15 * 1024 * 1024));
    await release();
    expect(new Set(await Promise.all([...running, ...waiting, small]))).toEqual(new Set([ABORTED]));
    // Requests that have left no longer count.
    const next = ask("w4", large);
    await release();
    expect(await next).toBe(ABORTED);
  });

  it("refuses a folder or a database that is a link [AX3.links]", async () => {
    const { ask, processes } = start();
    await mkdir(join(root, "elsewhere"));
    await symlink(join(root, "elsewhere"), join(root, "linked"));
    await mkdir(join(root, "holds"));
    await symlink("/etc/passwd", join(root, "holds", "data.db"));
    for (const name of ["linked", "holds"]) await expect(ask(name, "1")).rejects.toMatchObject({ name: "FileError", code: "not_regular" });
    await expect(ask("linked/p", "1")).rejects.toMatchObject({ name: "FileError", code: "not_regular" });
    expect([processes.length, await readdir(join(root, "elsewhere"))]).toEqual([0, []]);
  });
});
