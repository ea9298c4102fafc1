/** Inside the process: a whole sandbox with its own workers, which serves the host's frames. */

import type { HostAnswer } from "../wire/host-call.ts";
import { createSandbox, type Sandbox } from "../pool/sandbox.ts";
import type { InvocationOutcome, LoadOutcome } from "../wire/invocation.ts";
import { JSON_IN_BYTES, LARGE_BYTES } from "../wire/marshal.ts";
import { LARGE_ANSWER_BYTES } from "../wire/untaken.ts";
import { encodeFrame, type Frame, FrameReader } from "./frames.ts";
import type { ProcessPowers } from "./port.ts";
import { fromConditionsText, toTapeText } from "./tape-text.ts";
import type { PlainInvocation, ProcessMessage, ProcessRequest } from "./protocol.ts";

/** The host is trusted. These bounds only detect a corrupted stream. */
const REQUEST_BOUNDS = { headBytes: 0xffff_ffff, frameBytes: 0xffff_ffff + 4, parts: 0xffff_ffff };
/** Maximum length of a defect, which may contain a long stack. */
const DEFECT_CHARACTERS = 4_096;
const encoder = new TextEncoder();

type Request<Type extends ProcessRequest["type"]> = Extract<ProcessRequest, { type: Type }>;

interface RunningCall {
  readonly abort: AbortController;
  /** Operations that wait for the host, by number. */
  readonly waiting: Map<number, (answer: HostAnswer) => void>;
}

/** Serves the host until the stream ends. */
export function serveProcess({ send, onData, threads }: ProcessPowers): void {
  const reader = new FrameReader(() => REQUEST_BOUNDS);
  const calls = new Map<number, RunningCall>();
  const loads = new Map<string, Promise<LoadOutcome>>();
  let sandbox: Sandbox | undefined;

  function say(message: ProcessMessage): void {
    if (message.type === "done") {
      const { output, parts = [], ...head } = message;
      const places = parts.map(({ at, kind }) => ({ at, kind }));
      const pieces = [encoder.encode(output), ...parts.map(({ bytes }) => bytes)];
      return send(encodeFrame(parts.length === 0 ? head : { ...head, places }, pieces));
    }
    if (message.type === "operation") {
      const { text, bytes, ...head } = message;
      const pieces = bytes === undefined ? [] : [bytes];
      return send(typeof text === "string" ? encodeFrame({ ...head, text }, pieces) : encodeFrame(head, [text, ...pieces]));
    }
    if (!("bytes" in message) || message.bytes === undefined) return send(encodeFrame(message));
    const { bytes, ...head } = message;
    send(encodeFrame(head, [bytes]));
  }

  function sayDefect(defect: unknown): void {
    const text = defect instanceof Error ? (defect.stack ?? defect.message) : String(defect);
    say({ type: "defect", message: text.slice(0, DEFECT_CHARACTERS) });
  }

  function boot({ base, maximumWorkers, maximumQueue }: Request<"boot">, [engine, image]: readonly Uint8Array[]): void {
    if (engine === undefined) throw new Error("The host sent no engine");
    const launcher = {
      ...threads,
      readEngine: async () => engine,
      readCache: async (name: string) => (name === base ? image : undefined),
      // Images of plugins are not sent, because the host would not trust them.
      async writeCache(name: string, bytes: Uint8Array) {
        if (loads.size === 0) say({ type: "base", name, bytes });
        return false;
      },
    };
    // The host has already rewritten the engine, if it could.
    sandbox = createSandbox(launcher, { maximumWorkers, maximumQueue, engine: "plain", onDefect: sayDefect });
    say({ type: "ready" });
  }

  function booted(): Sandbox {
    if (sandbox === undefined) throw new Error("The host sent no boot frame");
    return sandbox;
  }

  async function load({ number, source, files, modules }: Request<"load">, parts: readonly Uint8Array[]): Promise<void> {
    const contents = new Map(files.map((path, index) => [path, parts[index] ?? new Uint8Array()]));
    const loading = booted().load({ ...source, files: contents, modules: new Map(modules) });
    loads.set(source.digest, loading);
    const outcome = await loading;
    if (outcome.ok) {
      const { loadMs, imageBytes, warnings = [] } = outcome;
      say({ type: "loaded", number, loadMs, imageBytes, warnings });
    } else say({ type: "refused", number, fault: outcome.fault });
  }

  async function call({ number, invocation }: Request<"call">): Promise<void> {
    const running: RunningCall = { abort: new AbortController(), waiting: new Map() };
    calls.set(number, running);
    const outcome = await invoke(number, invocation, running).catch((defect: unknown): InvocationOutcome => {
      sayDefect(defect);
      return { ok: false, fault: { kind: "trap", message: "The sandbox failed" }, used: NOTHING_USED };
    });
    calls.delete(number);
    const { used, tape, beganAfresh } = outcome;
    const more = { number, used, lines: [], ...(tape !== undefined && { tape: toTapeText(tape) }), ...(beganAfresh && { beganAfresh }) };
    if (outcome.ok) {
      const { output, parts, problems, droppedStateBytes } = outcome;
      const large = {
        ...(parts !== undefined && { parts }),
        ...(problems !== undefined && { problems }),
        ...(droppedStateBytes !== undefined && { droppedStateBytes }),
      };
      say({ type: "done", output: JSON.stringify(output), ...large, ...more });
    } else say({ type: "failed", fault: outcome.fault, ...more });
  }

  async function invoke(number: number, invocation: PlainInvocation, running: RunningCall): Promise<InvocationOutcome> {
    const loaded = await loads.get(invocation.digest);
    if (loaded?.ok !== true) {
      const message = `Cannot load the plugin again: ${loaded?.fault.message ?? "it was not sent"}`;
      return { ok: false, fault: { kind: "trap", message }, used: NOTHING_USED };
    }
    const { conditions, ...plain } = invocation;
    let lastOperation = 0;
    return await booted().invoke({
      ...plain,
      ...(conditions !== undefined && { conditions: fromConditionsText(conditions) }),
      signal: running.abort.signal,
      hostCall({ name, args, bytes }) {
        const operation = ++lastOperation;
        const json = JSON.stringify(args);
        const text = json.length > LARGE_BYTES ? encoder.encode(json) : json;
        say({ type: "operation", number, operation, name, text, ...(bytes !== undefined && { bytes }) });
        return new Promise((resolve) => running.waiting.set(operation, resolve));
      },
      // Lines arrive in batches (`call-log.ts`). If the host does not read, this thread blocks, and the workers drop lines.
      onLogs: (lines) => say({ type: "logs", number, lines }),
    });
  }

  function answer({ number, operation, answer: text }: Request<"answer">, [bytes]: readonly Uint8Array[]): void {
    const waiting = calls.get(number)?.waiting;
    const resolve = waiting?.get(operation);
    waiting?.delete(operation);
    // Computed now, because transferred bytes have length 0.
    const isLarge = bytes !== undefined && bytes.length >= LARGE_ANSWER_BYTES;
    const taken = (): void => (isLarge ? say({ type: "taken", number, operation }) : undefined);
    // The call may have ended meanwhile.
    if (resolve === undefined) return taken();
    if (text === JSON_IN_BYTES && bytes !== undefined) return resolve({ ok: true, value: null, json: bytes, taken });
    // Written by the host: `v` and a value, or `e` and an error.
    const said = JSON.parse(text.slice(1)) as never;
    // The parts of a frame are owned by this message.
    const brought = bytes !== undefined && { bytes, moves: true as const, taken };
    resolve(text.startsWith("v") ? { ok: true, value: said, ...brought } : { ok: false, error: said });
  }

  function receive({ head, parts }: Frame): Promise<void> | void {
    // Written by the host.
    const request = JSON.parse(head) as ProcessRequest;
    switch (request.type) {
      case "boot":
        return boot(request, parts);
      case "load":
        return load(request, parts);
      case "unload":
        loads.delete(request.digest);
        return booted().unload(request.digest);
      case "endSession":
        return booted().endSession(request.session);
      case "call":
        return call(request);
      case "answer":
        return answer(request, parts);
      case "abort":
        return calls.get(request.number)?.abort.abort();
      case "ping":
        return say({ type: "pong" });
    }
  }

  onData((chunk) => {
    for (const frame of reader.push(chunk)) receive(frame)?.catch(sayDefect);
  });
}

const NOTHING_USED = { wallMs: 0, cpuMs: 0, memoryBytes: 0, outputBytes: 0, logBytes: 0, operations: 0, fuel: 0 };
