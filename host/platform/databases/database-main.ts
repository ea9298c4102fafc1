/**
 * Entry file of a database's process, on Node and on Deno: takes one request at a time, and answers it.
 *
 * SQLite cannot be interrupted from JavaScript, and a thread that runs a statement cannot be ended; a process can. It holds one plugin's
 * database and nothing else.
 */

import { Socket } from "node:net";
import { writeSync } from "node:fs";
import { createPluginDatabase, DatabaseFailure, type RequestHead } from "./plugin-database.ts";
import { type DatabaseFrame, encodeFrame, FrameReader } from "./database-frames.ts";

const [, , path = ""] = process.argv;
const database = createPluginDatabase(path);
const input = process.platform === "win32" ? process.stdin : new Socket({ fd: 0, readable: true, writable: false });
const OUTPUT = 1;
const NEVER = new Int32Array(new SharedArrayBuffer(4));

const reader = new FrameReader(Infinity);
input.on("data", (chunk: Uint8Array) => {
  for (const { head, body } of reader.push(chunk)) for (const piece of answer(head, body)) write(piece);
});
// The host is gone.
for (const end of ["end", "close", "error"]) input.on(end, () => process.exit(0));

function answer(head: object, body: Uint8Array): DatabaseFrame {
  try {
    // The host wrote the head.
    return encodeFrame({ ok: true }, Buffer.from(database.run(head as RequestHead, new TextDecoder().decode(body))));
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    return encodeFrame({
      ok: false,
      name,
      message: message.slice(0, 2_000),
      ...(error instanceof DatabaseFailure && { code: error.code }),
    });
  }
}

/** As in `isolation/process-main.ts`; this process may read no folder but its own. */
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
