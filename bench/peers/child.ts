/**
 * The process that one peer runs in: `node child.ts ID`. Each peer has its own, because some change the whole realm (SES), need
 * another command line (isolated-vm) or another runtime. Requests and answers are lines of JSON on stdin and stdout.
 */

import { createInterface } from "node:readline";
import { median, mustBe } from "../measure.ts";
import { PEERS } from "./mod.ts";
import type { Call } from "./peer.ts";
import type { BatchRequest, ChildAnswer } from "./remote.ts";
import { ARGS, type ToolName, wantedAnswers } from "./work.ts";

const wanted = await wantedAnswers();
const peer = PEERS.find(({ id }) => id === process.argv[2]);
if (peer === undefined) throw new Error(`Unknown peer "${process.argv[2] ?? ""}"`);

const running = await peer.start();
const { warm, fresh } = running;
say({ type: "ready", modes: warm === undefined ? ["fresh"] : ["fresh", "warm"] });
for await (const line of createInterface({ input: process.stdin })) {
  // Requests are trusted: the parent is this program.
  const { tool, mode, calls } = JSON.parse(line) as BatchRequest;
  say({ type: "done", ms: await runBatch((mode === "warm" ? warm : undefined) ?? fresh, tool, calls) });
}
await running.close?.();
process.exit(0);

/** Returns the median call's milliseconds. Answers are checked afterwards. @throws {Error} if one is wrong. */
async function runBatch(call: Call, tool: ToolName, calls: number): Promise<number> {
  const args = ARGS[tool];
  const answers: unknown[] = [];
  const taken: number[] = [];
  for (let index = 0; index < calls; index++) {
    const begin = performance.now();
    const promised = call(tool, args);
    const answer: unknown = promised instanceof Promise ? await promised : promised;
    taken.push(performance.now() - begin);
    answers.push(answer);
  }
  for (const answer of answers) mustBe(typeof answer === "string" ? JSON.parse(answer) : answer, JSON.parse(wanted[tool]));
  return median(taken);
}

function say(answer: ChildAnswer): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
