/** APIs that a plugin does not have: each exists and throws an error that names the alternative (SPEC PB4). */

import { toGuestError } from "../deno/deno-errors.ts";
import { type Callable, define, promiseReject } from "./primordials.ts";
import { nameFunction } from "../web/webidl.ts";

interface Refusal {
  readonly name: string;
  readonly advice: string;
  /** Whether it returns a rejected promise, like the original. */
  readonly isAsync?: boolean;
}

const NO_PROCESSES = "a plugin cannot start processes; offer the step as a tool that the user lists as trusted";
const NO_SOCKETS = "a plugin cannot open sockets; use fetch where it is granted";
const NO_SERVERS = "a plugin cannot listen on a port; bascule serves its tools";
const NO_THREADS = "a plugin has one thread; split the work into several calls";

const DENO: readonly Refusal[] = [
  { name: "Command", advice: NO_PROCESSES },
  { name: "run", advice: NO_PROCESSES },
  { name: "kill", advice: NO_PROCESSES },
  { name: "dlopen", advice: "a plugin cannot load native libraries; use a pure JavaScript package" },
  { name: "serve", advice: NO_SERVERS },
  { name: "listen", advice: NO_SERVERS },
  { name: "listenTls", advice: NO_SERVERS },
  { name: "listenDatagram", advice: NO_SERVERS },
  { name: "connect", advice: NO_SOCKETS, isAsync: true },
  { name: "connectTls", advice: NO_SOCKETS, isAsync: true },
  { name: "startTls", advice: NO_SOCKETS, isAsync: true },
  { name: "resolveDns", advice: NO_SOCKETS, isAsync: true },
  { name: "openKv", advice: "a plugin has no database; keep data in files of the workspace", isAsync: true },
  { name: "chdir", advice: "the working directory is the session's workspace; use absolute paths" },
  { name: "exit", advice: "return from the tool function, or throw" },
  { name: "watchFs", advice: "a plugin runs for one call; look at the files when called" },
  { name: "symlink", advice: "a plugin cannot make links; copy the file", isAsync: true },
  { name: "symlinkSync", advice: "a plugin cannot make links; copy the file" },
  { name: "link", advice: "a plugin cannot make links; copy the file", isAsync: true },
  { name: "linkSync", advice: "a plugin cannot make links; copy the file" },
  ...refusals(NO_PROCESSES, ["spawn", "spawnAndWait", "spawnAndWaitSync", "execPath"]),
  ...refusals(NO_SERVERS, ["upgradeWebSocket"]),
  ...refusals(NO_SOCKETS, ["createHttpClient", "networkInterfaces"]),
  ...refusals("a plugin receives no signals; use context.signal", ["addSignalListener", "removeSignalListener"]),
  ...refusals("a plugin cannot change owners and modes of files", ["chmodSync", "chownSync", "umask"]),
  ...refusals("a plugin cannot change owners and modes of files", ["chmod", "chown"], true),
  ...refusals("a plugin cannot change the times of files", ["utimeSync"]),
  ...refusals("a plugin cannot change the times of files", ["utime"], true),
  ...refusals("use Deno.realPath", ["readLink"], true),
  ...refusals("use Deno.realPathSync", ["readLinkSync"]),
  ...refusals("a plugin cannot see the machine that it runs on", [
    ...["consoleSize", "cpuUsage", "gid", "hostname", "loadavg", "memoryUsage", "osRelease", "osUptime", "systemMemoryInfo", "uid"],
  ]),
];

const GLOBALS: readonly Refusal[] = [
  { name: "WebSocket", advice: NO_SOCKETS },
  { name: "EventSource", advice: NO_SOCKETS },
  { name: "Worker", advice: NO_THREADS },
  { name: "SharedWorker", advice: NO_THREADS },
  { name: "BroadcastChannel", advice: NO_THREADS },
];

const WEB_ASSEMBLY = [
  "compile",
  "instantiate",
  "compileStreaming",
  "instantiateStreaming",
  "validate",
  "Module",
  "Instance",
  "Memory",
  "Table",
];

function refusing({ name, advice, isAsync = false }: Refusal, prefix = ""): Callable {
  const refuse = (): Error => toGuestError({ name: "NotSupported", message: `Cannot use ${prefix}${name} in a plugin: ${advice}` });
  // A plain function, because it can be called with and without `new`.
  const refusal = function (): Promise<never> {
    if (isAsync) return promiseReject(refuse());
    throw refuse();
  };
  nameFunction(refusal, name);
  return refusal;
}

function refusals(advice: string, names: readonly string[], isAsync = false): readonly Refusal[] {
  return names.map((name) => ({ name, advice, isAsync }));
}

/** Creates `Deno.stdin` and similar streams: not a terminal, with nothing to read or write. */
function createStream(name: string, advice: string): object {
  const stream = {};
  const isInput = name === "stdin";
  const methods = isInput ? ["read"] : ["write"];
  for (const method of methods) {
    define(stream, method, refusing({ name: method, advice, isAsync: true }, `Deno.${name}.`), true);
    define(stream, `${method}Sync`, refusing({ name: `${method}Sync`, advice }, `Deno.${name}.`), true);
  }
  if (isInput) define(stream, "setRaw", refusing({ name: "setRaw", advice }, "Deno.stdin."), true);
  define(stream, "isTerminal", () => false, true);
  define(stream, "close", () => undefined, true);
  return stream;
}

export function installUnavailable(global: object, deno: object): void {
  for (const refusal of DENO) define(deno, refusal.name, refusing(refusal, "Deno."), true);
  define(deno, "stdin", createStream("stdin", "a tool gets its input as arguments"), true);
  define(deno, "stdout", createStream("stdout", "return the result, or use console.log"), true);
  define(deno, "stderr", createStream("stderr", "use console.error"), true);
  for (const refusal of GLOBALS) define(global, refusal.name, refusing(refusal));
  const webAssembly = {};
  for (const name of WEB_ASSEMBLY) {
    const isAsync = name === "compile" || name === "instantiate" || name.endsWith("Streaming");
    define(
      webAssembly,
      name,
      refusing({ name, isAsync, advice: "the plugin runs inside WebAssembly itself; use JavaScript" }, "WebAssembly."),
    );
  }
  define(global, "WebAssembly", webAssembly);
}
