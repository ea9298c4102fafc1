/** A peer in its process, as the one that measures has it. */

import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { Peer } from "./peer.ts";
import type { ToolName } from "./work.ts";

export type Mode = "fresh" | "warm";

export interface BatchRequest {
  readonly tool: ToolName;
  readonly mode: Mode;
  readonly calls: number;
}

export type ChildAnswer =
  | { readonly type: "ready"; readonly modes: readonly Mode[] }
  | { readonly type: "done"; /** Of the median call. */ readonly ms: number };

export interface Remote extends AsyncDisposable {
  readonly modes: readonly Mode[];
  /** The median call's milliseconds. @throws {Error} if a call failed or answered something else. */
  run(request: BatchRequest): Promise<number>;
}

/** @throws {Error} if the peer cannot be started, a package is not installed, say. */
export async function startRemote({ id, runtime = "node", flags = [] }: Peer): Promise<Remote> {
  const file = fileURLToPath(new URL("child.ts", import.meta.url));
  const [command, words] = runtime === "node" ? [process.execPath, flags] : ["deno", ["run", "-A", "--quiet", ...flags]];
  const child = spawn(command, [...words, file, id], { stdio: ["pipe", "pipe", "pipe"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const next = readAnswers(child);
  const ready = await next();
  if (ready.type !== "ready") throw new Error(`"${id}" does not say that it is ready`);
  return {
    modes: ready.modes,
    async run(request) {
      child.stdin.write(`${JSON.stringify(request)}\n`);
      const answer = await next();
      if (answer.type !== "done") throw new Error(`"${id}" says "${answer.type}" to a batch`);
      return answer.ms;
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await ended;
    },
  };
}

/** Gives the next answer each time. @throws {Error} with the last words of a child that ended in place of one. */
function readAnswers(child: ChildProcessByStdio<Writable, Readable, Readable>): () => Promise<ChildAnswer> {
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4_000)));
  // Writing to a child that is gone; that it is gone is told by its answers, which end.
  child.stdin.on("error", () => undefined);
  return async () => {
    const line = await lines.next();
    // The child is ours.
    if (line.done !== true) return JSON.parse(line.value) as ChildAnswer;
    throw new Error(reasonOf(said));
  };
}

/** Of what a process wrote as it failed, the line that says why. */
function reasonOf(said: string): string {
  const missing = /Cannot find (?:package|module) '([^']+)'/.exec(said);
  if (missing !== null) return `"${missing[1] ?? ""}" is not installed (run npm --prefix bench/peers ci)`;
  return said.split("\n").find((line) => THROWN.test(line)) ?? (said.trim() || "it ended without a word");
}

/** As Node and Deno print what was thrown and not caught. */
const THROWN = /^(?:error: )?(?:Uncaught )?(?:\(in promise\) )?\w*Error\b/;
