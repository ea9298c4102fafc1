/** A peer in its own process, as seen by the comparing process. */

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
  | { readonly type: "done"; /** Time of the median call. */ readonly ms: number };

export interface Remote extends AsyncDisposable {
  readonly modes: readonly Mode[];
  /** Returns the median call's milliseconds. @throws {Error} if a call failed or its answer is wrong. */
  run(request: BatchRequest): Promise<number>;
}

/** @throws {Error} if the peer cannot be started, for example because a package is not installed. */
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

/** Returns the next answer at each call. @throws {Error} with the last output of the child if it ended instead. */
function readAnswers(child: ChildProcessByStdio<Writable, Readable, Readable>): () => Promise<ChildAnswer> {
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4_000)));
  // Ignore write errors of an ended child: the end of its answers reports it.
  child.stdin.on("error", () => undefined);
  return async () => {
    const line = await lines.next();
    // Answers are trusted: the child is this program.
    if (line.done !== true) return JSON.parse(line.value) as ChildAnswer;
    throw new Error(reasonOf(said));
  };
}

/** Finds the line with the reason in the output of a failed process. */
function reasonOf(said: string): string {
  const missing = /Cannot find (?:package|module) '([^']+)'/.exec(said);
  if (missing !== null) return `"${missing[1] ?? ""}" is not installed (run npm --prefix bench/peers ci)`;
  return said.split("\n").find((line) => THROWN.test(line)) ?? (said.trim() || "it ended without a word");
}

/** Uncaught errors as Node and Deno print them. */
const THROWN = /^(?:error: )?(?:Uncaught )?(?:\(in promise\) )?\w*Error\b/;
