/** `bascule waiting`: lists, shows and cancels the calls that wait and survive the host's process (SPEC FR4). */

import type { WaitingCall } from "../../../effects/frozen/frozen-calls.ts";
import { count, printable } from "../../../primitives/text.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { type HostAccess, withHost } from "../host-access.ts";
import { idMeant } from "../id-meant.ts";
import { table } from "../table.ts";

export const waitingCommand: Command = {
  name: "waiting",
  summary: "List, show or cancel calls that wait",
  usage: "waiting [call]",
  details: [
    "Lists the calls that wait for a confirmation or for a time, and that go on after the host was stopped or killed. With a call, shows it. The beginning of an id is enough if no other begins with it.",
    "Calls that compute, or wait for something that ends with the host (a file, a request, another tool), are not listed.",
  ],
  examples: ["waiting", "waiting 0193f1c2", "waiting 0193f1c2 --cancel"],
  positionals: { min: 0, max: 1 },
  options: [{ name: "cancel", about: "Cancel the call; what it did until now stays" }],
  run: (context) => withHost(context, (host) => run(context, host)),
};

async function run(context: CommandContext, { operations }: HostAccess): Promise<number> {
  const { output, positionals, options } = context;
  const waiting = await operations.waiting();
  const [written] = positionals;
  if (written === undefined) return list(context, waiting);
  const named = waiting.map(({ callId, since, tool }) => ({ id: callId, atMs: since, about: tool }));
  const meant = idMeant(written, named, "waiting call", `${output.program} waiting lists them`);
  const call = waiting.find(({ callId }) => callId === meant);
  if (call === undefined) throw new Error(`The call ${meant} is one of the list`);
  if (!options.has("cancel")) {
    for (const [name, value] of facts(call)) output.line(`${output.style.dim(name.padEnd(NAME_WIDTH))} ${printable(value)}`);
    output.document({ ok: true, waiting: call });
    return EXIT.ok;
  }
  const result = await operations.cancelWaiting(meant);
  output.line(result === undefined ? "The call does not wait any more" : `${output.style.yellow("cancelled")} ${printable(call.tool)}`);
  output.document({ ok: true, waiting: call, ...(result && { result }) });
  return EXIT.ok;
}

const NAME_WIDTH = 9;

function list({ output }: CommandContext, waiting: readonly WaitingCall[]): number {
  output.line(waiting.length === 0 ? "No call waits" : `${count(waiting.length, "call")} ${waiting.length === 1 ? "waits" : "wait"}`);
  const rows = waiting.map((call) =>
    [call.callId, call.tool, reasonOf(call), new Date(call.since).toISOString()].map((cell) => printable(cell)),
  );
  const lines = rows.length === 0 ? [] : table(rows, output.style, { head: ["call", "tool", "waits for", "since"], indent: "  " });
  for (const line of lines) output.line(line);
  output.document({ ok: true, waiting });
  return EXIT.ok;
}

function reasonOf({ waitsFor, until, requestId }: WaitingCall): string {
  if (waitsFor === "confirmation") return `confirmation ${requestId ?? ""}`;
  return until === undefined ? "a time" : new Date(until).toISOString();
}

function facts(call: WaitingCall): readonly (readonly [name: string, value: string])[] {
  const { callId, tool, owner, sessionId, since, hasBegun, bytes } = call;
  return [
    ["call", callId],
    ["tool", tool],
    ["waits for", reasonOf(call)],
    ["since", new Date(since).toISOString()],
    ["session", sessionId],
    ...(owner === undefined ? [] : [["client", owner] as const]),
    ["begun", hasBegun ? `yes, ${bytes} bytes are kept` : "no"],
  ];
}
