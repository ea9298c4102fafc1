/** Starts, shares and ends the processes of plugins' databases: one process per database, a few at a time (SPEC AX3). */

import { lstat, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { ProcessConnection } from "../../../sandbox/mod.ts";
import { toFileError } from "../files/file-errors.ts";
import { FileError } from "../files/file-types.ts";
import type { Log } from "../log-types.ts";
import type { Clock } from "../threads/clock-types.ts";
import { encodeFrame, FrameReader } from "./database-frames.ts";
import { startDatabaseProcess } from "./database-process.ts";
import type { DatabaseAnswer, DatabaseRequest, Databases } from "./database-types.ts";

/** Maximum processes of a host. When all are busy, the next plugin waits until one of them has answered. */
const MAX_DATABASE_PROCESSES = 8;
/** A request that has run longer ends as soon as another database waits for a process: eight endless statements must not stop all others. */
const TURN_MS = 5_000;
/** A process without requests ends after this time. */
const IDLE_MS = 30_000;
/** Maximum waiting requests of one database, in number and bytes. */
const MAX_WAITING = 256;
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** Maximum bytes of waiting requests of all databases. A database with few of them may send more nevertheless. */
const MAX_ALL_WAITING_BYTES = 256 * 1024 * 1024;
const LEAST_WAITING_BYTES = 16 * 1024 * 1024;

type Process = Pick<ProcessConnection, "send" | "onData" | "onExit" | "keepAlive" | "kill">;

interface Waiting extends DatabaseRequest {
  settle(answer: DatabaseAnswer): void;
  /** Stops counting it as waiting. Idempotent. */
  leave(): void;
  refuse(error: unknown): void;
}

/** One database: its requests in order, and its process while there is one. */
interface Lane {
  readonly folder: string;
  readonly queue: Waiting[];
  running: Waiting | undefined;
  process: Process | undefined;
  stopIdling: (() => void) | undefined;
  /** Ends the clock of the running request's turn. */
  stopTurn: (() => void) | undefined;
  /** Whether the running request has had its turn. */
  isOverdue: boolean;
  isOpening: boolean;
}

function newLane(folder: string): Lane {
  return {
    folder,
    queue: [],
    running: undefined,
    process: undefined,
    stopIdling: undefined,
    stopTurn: undefined,
    isOverdue: false,
    isOpening: false,
  };
}

interface DatabasesOptions {
  readonly clock: Pick<Clock, "after">;
  readonly log: Pick<Log, "write">;
  /** Default: a process of this runtime. */
  readonly start?: (file: string) => Process;
}

const TOO_MANY: DatabaseAnswer = {
  ok: false,
  name: "Busy",
  message: `More than ${MAX_WAITING} requests, or ${MAX_WAITING_BYTES / 1024 / 1024} MiB, wait for the plugin's database (await earlier ones first)`,
};
const TOO_MANY_IN_ALL: DatabaseAnswer = {
  ok: false,
  name: "Busy",
  message: `More than ${MAX_ALL_WAITING_BYTES / 1024 / 1024} MiB of requests wait for the databases of all plugins (send less at once, or try again)`,
};
/** The log has the reason, which may name places of this machine. */
const ENDED: DatabaseAnswer = {
  ok: false,
  name: "Error",
  message: "The statement was ended and rolled back: the database's process stopped (one that takes too much memory does that)",
};
const OVERDUE: DatabaseAnswer = {
  ok: false,
  name: "Busy",
  message: `The statement ran for more than ${TURN_MS / 1_000} s while other plugins waited for a database, and was rolled back (make it shorter, or try again)`,
};
const ABORTED: DatabaseAnswer = { ok: false, name: "AbortError", message: "The call was cancelled, or has ended" };

export function createDatabases({ clock, log, start = startDatabaseProcess }: DatabasesOptions): Databases {
  const lanes = new Map<string, Lane>();
  const ending = new Set<Promise<void>>();
  /** Lanes that wait for a process, in turn. */
  const waiting = new Set<Lane>();
  let processes = 0;
  let waitingBytes = 0;

  function run(folder: string, request: DatabaseRequest): Promise<DatabaseAnswer> {
    const { signal } = request;
    if (signal.aborted) return Promise.resolve(ABORTED);
    const lane = lanes.get(folder) ?? newLane(folder);
    lanes.set(folder, lane);
    const bytes = lane.queue.reduce((sum, { body }) => sum + body.length, request.body.length);
    if (lane.queue.length >= MAX_WAITING || bytes > MAX_WAITING_BYTES) return Promise.resolve(TOO_MANY);
    if (waitingBytes + request.body.length > MAX_ALL_WAITING_BYTES && bytes > LEAST_WAITING_BYTES) return Promise.resolve(TOO_MANY_IN_ALL);
    const { promise, resolve, reject } = Promise.withResolvers<DatabaseAnswer>();
    waitingBytes += request.body.length;
    let isWaiting = true;
    const leave = (): void => {
      if (isWaiting) waitingBytes -= request.body.length;
      isWaiting = false;
    };
    const mine: Waiting = { ...request, settle: resolve, refuse: reject, leave };
    function abort(): void {
      if (lane.running === mine) endProcess(lane, ABORTED);
      else if (lane.queue.includes(mine)) lane.queue.splice(lane.queue.indexOf(mine), 1);
      // A lane without requests would take the turn of the one behind it.
      if (lane.running === undefined && lane.queue.length === 0 && !lane.isOpening) rest(lane);
      resolve(ABORTED);
    }
    signal.addEventListener("abort", abort, { once: true });
    lane.queue.push(mine);
    pump(lane);
    return promise.finally(() => {
      leave();
      signal.removeEventListener("abort", abort);
    });
  }

  function pump(lane: Lane): void {
    if (lane.running !== undefined || lane.isOpening) return;
    const [next] = lane.queue;
    if (next === undefined) return rest(lane);
    const { process } = lane;
    if (process === undefined) return open(lane);
    lane.stopIdling?.();
    lane.stopIdling = undefined;
    lane.running = next;
    lane.queue.shift();
    next.leave();
    process.keepAlive(true);
    lane.stopTurn = clock.after(TURN_MS, () => {
      lane.isOverdue = true;
      if (waiting.size > 0) endProcess(lane, OVERDUE);
    });
    const { access, quotaBytes, answerBytes, body } = next;
    process.send(encodeFrame({ access, quotaBytes, answerBytes }, body));
  }

  /** Starts the lane's process, or lets the lane wait for its turn. */
  function open(lane: Lane): void {
    if (processes >= MAX_DATABASE_PROCESSES && !endIdle()) {
      waiting.add(lane);
      const overdue = [...lanes.values()].find(({ isOverdue }) => isOverdue);
      if (overdue !== undefined) endProcess(overdue, OVERDUE);
      return;
    }
    waiting.delete(lane);
    processes++;
    lane.isOpening = true;
    void prepareFolder(lane.folder).then(
      () => {
        lane.isOpening = false;
        // The calls may have ended meanwhile.
        const isNeeded = lane.queue.length > 0;
        if (isNeeded) lane.process = startProcess(lane);
        else processes--;
        pump(lane);
        if (!isNeeded) pumpWaiting();
      },
      (error: unknown) => {
        lane.isOpening = false;
        processes--;
        for (const { refuse } of lane.queue.splice(0)) refuse(error);
        pump(lane);
        pumpWaiting();
      },
    );
  }

  function startProcess(lane: Lane): Process {
    const opened = start(`${lane.folder}/data.db`);
    const reader = new FrameReader(MAX_ANSWER_BYTES);
    opened.onData((chunk) => {
      try {
        for (const { head, body } of reader.push(chunk)) if (lane.process === opened) onAnswer(lane, { ...head, bytes: body });
      } catch (error) {
        // SQLite may have been taken over by what it read.
        if (lane.process === opened) failProcess(lane, String(error));
      }
    });
    opened.onExit((reason) => {
      if (lane.process === opened) failProcess(lane, reason);
    });
    return opened;
  }

  function onAnswer(lane: Lane, said: { readonly bytes: Uint8Array }): void {
    const { running } = lane;
    lane.running = undefined;
    endTurn(lane);
    running?.settle(toAnswer(said, running.answerBytes, lane.folder));
    // A plugin with many requests takes turns with those that wait for a process.
    if (waiting.size > 0) endProcess(lane, ABORTED);
    else pump(lane);
  }

  function failProcess(lane: Lane, reason: string): void {
    log.write("warn", "The process of a plugin's database ended", { folder: lane.folder, reason });
    endProcess(lane, ENDED);
  }

  /** Ends the lane's process; its running request gets `answer`, and the ones behind it go to another process. */
  function endProcess(lane: Lane, answer: DatabaseAnswer): void {
    const { process, running } = lane;
    if (process === undefined) return;
    lane.stopIdling?.();
    endTurn(lane);
    Object.assign(lane, { process: undefined, running: undefined, stopIdling: undefined });
    const gone = process.kill();
    ending.add(gone);
    void gone.finally(() => ending.delete(gone));
    processes--;
    running?.settle(answer);
    pumpWaiting();
    pump(lane);
  }

  function endTurn(lane: Lane): void {
    lane.stopTurn?.();
    Object.assign(lane, { stopTurn: undefined, isOverdue: false });
  }

  function pumpWaiting(): void {
    const [first] = waiting;
    if (first !== undefined) pump(first);
  }

  function rest(lane: Lane): void {
    waiting.delete(lane);
    if (lane.process === undefined) {
      lanes.delete(lane.folder);
      return;
    }
    lane.process.keepAlive(false);
    lane.stopIdling ??= clock.after(IDLE_MS, () => endProcess(lane, ABORTED));
  }

  function endIdle(): boolean {
    const idle = [...lanes.values()].find(({ process, running }) => process !== undefined && running === undefined);
    if (idle !== undefined) endProcess(idle, ABORTED);
    return idle !== undefined;
  }

  return {
    run,
    async release(folder) {
      for (const lane of lanes.values()) {
        if (lane.folder !== folder && !lane.folder.startsWith(`${folder}/`)) continue;
        for (const { settle } of lane.queue.splice(0)) settle(ABORTED);
        if (lane.process !== undefined) endProcess(lane, ABORTED);
        else if (!lane.isOpening) rest(lane);
      }
      await Promise.all(ending);
    },
  };
}

/** @throws {FileError} if the folder, the one above it or the database is a link: a checkout may bring one that leads out of the project */
async function prepareFolder(folder: string): Promise<void> {
  const above = await lstat(dirname(folder)).catch(() => undefined);
  if (above?.isSymbolicLink() === true) throw new FileError("not_regular", `"${dirname(folder)}" is a link (delete it)`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = await lstat(`${folder}/data.db`).catch(() => undefined);
    if (!(await lstat(folder)).isDirectory() || (file !== undefined && !file.isFile()))
      throw new FileError("not_regular", `"${folder}" is a link or holds one (delete it)`);
  } catch (error) {
    throw error instanceof FileError ? error : toFileError(error);
  }
}

/** A process may say anything once SQLite was taken over. No message names the database's folder. */
function toAnswer(said: { readonly bytes: Uint8Array } & object, answerBytes: number, folder: string): DatabaseAnswer {
  const { ok, name, message, code, bytes } = said as Readonly<Record<string, unknown>> & { readonly bytes: Uint8Array };
  // Facts about each result come on top of its rows.
  if (ok === true && bytes.length <= answerBytes + FACTS_BYTES) return { ok: true, bytes };
  return {
    ok: false,
    name: typeof name === "string" && ERROR_NAMES.has(name) ? name : "Error",
    message: typeof message === "string" ? message.replaceAll(folder, "$data") : "The database's process gave no answer",
    ...(typeof code === "string" && { code: code.slice(0, 50) }),
  };
}

const FACTS_BYTES = 1024;
const ERROR_NAMES: ReadonlySet<string> = new Set(["Error", "TypeError", "RangeError", "Busy"]);

/** The largest answer of any request; its own bound is checked when it has come. */
const MAX_ANSWER_BYTES = 65 * 1024 * 1024;
