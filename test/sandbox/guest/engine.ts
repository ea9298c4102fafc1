/** Runs the prelude in the ordinary API of quickjs-emscripten, with fake operations of a test. */

import type { QuickJSHandle } from "quickjs-emscripten";
import { zlibCodec } from "../../../host/platform/zlib-codec.ts";
import { LOCAL_OPERATIONS, type LocalEnvironment } from "../../../sandbox/worker/operations/local-operations.ts";
import { isPlainText } from "../../../sandbox/engine/guest-values.ts";
import { argumentsJson } from "../../../sandbox/wire/marshal.ts";
import { endsWorld, giveBack, takeWorld, type World } from "./world.ts";

/** An error answer of a fake operation. */
export interface FakeError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
}

/** Answer of a fake operation: a JSON value, bytes beside it, or an error. */
export interface FakeAnswer {
  readonly value?: unknown;
  readonly bytes?: Uint8Array;
  readonly error?: FakeError;
  /** Never answered: the operation stays pending. */
  readonly never?: boolean;
}

export interface Crossing {
  readonly id: number;
  readonly operation: string;
  readonly args: unknown;
  readonly bytes?: Uint8Array;
}

export interface GuestOptions {
  /** Source of the entry module `main.js`. */
  readonly source: string;
  readonly answer?: (operation: string, args: unknown, bytes: Uint8Array | undefined) => FakeAnswer;
}

export interface CallOptions {
  readonly export?: string;
  readonly args?: unknown;
  readonly context?: Record<string, unknown>;
}

/** A loaded plugin. */
export interface Guest {
  /** Runs a tool to its outcome, as `Entry.poll` returns it; virtual time passes at once. */
  call(options?: CallOptions): string;
  /** Returns the value of a plain output. @throws {Error} for every other outcome */
  output(options?: CallOptions): unknown;
  /** Evaluates a script in the guest's realm, before or after a call. @throws {Error} with the guest's error as text */
  evaluate(code: string): unknown;
  entry(name: "invoke" | "settle" | "runTimers" | "abort" | "poll", ...args: (string | number)[]): string;
  /** Runs pending jobs. */
  runJobs(): void;
  /** Operations sent to the host, in order, without those of the worker. */
  readonly crossings: readonly Crossing[];
  /** Logged lines. */
  readonly logs: readonly { readonly level: string; readonly text: string }[];
  /** Virtual milliseconds. */
  now: number;
  dispose(): void;
}

/** Loads `source` as `main.js` over a fresh prelude. */
export async function startGuest(options: GuestOptions): Promise<Guest> {
  return new GuestEngine(await takeWorld(), options);
}

/** Evaluates an expression in a fresh guest and returns its JSON value. Promises are awaited. */
export async function evaluateInGuest(expression: string, answer?: GuestOptions["answer"]): Promise<unknown> {
  const guest = await startGuest({
    source: `export default async () => (${expression});`,
    ...(answer !== undefined && { answer }),
  });
  try {
    return guest.output({ export: "default" });
  } finally {
    guest.dispose();
  }
}

const MAX_STEPS = 100_000;

class GuestEngine implements Guest {
  readonly crossings: Crossing[] = [];
  readonly logs: { level: string; text: string }[] = [];
  now = 1_000;
  readonly #world: World;
  readonly #answer: NonNullable<GuestOptions["answer"]>;
  readonly #waiting: { id: number; answer: FakeAnswer }[] = [];
  #bytes: Uint8Array | undefined;
  #random = 1;
  #isOver = false;

  constructor(env: World, options: GuestOptions) {
    this.#world = env;
    this.#answer = options.answer ?? ((operation) => ({ error: { name: "NotSupported", message: `No fake for ${operation}` } }));
    env.native = { hostCall: (handles) => this.#hostCall(handles), takeBytes: (handles) => this.#takeBytes(handles) };
    this.#within(() => this.#load(options.source));
  }

  /** An error thrown by the engine itself leaves its stack pointer where it was, so the world is not used again. */
  #within<T>(run: () => T): T {
    try {
      return run();
    } catch (error) {
      if (endsWorld(error)) this.#isOver = true;
      throw error;
    }
  }

  #load(source: string): void {
    const context = this.#world.context;
    const namespace = context.unwrapResult(context.evalCode(source, "main.js", { type: "module" }));
    this.runJobs();
    const file = context.newString("main.js");
    const define = context.getProp(this.#world.entry, "define");
    context.unwrapResult(context.callFunction(define, context.undefined, file, namespace)).dispose();
    const endLoading = context.getProp(this.#world.entry, "endLoading");
    context.unwrapResult(context.callFunction(endLoading, context.undefined)).dispose();
    for (const handle of [namespace, file, define, endLoading]) handle.dispose();
  }

  #hostCall(handles: QuickJSHandle[]): QuickJSHandle {
    const context = this.#world.context;
    const [idHandle, operationHandle, textHandle, bytesHandle] = handles;
    if (idHandle === undefined || operationHandle === undefined || textHandle === undefined)
      throw new Error("hostCall needs three arguments");
    const id = context.getNumber(idHandle);
    const operation = context.getString(operationHandle);
    const text = context.getString(textHandle);
    const bytes = bytesHandle === undefined || context.typeof(bytesHandle) === "undefined" ? undefined : this.#readBytes(bytesHandle);
    const local = LOCAL_OPERATIONS.get(operation);
    if (local !== undefined) {
      const answered = local(text, bytes, this.#environment());
      this.#bytes = answered.bytes;
      return context.newString(answered.answer);
    }
    const args: unknown = JSON.parse(argumentsJson(text));
    if (operation === "log") {
      this.logs.push(args as { level: string; text: string });
      return context.newString("v");
    }
    this.crossings.push({ id, operation, args, ...(bytes !== undefined && { bytes }) });
    const answer = this.#answer(operation, args, bytes);
    if (id === 0) return context.newString(this.#tagged(answer));
    if (answer.never !== true) this.#waiting.push({ id, answer });
    return context.undefined;
  }

  #readBytes(handle: QuickJSHandle): Uint8Array {
    const lifetime = this.#world.context.getArrayBuffer(handle);
    const bytes = lifetime.value.slice();
    lifetime.dispose();
    return bytes;
  }

  #environment(): LocalEnvironment {
    return {
      codec: zlibCodec,
      monotonicMs: () => this.now,
      randomBytes: (count) =>
        Uint8Array.from({ length: count }, () => (this.#random = (this.#random * 1_103_515_245 + 12_345) >>> 0) >>> 16),
    };
  }

  #tagged(answer: FakeAnswer): string {
    this.#bytes = answer.bytes;
    if (answer.error !== undefined) return `e${JSON.stringify(answer.error)}`;
    return answer.value === undefined ? "v" : `v${JSON.stringify(answer.value)}`;
  }

  #takeBytes([asText]: QuickJSHandle[]): QuickJSHandle {
    const { context } = this.#world;
    const bytes = this.#bytes;
    this.#bytes = undefined;
    if (bytes === undefined) return context.undefined;
    if (asText !== undefined && context.getNumber(asText) === 1 && isPlainText(bytes))
      return context.newString(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
    return context.newArrayBuffer(bytes.slice().buffer);
  }

  runJobs(): void {
    this.#within(() => this.#world.context.runtime.executePendingJobs(MAX_STEPS).error?.dispose());
  }

  entry(name: string, ...args: (string | number)[]): string {
    return this.#within(() => this.#callEntry(name, args));
  }

  #callEntry(name: string, args: readonly (string | number)[]): string {
    const context = this.#world.context;
    const handles = args.map((arg) => (typeof arg === "string" ? context.newString(arg) : context.newNumber(arg)));
    const method = context.getProp(this.#world.entry, name);
    const result = context.unwrapResult(context.callFunction(method, context.undefined, ...handles));
    const text = context.typeof(result) === "string" ? context.getString(result) : "";
    for (const handle of [...handles, method, result]) handle.dispose();
    return text;
  }

  call(options: CallOptions = {}): string {
    const context = { callId: "call-1", workspacePath: "/ws", ...options.context };
    let state = this.entry("invoke", "main.js", options.export ?? "tool", JSON.stringify(options.args ?? {}), JSON.stringify(context));
    for (let step = 0; step < MAX_STEPS; step++) {
      this.runJobs();
      state = this.entry("poll");
      if (!state.startsWith("w")) return state;
      const next = this.#waiting.shift();
      if (next !== undefined) this.entry("settle", next.id, this.#tagged(next.answer), next.answer.bytes === undefined ? 0 : 1);
      else if (/^w(?:,|$)/.test(state)) return "never settles";
      else {
        this.now += Number.parseInt(state.slice(1), 10);
        this.entry("runTimers");
      }
    }
    throw new Error("The guest takes too many steps");
  }

  output(options: CallOptions = {}): unknown {
    const outcome = this.call(options);
    if (!outcome.startsWith("d")) throw new Error(`The call ended otherwise: ${outcome}`);
    const { o } = JSON.parse(outcome.slice(1)) as { o: unknown };
    return o;
  }

  evaluate(code: string): unknown {
    const result = this.#within(() => this.#world.context.evalCode(code, "script.js"));
    if (result.error !== undefined) {
      const error: unknown = this.#world.context.dump(result.error);
      result.error.dispose();
      throw new Error(`The guest threw ${JSON.stringify(error)}`);
    }
    const value: unknown = this.#world.context.dump(result.value);
    result.value.dispose();
    return value;
  }

  dispose(): void {
    if (!this.#isOver) giveBack(this.#world);
    this.#isOver = true;
  }
}
