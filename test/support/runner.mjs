/**
 * A runner for tests: uses the line protocol of docs/ipc.md over stdin and stdout, on Node and Deno.
 *
 * BASCULE_RUNNER_BEHAVIOR selects the behaviour: `echo` calls the tool `echo` once, `loop` calls it endlessly, `crash` exits after a
 * call without waiting for the answer, `tool_call=<json>` makes that call. Answers are written to the file in its argument.
 */

import { appendFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";

const [behaviour = "echo", ...rest] = (process.env.BASCULE_RUNNER_BEHAVIOR ?? "echo").split("=");
const [answers = "/dev/null"] = process.argv.slice(2);
const ECHO = { tool: "echo", args: { text: "hello" } };

let calls = 0;
const send = (call) => process.stdout.write(`${JSON.stringify({ op: "tool_call", tool_call_id: String((calls += 1)), ...call })}\n`);

createInterface({ input: process.stdin })
  .on("line", (line) => {
    appendFileSync(answers, `${line}\n`);
    if (behaviour === "loop") send(ECHO);
    else process.exit(0);
  })
  .on("close", () => process.exit(0));

writeFileSync(`${answers}.pid`, String(process.pid));
if (behaviour === "crash")
  process.stdout.write(`${JSON.stringify({ op: "tool_call", tool_call_id: "1", ...ECHO })}\n`, () => process.exit(7));
else send(behaviour === "tool_call" ? JSON.parse(rest.join("=")) : ECHO);
