/** Loads a plugin on top of the base image: without session and grants, at a fixed time, with seeded randomness (SPEC B9). */

import { LOAD_TIME_MS } from "../image/base-image.ts";
import type { Codec } from "./operations/codec.ts";
import type { Compiler } from "../loading/compile.ts";
import { lateFault } from "../wire/load-clock.ts";
import type { LoadFault, LoadWarning } from "../wire/fault.ts";
import type { Frame } from "../engine/call-stack.ts";
import { FrozenValues } from "./frozen-values.ts";
import type { Image } from "../engine/image.ts";
import type { Restorer } from "../image/restorer.ts";
import { GuestException } from "../engine/guest-values.ts";
import { type GuestHost, NEVER_SUSPENDS } from "../engine/guest-host.ts";
import { atOnce, type Steps } from "../engine/steps.ts";
import type { Instance } from "../engine/instance.ts";
import { LOCAL_OPERATIONS, type LocalEnvironment } from "./operations/local-operations.ts";
import { errorAnswer, type LegacyDecoders, type LocalAnswer } from "./operations/local-answer.ts";
import { answerOwn } from "./operations/own-files.ts";
import type { Digest, Supports } from "./operations/subtle.ts";
import { readStatus } from "../wire/status.ts";
import { adviceOnReference, adviceOnSyntax, renamed } from "../loading/advice.ts";
import { positionIn } from "../loading/positions.ts";
import { createModuleTable, ENTRY_MODULE, entryModuleSource, firstPosition, type ModuleTable } from "../loading/modules.ts";

export interface LoadRequest {
  /** Hash of the plugin. Seeds the randomness of top-level code. */
  readonly digest: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Entry modules, with the exports that must be functions. */
  readonly modules: ReadonlyMap<string, readonly string[]>;
  readonly loadMs: number;
  readonly memoryBytes: number;
  /** Result of `loadCompiler` for the files. */
  readonly compiler: Compiler;
  /** Available to top-level code, because compression is as pure as the other local operations. */
  readonly codec?: Codec;
  readonly hash?: Digest;
  readonly supports?: Supports;
  readonly legacyDecoders?: LegacyDecoders | undefined;
}

export type Loaded =
  | { readonly ok: true; readonly image: Image; readonly warnings: readonly LoadWarning[] }
  | { readonly ok: false; readonly fault: LoadFault };

const JOBS_A_SLICE = 1_000;

/** Runs a plugin's top-level code on `instance`, which must hold the base image, and captures the resulting image. */
export function loadPlugin(instance: Instance, restorer: Restorer, request: LoadRequest, now: () => number): Loaded {
  const endBy = now() + request.loadMs;
  const late = lateFault({ kind: "timeout", limit: "cpu", limitMs: request.loadMs });
  return atOnce(loadInSteps(instance, restorer, request, { ...NEVER_SUSPENDS, late: () => (now() >= endBy ? late : undefined) }));
}

/** The parts of its thread that a load needs. */
interface LoadThread extends Pick<GuestHost, "awaited" | "shouldSuspend" | "suspended"> {
  /** Returns the fault once the load's time is over. Polled by the engine. */
  late(): LoadFault | undefined;
}

/** Like `loadPlugin`, on a thread where other guests may run in between. */
export function* loadInSteps(instance: Instance, restorer: Restorer, request: LoadRequest, thread: LoadThread): Steps<Loaded> {
  const modules = createModuleTable(request.files, request.compiler);
  const env = createLoadEnvironment(request, { modules, thread, stack: () => instance.callStack() });
  instance.host = env.host;
  try {
    const namespace = yield* evaluateEntry(instance, [...request.modules.keys()], env);
    const missing = yield* defineModules(instance, namespace, request);
    if (missing !== undefined) return { ok: false, fault: missing };
    yield* instance.callEntry("endLoading", []);
    return { ok: true, image: restorer.capture(instance), warnings: env.warnings };
  } catch (error) {
    const late = env.late();
    if (late !== undefined) return { ok: false, fault: late };
    if (instance.memoryExhausted)
      return { ok: false, fault: { kind: "limit", message: `Loading needs more than ${request.memoryBytes} bytes of memory` } };
    return { ok: false, fault: modules.fault ?? loadFault(error, modules, request.files) };
  }
}

/** Environment of the plugin's top-level code, with a virtual clock. */
interface LoadEnvironment {
  readonly host: GuestHost;
  readonly late: () => LoadFault | undefined;
  /** The values that became part of the image although they should differ between installations or calls. */
  readonly warnings: readonly LoadWarning[];
  /** Advances the virtual clock, for top-level code that awaits a timer. */
  readonly advance: (milliseconds: number) => void;
  /** Returns answers to asynchronous reads of the plugin's own files. */
  readonly takeAnswers: () => readonly { readonly id: number; readonly answer: string; readonly bytes?: Uint8Array }[];
}

interface LoadParts {
  readonly modules: ModuleTable;
  readonly thread: LoadThread;
  /** Reads the guest's stack. */
  readonly stack: () => readonly Frame[];
}

function createLoadEnvironment(request: LoadRequest, { modules, thread, stack }: LoadParts): LoadEnvironment {
  const frozen = new FrozenValues(modules, stack);
  let virtualMs = 0;
  let late: LoadFault | undefined;
  const answers: { id: number; answer: string; bytes?: Uint8Array }[] = [];
  const isLate = (): boolean => (late ??= thread.late()) !== undefined;
  const local: LocalEnvironment = {
    monotonicMs: () => virtualMs,
    isOver: isLate,
    randomBytes: seededBytes(request.digest),
    ...(request.codec !== undefined && { codec: request.codec }),
    ...(request.hash !== undefined && { hash: request.hash }),
    ...(request.supports !== undefined && { supports: request.supports }),
    legacyDecoders: request.legacyDecoders,
  };
  return {
    warnings: frozen.warnings,
    late: () => (isLate() ? late : undefined),
    advance: (milliseconds) => void (virtualMs += milliseconds),
    takeAnswers: () => answers.splice(0),
    host: {
      awaited: thread.awaited,
      shouldSuspend: thread.shouldSuspend,
      suspended: thread.suspended,
      hostCall([id, operation, text, bytes]) {
        if (operation === "load.random") {
          frozen.note("Math.random");
          return { answer: "vnull" };
        }
        if (operation === "crypto.random") frozen.note("crypto");
        const known = LOCAL_OPERATIONS.get(operation);
        if (known !== undefined) return known(text, bytes, local);
        // Log lines during a load are dropped, because they belong to no call. `console.log` is not an error.
        if (operation === "log") return { answer: "vnull" };
        const answered = answerAtLoad(operation, text, request.files);
        if (id === 0) return answered;
        answers.push({ id, ...answered });
        return { answer: undefined };
      },
      shouldInterrupt: isLate,
      now() {
        frozen.note("Date");
        return LOAD_TIME_MS + Math.floor(virtualMs);
      },
      moduleSource: (name) => (name === ENTRY_MODULE ? "" : modules.source(name)),
      moduleName: (from, name) => modules.resolve(from, name),
    },
  };
}

function answerAtLoad(operation: string, told: string, files: ReadonlyMap<string, Uint8Array>): LocalAnswer {
  const own = operation === "fs.readFile" ? answerOwn({ operation, told, maxBytes: Infinity }, files) : undefined;
  return own ?? errorAnswer("NotCapable", `${operation} is not available while the plugin loads; move it into the tool function`);
}

/** Evaluates the module that imports every entry module, and waits for top-level await in virtual time. */
function* evaluateEntry(instance: Instance, files: readonly string[], env: LoadEnvironment): Steps<number> {
  const value = yield* instance.evaluate(entryModuleSource(files), ENTRY_MODULE, "module");
  for (;;) {
    yield* drainJobs(instance, env);
    const state = instance.values.promiseState(value);
    if (state === "none") return value;
    if (state === "fulfilled") return instance.values.promiseResult(value);
    if (state === "rejected") throw new GuestException(yield* instance.values.describe(instance.values.promiseResult(value)));
    const answers = env.takeAnswers();
    for (const { id, answer, bytes } of answers) yield* instance.settle(id, answer, bytes);
    if (answers.length > 0) continue;
    const status = readStatus(yield* instance.callEntry("poll", []));
    if (status.kind === "waiting" && status.timerMs === undefined)
      throw new GuestException({ name: "Error", message: "Top-level await can never settle: nothing is pending", stack: "" });
    env.advance(status.kind === "waiting" ? (status.timerMs ?? 0) : 0);
    yield* instance.callEntry("runTimers", []);
  }
}

function* drainJobs(instance: Instance, env: LoadEnvironment): Steps<void> {
  while ((yield* instance.runJobs(JOBS_A_SLICE)) > 0 && env.late() === undefined);
  if (env.late() !== undefined) throw new GuestException({ name: "InternalError", message: "interrupted", stack: "" });
}

/** Passes the namespaces to the prelude. Returns a fault for the first missing export. */
function* defineModules(
  instance: Instance,
  namespace: number,
  { modules, files }: Pick<LoadRequest, "modules" | "files">,
): Steps<LoadFault | undefined> {
  let index = 0;
  for (const [file, names] of modules) {
    const module = instance.values.property(namespace, `m${index++}`);
    yield* instance.define(file, module);
    for (const name of names) {
      const kind = instance.values.typeOf(instance.values.property(module, name));
      if (kind === "function") continue;
      const written = writtenExports(files.get(file));
      const others = written.slice(0, MOST_NAMED).map((other) => other.name);
      const none = `no such export${others.length === 0 ? "" : ` (it exports ${others.join(", ")})`}`;
      const found = kind === "undefined" ? none : `it is of type ${kind}`;
      const { line, column } = written.find((other) => other.name === name) ?? written[0] ?? {};
      return {
        kind: "no_export",
        message: `Cannot find the function "${name}" in "${file}": ${found}; ${/^[A-Za-z_$][\w$]*$/.test(name) ? `write \`export function ${name}(args, context)\`` : renamed(name)}`,
        file,
        ...(line !== undefined && { line }),
        ...(column !== undefined && { column }),
      };
    }
  }
  return undefined;
}

const MOST_NAMED = 8;
const EXPORT = /^export\s+(?:async\s+)?(?:function\s*\*?|const|let|class)\s+([\w$]{1,64})/gmu;

/** Returns the exports found in a file's text. Only used for advice. */
function writtenExports(
  bytes: Uint8Array | undefined,
): readonly { readonly name: string; readonly line: number; readonly column: number }[] {
  const text = bytes === undefined ? "" : new TextDecoder().decode(bytes);
  return [...text.matchAll(EXPORT)].map((match) => ({
    name: match[1] ?? "",
    ...positionIn(text, match.index + match[0].length - (match[1] ?? "").length),
  }));
}

/** The engine's message for an import that the file does not export. */
const NO_EXPORT = /^Could not find export '([^']*)' in module 'file:\/\/\/\$plugin\/([^']*)'$/;

function textOf(file: string | undefined, files: LoadRequest["files"]): string {
  const bytes = file === undefined ? undefined : files.get(file);
  return bytes === undefined ? "" : new TextDecoder().decode(bytes);
}

function loadFault(error: unknown, modules: ModuleTable, files: LoadRequest["files"]): LoadFault {
  if (!(error instanceof GuestException)) {
    return {
      kind: "trap",
      message: error instanceof RangeError ? "Loading needs more stack than a plugin has" : `The engine stopped: ${String(error)}`,
    };
  }
  const { name, message } = error.guest;
  const stack = modules.authorStack(error.guest.stack);
  const [, wanted, file] = (name === "SyntaxError" && NO_EXPORT.exec(message)) || [];
  if (wanted !== undefined)
    return {
      kind: "import",
      message: `Cannot import "${wanted}" from "${file ?? ""}": no such export (to import a type, write "import type")`,
    };
  const kind = name === "SyntaxError" ? "syntax" : "threw";
  const place = firstPosition(stack);
  const advice = kind === "threw" ? adviceOnReference(name, message) : adviceOnSyntax(textOf(place.file, files), place.line);
  return { kind, message: `${name || "Error"}: ${message}${advice}`, ...place, ...(stack === "" ? {} : { stack }) };
}

/** SplitMix32 over the hash: the same bytes on every load of the same plugin. Not for secrets; calls get real randomness. */
function seededBytes(digest: string): (length: number) => Uint8Array {
  let state = 0;
  for (const character of digest) state = (Math.imul(state, 31) + (character.codePointAt(0) ?? 0)) | 0;
  return (length) => {
    const bytes = new Uint8Array(length);
    for (let index = 0; index < length; index++) {
      state = (state + 0x9e3779b9) | 0;
      let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
      mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
      bytes[index] = (mixed ^ (mixed >>> 15)) & 0xff;
    }
    return bytes;
  };
}
