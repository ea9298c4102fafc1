/** What the extension knows about a host: connects, follows its events, and reads its lists again when they changed. No editor. */

import type { JsonObject, Permissions } from "../../../manifests/mod.ts";
import type { ToolResult } from "../../../host/call/call.ts";
import type { ConfirmationAnswer, PendingConfirmation } from "../../../host/confirmations/pending.ts";
import type { HostStatus, Operations, PluginView, Watched } from "../../../host/doors/operations.ts";
import { type CallItem, withEvent } from "./calls.ts";

/** A connection to a running host. */
export interface HostConnection {
  readonly operations: Operations;
  close(): void;
}

/** What the views show. */
export interface HostState {
  /** Absent while no host runs. */
  readonly status?: HostStatus;
  readonly plugins: readonly PluginView[];
  readonly questions: readonly PendingConfirmation[];
  /** The newest first. */
  readonly calls: readonly CallItem[];
  /** Events, the newest first. */
  readonly record: readonly JsonObject[];
  /** Parts of the journal that cannot be read, and events that were not received. */
  readonly notes: readonly string[];
  /** Reason why the connection failed, other than that no host runs. */
  readonly error?: string;
}

interface HostModelOptions {
  readonly connect: () => Promise<HostConnection | undefined>;
  readonly onChange: (state: HostState) => void;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Waits before the next attempt to connect. */
  readonly pause: (signal: AbortSignal) => Promise<void>;
}

const EMPTY: HostState = { plugins: [], questions: [], calls: [], record: [], notes: [] };
const MAX_RECORD = 500;
const MAX_NOTES = 20;
/** Events of the journal that are read first. */
const RECENT = 300;
/** Events after which plugins, tools or grants may be others. */
const CHANGES_PLUGINS = /^(?:plugin\.|grant\.|policy\.|settings\.|tool\.(?:un)?registered$)/;
const CHANGES_QUESTIONS = /^tool\.confirmation_/;

/** Follows one project's host, from one start to the next, until it is closed. */
export class HostModel {
  readonly #options: HostModelOptions;
  readonly #closed = new AbortController();
  #state: HostState = EMPTY;
  #connection: HostConnection | undefined;
  #running: Promise<void> | undefined;

  constructor(options: HostModelOptions) {
    this.#options = options;
  }

  get state(): HostState {
    return this.#state;
  }

  /** Operations of the running host. @throws {Error} if none runs */
  get operations(): Operations {
    if (this.#connection === undefined) throw new Error("No host runs in this project: start one with the command Bascule: Start Host");
    return this.#connection.operations;
  }

  /** Connects, and connects again whenever the host stops. */
  start(): void {
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#connection?.close();
    await this.#running;
  }

  /** Answers a confirmation as it was shown. @throws {Error} if it is over, or its call changed since */
  async answer(question: PendingConfirmation, given: Omit<ConfirmationAnswer, "hash">): Promise<void> {
    const { requestId, hash, tool } = question.request;
    const outcome = await this.operations.resolve(requestId, { ...given, hash });
    if (outcome === "unoffered") throw new Error(`The call of ${tool} can be approved once only`);
    if (outcome === "changed") throw new Error(`The call of ${tool} changed since it was shown: look at it again`);
    if (outcome === "unknown") throw new Error(`The call of ${tool} no longer waits: it was answered, cancelled or timed out`);
  }

  async grant(plugin: string, permissions: Permissions): Promise<void> {
    await this.operations.grant(plugin, permissions);
  }

  async call(tool: string, args: JsonObject, signal: AbortSignal): Promise<ToolResult> {
    return await this.operations.call({ tool, args }, { signal });
  }

  async #run(): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted) {
      await this.#follow().catch((error: unknown) => this.#set({ ...EMPTY, error: textOf(error) }));
      if (!signal.aborted) await this.#options.pause(signal);
    }
  }

  /** Resolves when the connection ends. */
  async #follow(): Promise<void> {
    const connection = await this.#options.connect();
    if (connection === undefined) return this.#set(EMPTY);
    const { operations } = connection;
    if (this.#closed.signal.aborted) return connection.close();
    this.#connection = connection;
    const connectedAt = this.#options.now();
    const plugins = coalesced(operations.list, (list) => this.#set({ ...this.#state, plugins: list }));
    const questions = coalesced(operations.pending, (list) => this.#set({ ...this.#state, questions: list }));
    const onEvent = (watched: Watched): void => {
      this.#take(watched, connectedAt);
      const type = "event" in watched ? watched.event["type"] : undefined;
      if ("missed" in watched || (typeof type === "string" && CHANGES_PLUGINS.test(type))) plugins();
      if ("missed" in watched || (typeof type === "string" && CHANGES_QUESTIONS.test(type))) questions();
    };
    try {
      this.#set({ ...EMPTY, status: await operations.status() });
      const watching = operations.watch(RECENT, { signal: this.#closed.signal, onEvent });
      plugins();
      questions();
      await watching;
    } catch (error) {
      // The host stopped: there is nothing to show, and no error.
      if (!isClosed(error)) throw error;
      this.#set(EMPTY);
    } finally {
      this.#connection = undefined;
      connection.close();
    }
  }

  #take(watched: Watched, connectedAt: number): void {
    const state = this.#state;
    if ("damage" in watched) return this.#note(`The journal cannot be read in part: ${watched.damage}`);
    if ("missed" in watched) return this.#note(`${watched.missed} events were not received`);
    const { event } = watched;
    const isPast = typeof event["time"] === "number" && event["time"] < connectedAt;
    const record = [event, ...state.record].slice(0, MAX_RECORD);
    this.#set({ ...state, record, calls: withEvent(state.calls, event, isPast) });
  }

  #note(note: string): void {
    this.#set({ ...this.#state, notes: [note, ...this.#state.notes].slice(0, MAX_NOTES) });
  }

  #set(state: HostState): void {
    if (this.#closed.signal.aborted) return;
    this.#state = state;
    this.#options.onChange(state);
  }
}

/** Returns a function that reads, and once more if it was called while it read. */
function coalesced<T>(read: () => Promise<T>, take: (read: T) => void): () => void {
  let running = false;
  let again = false;
  return function run(): void {
    again = running;
    if (running) return;
    running = true;
    read()
      // A host that answers nothing has stopped: the next connection reads the lists again.
      .then(take, () => {
        again = false;
      })
      .finally(() => {
        running = false;
        if (again) run();
      });
  };
}

function isClosed(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "closed";
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
