/** Entry file of the sandbox's process, on Node and on Deno. */

import { writeSync } from "node:fs";
import { Socket } from "node:net";
import { serveProcess } from "../../../sandbox/mod.ts";
import { sharedNow } from "../threads/shared-clock.ts";
import { workerStarter } from "../threads/workers.ts";

/** Uses a socket because Deno's standard input takes twice as long. Windows pipes differ. */
const input = process.platform === "win32" ? process.stdin : new Socket({ fd: 0, readable: true, writable: false });
const OUTPUT = 1;
const NEVER = new Int32Array(new SharedArrayBuffer(4));

mustBeConfined();

serveProcess({
  send(pieces) {
    for (const piece of pieces) write(piece);
  },
  onData(listener) {
    input.on("data", listener);
    // The host is gone or has closed this process.
    for (const end of ["end", "close", "error"]) input.on(end, () => process.exit(0));
  },
  threads: {
    start: workerStarter({}),
    language: navigator.language,
    // Only the image cache needs it, which runs in the host.
    timeZone: () => "",
    runtime: "",
    now: sharedNow,
    after(delayMs, task) {
      const timer = setTimeout(task, delayMs);
      return () => clearTimeout(timer);
    },
  },
});

/** Refuses to run unconfined, because something between the host and this process may have dropped the permissions. */
function mustBeConfined(): void {
  const { Deno: deno } = globalThis as {
    readonly Deno?: { readonly permissions: { querySync(what: { readonly name: string }): { readonly state: string } } };
  };
  const isFree =
    deno === undefined
      ? process.permission?.has("fs.read", "/") !== false || process.permission.has("child")
      : ["read", "write", "net", "env", "run", "ffi", "sys"].some((name) => deno.permissions.querySync({ name }).state === "granted");
  if (isFree) throw new Error("The sandbox's process was started without confinement");
}

/** Writes and waits while the host does not read, so that nothing accumulates here. */
function write(piece: Uint8Array): void {
  for (let at = 0; at < piece.length;) {
    try {
      at += writeSync(OUTPUT, piece, at);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) process.exit(0);
      Atomics.wait(NEVER, 0, 0, 1);
    }
  }
}
