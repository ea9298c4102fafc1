/** What a plugin will never have, or not yet: it exists and says what to use instead (SPEC PB4). */

import { toGuestError } from "./deno-errors.ts";
import { type Callable, define, promiseReject } from "./primordials.ts";
import { nameFunction } from "./webidl.ts";

interface Refusal {
  readonly name: string;
  readonly advice: string;
  /** Answers a rejected promise, as the real one would. */
  readonly isAsync?: boolean;
}

const NO_PROCESSES = "a plugin cannot start processes; offer the step as a tool that the user lists as trusted";
const NO_SOCKETS = "a plugin cannot open sockets; use fetch where it is granted";
const NO_SERVERS = "a plugin cannot listen; bascule's own doors serve its tools";
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
  { name: "open", advice: "it comes later; use Deno.readFile and Deno.writeFile", isAsync: true },
  { name: "openSync", advice: "it comes later; use Deno.readFileSync and Deno.writeFileSync" },
  { name: "create", advice: "it comes later; use Deno.writeFile", isAsync: true },
  { name: "createSync", advice: "it comes later; use Deno.writeFileSync" },
];

const GLOBALS: readonly Refusal[] = [
  { name: "fetch", advice: "requests come in a later version; let the caller fetch and pass the text as an argument", isAsync: true },
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
  // A plain function: it can be called with and without `new`.
  const refusal = function (): Promise<never> {
    if (isAsync) return promiseReject(refuse());
    throw refuse();
  };
  nameFunction(refusal, name);
  return refusal;
}

export function installUnavailable(global: object, deno: object): void {
  for (const refusal of DENO) define(deno, refusal.name, refusing(refusal, "Deno."), true);
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
