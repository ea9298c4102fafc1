/**
 * Hands work to a service thread (SPEC LV2), which parses, hashes, compares, searches and writes large data.
 *
 * Each owner (a plugin, the audit) has one request in the thread at a time and a queue of its own, so a plugin waits only for its own work.
 * The first request starts the thread. If the thread ends, its running requests fail, and the next request starts a new thread.
 */

import { errorText } from "../../platform/error-text.ts";
import type { Platform } from "../../platform/platform.ts";
import type { ServiceAnswer, ServiceConnection } from "../../platform/threads/service-types.ts";
import { runTask } from "./serve-tasks.ts";
import type { ServiceTask, TaskEnvironment, TaskFunction } from "./task.ts";

/** Options of one request. */
interface TaskOptions {
  /** The plugin's name, or the part of the host that asks. */
  readonly owner: string;
  /** Buffers of the input to move; they are detached afterwards. Everything else is copied on the caller's thread. */
  readonly moved?: readonly ArrayBuffer[];
}

export interface Service {
  /** @throws {ServiceError} if the task throws, or cannot be run. */
  run<F extends TaskFunction>(task: ServiceTask<F>, input: Parameters<F>[0], wanted: TaskOptions): Promise<Awaited<ReturnType<F>>>;
  /** Ends the thread. Unanswered requests fail. */
  close(): Promise<void>;
}

/**
 * Error of a task. `name` and `code` are those of the error that the task threw, `ServiceEnded` if the thread ended, or `ServiceBusy` if
 * the owner's queue is full.
 */
export class ServiceError extends Error {
  readonly code?: string;
  constructor(name: string, message: string, code?: string) {
    super(message);
    this.name = name;
    if (code !== undefined) this.code = code;
  }
}

export interface ServiceOptions {
  /** Absent if the platform has no such threads: then tasks run on the caller's thread. */
  readonly threads: { start(): ServiceConnection } | undefined;
  readonly environment: Pick<Platform, "journals" | "files" | "guarded" | "clock">;
  /** Called for each thread that ends unexpectedly. */
  readonly onDefect: (message: string, error: unknown) => void;
}

interface Request {
  readonly task: ServiceTask;
  readonly input: unknown;
  readonly moved: readonly ArrayBuffer[];
  readonly settle: (answer: ServiceAnswer) => void;
}

/** Maximum number of waiting requests per owner; the next one fails. */
const MAX_WAITING = 256;
/** Maximum number of owners whose tasks the thread interleaves. */
const MAX_AT_ONCE = 8;

export function createService(options: ServiceOptions): Service {
  const { threads, onDefect } = options;
  /** In turn: the first owner whose request is not in the thread comes next. */
  const waiting = new Map<string, Request[]>();
  const running = new Map<number, { readonly owner: string; readonly request: Request }>();
  const busy = new Set<string>();
  let connection: ServiceConnection | undefined;
  let lastId = 0;
  let isClosed = false;

  function post(): void {
    for (const [owner, queue] of waiting) {
      if (running.size >= MAX_AT_ONCE) return;
      const request = busy.has(owner) ? undefined : queue.shift();
      if (request === undefined) continue;
      waiting.delete(owner);
      if (queue.length > 0) waiting.set(owner, queue);
      busy.add(owner);
      const id = ++lastId;
      running.set(id, { owner, request });
      if (running.size === 1) connection?.keepAlive(true);
      send(id, request);
    }
  }

  function send(id: number, { task, input, moved }: Request): void {
    try {
      connection ??= open();
      connection.post({ id, task: task.name, input }, moved);
    } catch (error) {
      onAnswer({ id, ok: false, name: "ServiceEnded", message: errorText(error) });
    }
  }

  function onAnswer(answer: ServiceAnswer): void {
    const found = running.get(answer.id);
    if (found === undefined) return;
    running.delete(answer.id);
    busy.delete(found.owner);
    if (running.size === 0) connection?.keepAlive(false);
    found.request.settle(answer);
    post();
  }

  function open(): ServiceConnection {
    const opened = threads?.start() ?? connectHere((id) => running.get(id)?.request.task, options.environment);
    opened.onAnswer(onAnswer);
    opened.onExit((reason) => {
      if (connection !== opened) return;
      connection = undefined;
      if (!isClosed) onDefect("A service thread ended; the next request starts a new one", reason);
      fail([...running.keys()], reason);
    });
    opened.keepAlive(true);
    return opened;
  }

  function fail(ids: readonly number[], reason: string): void {
    for (const id of ids) onAnswer({ id, ok: false, name: "ServiceEnded", message: `The service thread ended: ${reason}` });
  }

  return {
    async run(task, input, { owner, moved = [] }) {
      if (isClosed) throw new ServiceError("ServiceEnded", "The service is closed");
      const answer = await new Promise<ServiceAnswer>((settle) => {
        const queue = waiting.get(owner) ?? [];
        if (queue.length >= MAX_WAITING)
          return settle({ id: 0, ok: false, name: "ServiceBusy", message: `More than ${MAX_WAITING} requests of "${owner}" are waiting` });
        queue.push({ task, input, moved, settle });
        waiting.set(owner, queue);
        post();
      });
      if (!answer.ok) throw new ServiceError(answer.name, answer.message, answer.code);
      // The task is typed by the same table on the other side.
      return answer.output as never;
    },
    async close() {
      isClosed = true;
      const ended = connection;
      connection = undefined;
      for (const { settle } of [...waiting.values()].flat())
        settle({ id: 0, ok: false, name: "ServiceEnded", message: "The service is closed" });
      waiting.clear();
      fail([...running.keys()], "the service is closed");
      await ended?.terminate();
    },
  };
}

/** The same without a thread: for programs that do one thing for one person, and for tests. */
function connectHere(
  taskOf: (id: number) => ServiceTask | undefined,
  { clock, ...platform }: ServiceOptions["environment"],
): ServiceConnection {
  const env: TaskEnvironment = { ...platform, now: clock.monotonic, turn: () => Promise.resolve() };
  let tell: (answer: ServiceAnswer) => void = () => {};
  return {
    // An answer comes after `post` has returned, as it does from a thread.
    post: (request) => void Promise.resolve(runTask(taskOf(request.id), request, env)).then((answer) => tell(answer)),
    onAnswer: (listener) => void (tell = listener),
    onExit: () => {},
    keepAlive: () => {},
    terminate: () => Promise.resolve(),
  };
}
