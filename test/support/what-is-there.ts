/** Takes snapshots of a process's state that outlives a test, for `leaves-nothing.ts`. */

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import process from "node:process";
import { REPOSITORY } from "./source-files.ts";

/** Snapshot of the state: descriptions of resources by kind, and globals. */
export interface WhatIsThere {
  readonly things: ReadonlyMap<string, readonly string[]>;
  /** Values of globals and members of built-in objects. */
  readonly globals: ReadonlyMap<string, unknown>;
}

/** @param temporary the folder for temporary files */
export function whatIsThere(temporary: string): WhatIsThere {
  const things = new Map<string, readonly string[]>([
    ["the variable", Object.entries(process.env).map(([name, value]) => `${name}=${value ?? ""}`)],
    ["the working directory", [process.cwd()]],
    [
      "a listener of the process for",
      process.eventNames().flatMap((name) => Array.from({ length: process.listenerCount(name) }, () => String(name))),
    ],
    ["what keeps a process alive:", process.getActiveResourcesInfo()],
    ["a thread:", threads()],
    ["a child process:", children()],
    ["a socket that listens:", listening()],
    ["an open file:", openFiles(temporary)],
    ["in the folder for temporary files:", readdirSync(temporary)],
    ["in the repository:", readdirSync(REPOSITORY)],
  ]);
  return { things, globals: new Map(objects().flatMap(([name, object]) => valuesOf(name, object))) };
}

/** Returns additions and changes between two snapshots, one line each. */
export function describeChange(before: WhatIsThere, after: WhatIsThere): readonly string[] {
  const lines = [...after.things].flatMap(([kind, things]) =>
    surplus(things, before.things.get(kind) ?? []).map((thing) => `${kind} ${thing}`),
  );
  for (const [name, value] of before.things
    .get("the variable")
    ?.map((text) => text.split("=", 1))
    .map(([name = ""]) => [name, process.env[name]] as const) ?? [])
    if (value === undefined) lines.push(`no variable ${name}`);
  for (const [name, value] of after.globals)
    if (!before.globals.has(name)) lines.push(`a global that was not there: ${name} (${typeof value})`);
  for (const [name, value] of before.globals) if (isOther(value, after.globals.get(name))) lines.push(`another value: ${name}`);
  return lines;
}

/** Returns the entries of `things` that exceed those in `known`. */
function surplus(things: readonly string[], known: readonly string[]): readonly string[] {
  const rest = [...known];
  return things.filter((thing) => {
    const at = rest.indexOf(thing);
    if (at !== -1) rest.splice(at, 1);
    return at === -1;
  });
}

/** An accessor, compared by its getter: reading it could load its value. */
interface Accessor {
  readonly read: unknown;
}

function isOther(before: unknown, after: unknown): boolean {
  if (isAccessor(before)) return isAccessor(after) && before.read !== after.read;
  return !Object.is(before, after);
}

function isAccessor(value: unknown): value is Accessor {
  return typeof value === "object" && value !== null && Object.hasOwn(value, "read") && Object.keys(value).length === 1;
}

function objects(): readonly (readonly [name: string, object: object])[] {
  const built = [
    ...[
      Object,
      Function,
      Array,
      String,
      Number,
      Boolean,
      Symbol,
      BigInt,
      Promise,
      Map,
      Set,
      WeakMap,
      WeakSet,
      WeakRef,
      RegExp,
      Date,
      Error,
    ],
    ...[
      TypeError,
      RangeError,
      ArrayBuffer,
      SharedArrayBuffer,
      DataView,
      Uint8Array,
      Object.getPrototypeOf(Uint8Array) as typeof Uint8Array,
    ],
    ...[URL, URLSearchParams, TextEncoder, TextDecoder, AbortController, AbortSignal, Event, EventTarget],
  ];
  return [
    ["globalThis", globalThis],
    ...Object.entries({ JSON, Math, Reflect, Atomics, WebAssembly, console, process }),
    ...built.flatMap((made) => [[made.name, made] as const, [`${made.name}.prototype`, made.prototype as object] as const]),
  ];
}

function valuesOf(object: string, of: object): readonly (readonly [string, unknown])[] {
  return Object.entries(Object.getOwnPropertyDescriptors(of)).flatMap(([key, { value, get }]): readonly (readonly [string, unknown])[] => {
    // Skip members of the test runner, and members of `process` that are not functions and change by themselves.
    if (key.startsWith("__vitest") || (of === process && typeof value !== "function")) return [];
    return [[`${object}.${key}`, get === undefined ? value : ({ read: get } satisfies Accessor)]];
  });
}

/** Lists a folder. Returns nothing if it does not exist, as for `/proc` outside Linux. */
function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Reads a file. Returns an empty text if it no longer exists. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return "";
  }
}

/** Returns the worker threads, including unreferenced ones. Node names them WorkerThread, Deno worker-<number>. */
function threads(): readonly string[] {
  const names = entriesOf("/proc/self/task").map((id) => textOf(`/proc/self/task/${id}/comm`));
  return names.filter((name) => /^(?:WorkerThread|worker-\d+)$/u.test(name)).map(() => "a worker");
}

/** Returns the child processes, except esbuild's, which is started once and kept. */
function children(): readonly string[] {
  const ids = entriesOf("/proc/self/task").flatMap((id) => textOf(`/proc/self/task/${id}/children`).split(" "));
  return ids.map((id) => textOf(`/proc/${id}/comm`)).filter((name) => name !== "" && name !== "esbuild");
}

function linksOf(): readonly string[] {
  return entriesOf("/proc/self/fd").map((id) => {
    try {
      return readlinkSync(`/proc/self/fd/${id}`);
    } catch {
      return "";
    }
  });
}

function openFiles(temporary: string): readonly string[] {
  return linksOf().filter((link) => link.startsWith(temporary));
}

function listening(): readonly string[] {
  const own = new Set(linksOf().flatMap((link) => /^socket:\[(\d+)\]$/u.exec(link)?.[1] ?? []));
  const rows = (file: string): readonly (readonly string[])[] =>
    textOf(file)
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/u));
  const tcp = [...rows("/proc/self/net/tcp"), ...rows("/proc/self/net/tcp6")];
  return [
    // Columns 3 and 9 are state and inode; the port is hexadecimal.
    ...tcp
      .filter((row) => row[3] === "0A" && own.has(row[9] ?? ""))
      .map((row) => `port ${Number.parseInt(row[1]?.split(":")[1] ?? "", 16)}`),
    ...rows("/proc/self/net/unix")
      .filter((row) => row[3] === "00010000" && own.has(row[6] ?? ""))
      .map((row) => row[7] ?? "without a name"),
  ];
}
