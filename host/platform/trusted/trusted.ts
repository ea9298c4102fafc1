/** Starts processes for trusted plugins: each gets a folder of its own, two sockets in it, and a confined runtime. */

import type { ChildProcess } from "node:child_process";
import { statSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { cacheFolder } from "../files/cache-folder.ts";
import { toFileError } from "../files/file-errors.ts";
import { FileError } from "../platform.ts";
import { spawnGuarded } from "../processes/process-group.ts";
import { signalGroup } from "../processes/signal-group.ts";
import { listenOnce } from "./listen-once.ts";
import { commandOf, findRuntime } from "./runtime.ts";
import type { TrustedListeners, TrustedProcess, TrustedProcesses, TrustedStart } from "./trusted-types.ts";

/** Maximum bytes of a check: room for the longest checked value. */
const MAX_CHECK_BYTES = 1024 * 1024;
/** Maximum characters of a piece of the plugin's output; longer output comes in several pieces. */
const OUTPUT_PIECE = 16 * 1024;
/** Time to read the remaining output of a process that has ended. */
const LAST_WORDS_MS = 2_000;

export function createTrustedProcesses(): TrustedProcesses {
  return { find: findRuntime, start };
}

async function start(options: TrustedStart, listeners: TrustedListeners): Promise<TrustedProcess> {
  const runtime = findRuntime(options.confinement);
  if (runtime === undefined) throw new FileError("not_found", "Deno is not installed");
  const root = await makeFolder();
  const sockets: { close(): void }[] = [];
  try {
    const code = join(root, "plugin");
    const [channel, broker] = [join(root, "c"), join(root, "b")];
    const importMap = join(root, "imports.json");
    await writeFile(importMap, importMapText(options, code), { mode: 0o600 });
    const messages = await listenOnce(channel, options.maxLineBytes, listeners.onMessage);
    sockets.push(messages);
    const checks = options.confinement === "none" ? undefined : await listenOnce(broker, MAX_CHECK_BYTES, listeners.onCheck);
    if (checks !== undefined) sockets.push(checks);
    const { command, env } = commandOf(runtime, { ...options, root, channel, broker, importMap });
    const [file, ...args] = command;
    const child = spawnGuarded({ file, args, cwd: isFolder(options.cwd) ? options.cwd : root, env: { ...options.env, ...env } });
    // A broken stream means that the process ended.
    for (const stream of child.stdio) stream?.on("error", () => {});
    child.stdin?.end();
    for (const stream of ["stdout", "stderr"] as const) {
      child[stream]?.setEncoding("utf8").on("data", (text: string) => {
        for (let at = 0; at < text.length; at += OUTPUT_PIECE) listeners.onOutput(stream, text.slice(at, at + OUTPUT_PIECE));
      });
    }
    const ended = endOf(child);
    const copied = copy(options.files, code);
    const ready = Promise.all([copied, messages.connected]).then(() => undefined);
    // Callers that await `ready` see the error; without one it must not be unhandled.
    ready.catch(() => undefined);
    let ending: Promise<void> | undefined;

    async function end(): Promise<void> {
      // After the exit the number may belong to another process; the rest of the group was already killed.
      if (child.exitCode === null && child.signalCode === null) signalGroup(child, "SIGKILL");
      for (const socket of sockets) socket.close();
      await ended;
      await copied.catch(() => undefined);
      await rm(root, { recursive: true, force: true });
    }

    return {
      root,
      code,
      channel,
      ready,
      send: messages.send,
      answer: (line) => checks?.send(line),
      ended,
      end: () => (ending ??= end()),
    };
  } catch (thrown) {
    for (const socket of sockets) socket.close();
    await rm(root, { recursive: true, force: true });
    throw thrown instanceof FileError ? thrown : toFileError(thrown);
  }
}

/**
 * Creates a folder with mode 0700, under an unpredictable name, and where no tool may write under any grant (`host/project/places.ts`). In
 * the system's temporary folder another plugin could change the code before it runs.
 */
async function makeFolder(): Promise<string> {
  try {
    const runs = cacheFolder("run");
    await mkdir(runs, { recursive: true, mode: 0o700 });
    return await realpath(await mkdtemp(join(runs, "p")));
  } catch (thrown) {
    throw toFileError(thrown);
  }
}

async function copy(files: ReadonlyMap<string, Uint8Array>, code: string): Promise<void> {
  try {
    const folders = new Set([...files.keys()].map((path) => dirname(join(code, path))));
    await mkdir(code, { mode: 0o700 });
    for (const folder of folders) await mkdir(folder, { recursive: true, mode: 0o700 });
    await Promise.all([...files].map(([path, bytes]) => writeFile(join(code, path), bytes, { mode: 0o400, flag: "wx" })));
  } catch (thrown) {
    throw toFileError(thrown);
  }
}

/** Returns the import map in the form of deno.json; on Node bascule's own code reads it. */
function importMapText({ imports }: TrustedStart, code: string): string {
  return JSON.stringify({ imports: Object.fromEntries(imports.map(([name, file]) => [name, pathToFileURL(join(code, file)).href])) });
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.on("error", (error) => {
      // `exit` is not emitted if no process started.
      if (child.pid === undefined) resolve(`it did not start: ${error.message}`);
    });
    child.on("exit", (code, signal) => {
      const how = signal === null ? `exit code ${code ?? "unknown"}` : `signal ${signal}`;
      // Output may arrive after the exit, or never end while another process holds the streams.
      const timer = setTimeout(() => resolve(how), LAST_WORDS_MS);
      child.once("close", () => {
        clearTimeout(timer);
        resolve(how);
      });
      signalGroup(child, "SIGKILL");
    });
  });
}
