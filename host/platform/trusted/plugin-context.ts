/** The second argument of a tool in a process of its own, with the shape of `sandbox/guest/call/context.ts` (SPEC D7, C8). */

import { refuseLost } from "../lost-values.ts";
import { createData } from "./plugin-data.ts";

/** Functions that reach the host. */
export interface Reach {
  readonly signal: AbortSignal;
  readonly request: (name: string, args: object, bytes?: Uint8Array) => Promise<{ readonly value: unknown; readonly bytes: Uint8Array }>;
  readonly log: (level: string, values: readonly unknown[]) => void;
  readonly progress: (value: unknown) => void;
}

/** Marks values made by `context.output`; a plugin may use the symbol itself. */
export const TOOL_OUTPUT: symbol = Symbol.for("bascule.toolOutput");

/** Facts of the call in the sandbox's order; absent ones are undefined members. */
const TOLD = [
  "sessionId",
  "turnId",
  "callId",
  "idempotencyKey",
  "agentId",
  "traceparent",
  "workspacePath",
  "settings",
  "permissions",
  "deadline",
];
const LEVELS = ["debug", "info", "warn", "error"];

/** Creates the context. @param told the facts of the call, as JSON */
export function createContext(told: object, { signal, request, log, progress }: Reach): object {
  return Object.freeze({
    ...Object.fromEntries(TOLD.map((name) => [name, Reflect.get(told, name) as unknown])),
    signal,
    log: Object.freeze({
      ...Object.fromEntries(LEVELS.map((level) => [level, (...values: unknown[]) => log(level, values)])),
      write(level: unknown, ...values: unknown[]) {
        if (typeof level !== "string" || !LEVELS.includes(level))
          throw new TypeError(`Unknown log level "${String(level)}" (use debug, info, warn or error)`);
        log(level, values);
      },
    }),
    workspace: Object.freeze(createWorkspace(request)),
    data: createData(Reflect.get(told, "dataPath"), request),
    tools: Object.freeze({ call: async (name: unknown, args: unknown = {}) => await callTool(request, String(name), args) }),
    progress(value: unknown) {
      const text = JSON.stringify(value);
      if (text === undefined) throw new TypeError("The progress value is not JSON");
      refuseLost(value, text, "progress");
      progress(value);
    },
    output: (parts: object) => Object.assign({ [TOOL_OUTPUT]: true }, parts),
    error(message: unknown, details?: unknown) {
      const made = Object.assign(new Error(String(message)), { name: "ToolError" });
      return details === undefined ? made : Object.assign(made, { details });
    },
  });
}

/** Calls a tool. The host answers as it answers `sandbox/guest/call/tools.ts`. */
async function callTool(request: Reach["request"], name: string, args: unknown): Promise<unknown> {
  const text = JSON.stringify(args);
  if (text === undefined) throw new TypeError("The arguments of a tool must be a JSON object");
  refuseLost(args, text, "arguments");
  let { value } = await request("tools.call", { name, args });
  for (let step = stepOf(value); step !== undefined; step = stepOf(value)) {
    await request("tools.asked", { step });
    ({ value } = await request("tools.result", { step }));
  }
  const answer = value as
    | { readonly ok: true; readonly output: unknown }
    | { readonly ok: false; readonly error: { readonly code: string; readonly message: string; readonly tool: string } };
  if (answer.ok) return answer.output;
  const { code, message, tool } = answer.error;
  throw Object.assign(new Error(message), { name: "ToolError", code, tool });
}

/** Returns the step of a call that needs a confirmation first. */
function stepOf(value: unknown): number | undefined {
  const { asks } = (value ?? {}) as { readonly asks?: unknown };
  return typeof asks === "number" ? asks : undefined;
}

/** Creates the workspace files. The host does the work with the sandbox's checks, so that a rename race gains nothing. */
function createWorkspace(request: Reach["request"]): object {
  const text = new TextEncoder();
  const onPath = (name: string, path: unknown, more: object = {}): ReturnType<Reach["request"]> =>
    request(`workspace.${name}`, { path: String(path), ...more });
  const write = async (path: unknown, bytes: Uint8Array, append: boolean): Promise<void> =>
    void (await request("workspace.write", { path: String(path), append }, bytes));
  return {
    read: async (path: unknown, range: object = {}) =>
      new TextDecoder("utf-8", { ignoreBOM: true }).decode((await onPath("read", path, range)).bytes),
    readBytes: async (path: unknown, range: object = {}) => (await onPath("read", path, range)).bytes,
    write: async (path: unknown, contents: unknown) => await write(path, text.encode(requireText(contents)), false),
    writeBytes: async (path: unknown, bytes: Uint8Array) => await write(path, bytes, false),
    append: async (path: unknown, contents: unknown) => await write(path, text.encode(requireText(contents)), true),
    readMany: async (paths: unknown) => await readMany(request, paths),
    walk: async (path: unknown = ".", { extensions, hidden }: { readonly extensions?: unknown; readonly hidden?: unknown } = {}) =>
      (await request("tree.walk", { path: String(path), extensions, hidden: hidden === true })).value,
    exists: async (path: unknown) => (await onPath("exists", path)).value === true,
    list: async (path: unknown = ".") => (await onPath("list", path)).value,
    delete: async (path: unknown) => void (await onPath("delete", path)),
    patch: async (path: unknown, old: unknown, replacement: unknown) => void (await onPath("patch", path, { old, replacement })),
  };
}

/** Most files that one operation reads (`host/capabilities/files/tree.ts`). */
const BATCH = 1_000;

interface FileText {
  readonly path: string;
  readonly text?: string;
  readonly error?: string;
}

/** Reads the files as text, in order. The host answers as it answers `sandbox/guest/call/workspace.ts`. */
async function readMany(request: Reach["request"], paths: unknown): Promise<FileText[]> {
  if (!Array.isArray(paths)) throw new TypeError("The paths must be a list");
  const all = paths.map(String);
  const files: FileText[] = [];
  while (files.length < all.length) {
    const batch = all.slice(files.length, files.length + BATCH);
    const { value, bytes } = await request("tree.read", { paths: batch });
    const { lengths, errors } = value as { readonly lengths: string; readonly errors: readonly (readonly [number, string, string])[] };
    const failed = new Map(errors.map(([index, name, message]) => [index, `${name}: ${message}`]));
    let at = 0;
    for (const [index, length] of lengths.split(",").entries()) {
      const error = failed.get(index);
      const path = batch[index] ?? "";
      files.push(error === undefined ? { path, text: new TextDecoder().decode(bytes.subarray(at, at + Number(length))) } : { path, error });
      at += Number(length);
    }
  }
  return files;
}

function requireText(text: unknown): string {
  if (typeof text !== "string") throw new TypeError("The text must be a string");
  return text;
}
