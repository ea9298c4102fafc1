/** Sandbox processes that send messages defined by the test, with a clock that the test controls. */

import { encodeFrame, FrameReader } from "../../sandbox/process/frames.ts";
import type { ProcessRequest } from "../../sandbox/process/protocol.ts";
import type { ProcessLauncher } from "../../sandbox/mod.ts";
import { scriptedWorkers } from "./scripted-worker.ts";

export interface ScriptedProcess {
  readonly requests: { readonly request: ProcessRequest; readonly parts: readonly Uint8Array[] }[];
  alive: boolean;
  killed: boolean;
  /** Bytes that the process has not read. */
  unsentBytes: number;
  /** Sends a frame with any contents. */
  say(message: object, ...parts: readonly Uint8Array[]): void;
  /** Sends any bytes. */
  write(bytes: Uint8Array): void;
  exit(reason: string): void;
}

export interface ScriptedProcesses {
  readonly launcher: ProcessLauncher;
  /** Processes in the order of their start. */
  readonly processes: ScriptedProcess[];
  /** Entries written to the cache, by name. */
  readonly kept: Map<string, Uint8Array>;
  advance(milliseconds: number): void;
  starve(milliseconds: number): void;
}

export function scriptedProcesses({ isReady = true }: { readonly isReady?: boolean } = {}): ScriptedProcesses {
  const { launcher, advance, starve } = scriptedWorkers();
  const processes: ScriptedProcess[] = [];
  const kept = new Map<string, Uint8Array>();

  function startProcess(): ReturnType<Awaited<ReturnType<ProcessLauncher["prepareProcesses"]>>> {
    const reader = new FrameReader(() => ({ headBytes: 2 ** 31, frameBytes: 2 ** 31, parts: 1_000 }));
    let hear: (bytes: Uint8Array) => void = () => {};
    let exit: (reason: string) => void = () => {};
    const scripted: ScriptedProcess = {
      requests: [],
      alive: false,
      killed: false,
      unsentBytes: 0,
      say(message, ...parts) {
        const { output, ...rest } = message as { readonly output?: unknown };
        const pieces = typeof output === "string" ? encodeFrame(rest, [new TextEncoder().encode(output)]) : encodeFrame(message, parts);
        for (const piece of pieces) hear(piece);
      },
      write: (bytes) => hear(bytes),
      exit: (reason) => exit(reason),
    };
    processes.push(scripted);
    return {
      send(pieces) {
        for (const piece of pieces) {
          for (const { head, parts } of reader.push(piece)) {
            // The request comes from the host under test.
            const request = JSON.parse(head) as ProcessRequest;
            scripted.requests.push({ request, parts });
            if (request.type === "boot" && isReady) queueMicrotask(() => scripted.say({ type: "ready" }));
          }
        }
      },
      get unsentBytes() {
        return scripted.unsentBytes;
      },
      onData: (listener) => void (hear = listener),
      onExit: (listener) => void (exit = listener),
      keepAlive: (on) => void (scripted.alive = on),
      kill: () => Promise.resolve(void (scripted.killed = true)),
    };
  }

  return {
    launcher: {
      ...launcher,
      engine: "plain",
      writeCache: (name, bytes) => Promise.resolve(void kept.set(name, bytes)).then(() => true),
      prepareProcesses: () => Promise.resolve(startProcess),
    },
    processes,
    kept,
    advance,
    starve,
  };
}
