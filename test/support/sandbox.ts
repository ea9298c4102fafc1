/** A real sandbox with real workers, and helpers to load and call plugins in it. */

import { readLargeJson } from "../../host/primitives/json/read-slices.ts";
import { createSlices } from "../../host/platform/threads/slices.ts";
import { createWorkerLauncher } from "../../host/platform/threads/workers.ts";
import { DEFAULT_LIMITS, type JsonValue, type Limits } from "../../manifests/mod.ts";
import { createIsolation } from "../../host/platform/isolation/isolation.ts";
import {
  type CallConditions,
  type Freezing,
  createProcessSandbox,
  createSandbox,
  type HostCallHandler,
  type InvocationOutcome,
  type LoadOutcome,
  type Sandbox,
  type SandboxOptions,
} from "../../sandbox/mod.ts";

export interface TestCall {
  readonly module?: string;
  readonly args?: JsonValue;
  readonly context?: JsonValue;
  readonly limits?: Partial<Limits>;
  readonly signal?: AbortSignal;
  readonly session?: string;
  readonly conditions?: CallConditions;
  readonly hostCall?: HostCallHandler;
  readonly callId?: string;
  readonly freezing?: Freezing;
  readonly frozen?: Uint8Array;
  readonly onLog?: (level: string, text: string) => void;
}

export interface TestSandbox extends AsyncDisposable {
  readonly sandbox: Sandbox;
  /** Defects of the sandbox itself. Tests of guests expect none. */
  readonly defects: readonly string[];
  /** Number of workers started so far, including the spare. */
  readonly workersStarted: number;
  /** Loads a plugin from its files. Its name is also its digest. */
  load(name: string, files: Readonly<Record<string, string>> | string, exports?: readonly string[], loadMs?: number): Promise<LoadOutcome>;
  call(plugin: string, name: string, call?: TestCall): Promise<InvocationOutcome>;
}

export interface TestSandboxOptions extends SandboxOptions {
  /** Kind of isolation of the workers. Default: threads of this process. */
  readonly by?: "thread" | "process";
  /** Milliseconds by which the host's clock is behind, so that a worker that the machine starves for a moment does not look held. */
  readonly behindMs?: number;
}

const isolation = createIsolation();
const slices = createSlices(() => performance.now());

/** Sandbox configurations by name. Suites that hold for any sandbox run on each of them. */
export const SANDBOXES: readonly (readonly [name: string, options: TestSandboxOptions])[] = [
  ["metered engine", { engine: "metered", by: "thread" }],
  ["plain engine", { engine: "plain", by: "thread" }],
  ["metered engine, in a process", { engine: "metered", by: "process" }],
];

/** Default isolation. `BASCULE_ISOLATION=process vitest run test/sandbox` runs the whole suite in processes, which takes minutes. */
const BY = process.env["BASCULE_ISOLATION"] === "process" ? "process" : "thread";

export function startSandbox({ by = BY, behindMs = 0, ...options }: TestSandboxOptions = {}): TestSandbox {
  const defects: string[] = [];
  const launcher = createWorkerLauncher();
  let workersStarted = 0;
  const start: typeof launcher.start = (init) => {
    workersStarted++;
    return launcher.start(init);
  };
  const readLarge: SandboxOptions["readLarge"] = async (text, maxDepth) => await slices.run(readLargeJson(text, maxDepth));
  const all = { readLarge, onDefect: (message: string) => void defects.push(message), ...options };
  const { prepareProcesses } = isolation;
  const sandbox =
    by === "thread"
      ? createSandbox({ ...launcher, start, now: () => launcher.now() - behindMs }, all)
      : createProcessSandbox({ ...launcher, prepareProcesses }, all);
  return {
    sandbox,
    defects,
    get workersStarted() {
      return workersStarted;
    },
    load(name, files, exports = [], loadMs = 5_000) {
      const sources = typeof files === "string" ? { "main.ts": files } : files;
      const bytes = new Map(Object.entries(sources).map(([path, text]) => [path, new TextEncoder().encode(text)]));
      const [main = "main.ts"] = Object.keys(sources);
      return sandbox.load({
        name,
        digest: name,
        files: bytes,
        modules: new Map([[main, exports]]),
        memoryBytes: DEFAULT_LIMITS.memoryBytes,
        loadMs,
      });
    },
    call(plugin, name, call = {}) {
      return sandbox.invoke({
        callId: call.callId ?? "call",
        digest: plugin,
        module: call.module ?? "main.ts",
        export: name,
        args: call.args ?? {},
        contextText: JSON.stringify(call.context ?? DEFAULT_CONTEXT),
        limits: { ...DEFAULT_LIMITS, ...call.limits },
        hostCall:
          call.hostCall ?? (() => Promise.resolve({ ok: false, error: { name: "NotCapable", message: "Nothing is granted here" } })),
        onLogs: (lines) => lines.forEach(([level, text]) => call.onLog?.(level, text)),
        ...(call.conditions !== undefined && { conditions: call.conditions }),
        ...(call.freezing !== undefined && { freezing: call.freezing }),
        ...(call.frozen !== undefined && { frozen: call.frozen }),
        ...(call.session !== undefined && { session: call.session }),
        signal: call.signal ?? new AbortController().signal,
      });
    },
    [Symbol.asyncDispose]: () => sandbox.close(),
  };
}

const DEFAULT_CONTEXT: JsonValue = {
  cwd: "/work",
  sessionId: "s",
  callId: "call",
  workspacePath: "/work",
  settings: {},
  permissions: {},
  deadline: 0,
};

/** Returns the plain output of a call, or the fault, for short assertions. */
export function outputOf(outcome: InvocationOutcome): unknown {
  if (!outcome.ok) return outcome.fault;
  const whole = outcome.parts?.find(({ at }) => at === "output");
  if (whole !== undefined) {
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(whole.bytes);
    return whole.kind === "text" ? text : JSON.parse(text);
  }
  const wrapped = outcome.output;
  return typeof wrapped === "object" && wrapped !== null && "o" in wrapped ? wrapped["o"] : wrapped;
}
