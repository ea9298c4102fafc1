/** `bascule approve` and `bascule deny`: answer a pending confirmation of a running host (SPEC E5). */

import type { ToolResult } from "../../../call/call.ts";
import type { PendingConfirmation } from "../../../confirmations/pending.ts";
import { CliError } from "../cli-error.ts";
import { askYes } from "../ask.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT, exitCodeFor } from "../exit-codes.ts";
import { questionLines } from "../confirm.ts";
import { idMeant } from "../id-meant.ts";
import { type HostAccess, withHost } from "../host-access.ts";
import type { ReaderPlace } from "../plugin-text.ts";
import { failureLines, successText } from "../result-text.ts";
import { count, printable } from "../../../primitives/text.ts";

export const approveCommand: Command = answerCommand("approve", "Approve a call that waits for confirmation", true);
export const denyCommand: Command = answerCommand("deny", "Deny a call that waits for confirmation", false);

function answerCommand(name: string, summary: string, approve: boolean): Command {
  return {
    name,
    summary,
    usage: `${name} [id]`,
    details: [
      "Without an id, lists the pending confirmations. The beginning of an id is enough if no other begins with it. The answer applies to the call as shown: if the call changes, it needs a new confirmation.",
      ...(approve
        ? [
            "Shows the result of the call when it has ended, for at most a minute.",
            "Asks on a terminal, so that a program that runs commands for a model does not approve by accident. The console can approve too.",
            "This is not a security boundary: any program that runs as you can open a terminal or connect to the host's socket.",
          ]
        : []),
    ],
    examples: [name, `${name} 0193f1c2`],
    positionals: { min: 0, max: 1 },
    options: [],
    run: (context) => withHost(context, (host) => answer(context, host, approve)),
  };
}

async function answer(context: CommandContext, host: HostAccess, approve: boolean): Promise<number> {
  const { output, positionals } = context;
  const [id] = positionals;
  const pending = await host.operations.pending();
  if (id === undefined) return list(context, pending);
  const named = pending.map(({ request, askedAt }) => ({ id: request.requestId, atMs: askedAt, about: request.tool }));
  const meant = idMeant(id, named, "confirmation", `${output.program} approve lists pending confirmations`);
  const question = pending.find(({ request }) => request.requestId === meant);
  if (question === undefined) throw new Error(`The confirmation ${meant} is one of the list`);
  for (const line of questionLines(question.request, output)) output.line(line);
  if (approve && !(await confirmApproval(context))) {
    output.line("Not approved; the call still waits");
    output.document({ ok: false, approved: false, request: question.request });
    return EXIT.denied;
  }
  const { requestId, hash } = question.request;
  const outcome = await host.operations.resolve(requestId, { approve, hash });
  if (outcome === "unknown") throw new CliError("answered", "The confirmation was already answered or has expired");
  if (outcome === "changed")
    throw new CliError("changed", "The call changed after it was shown", { hints: [`${output.program} approve shows it again`] });
  output.line(approve ? output.style.green("approved") : output.style.yellow("denied"));
  if (!approve) {
    output.document({ ok: true, approved: false, request: question.request });
    return EXIT.ok;
  }
  // A permission is part of a call whose own caller gets the result. In a host of this command the call has no caller, and ends with it.
  const result =
    question.request.permission === undefined || !host.running ? await resultOf(context, host, question.request.callId) : undefined;
  if (result?.ok === true) output.line(successText(result));
  if (result?.ok === false) for (const line of failureLines(result, output, await placeOf(context, host))) output.note(line);
  output.document({ ok: true, approved: true, request: question.request, ...(result && { result }) });
  return result?.ok === false ? exitCodeFor(result.error) : EXIT.ok;
}

/** Waits for the call to end. The user may stop waiting with Ctrl-C; the call goes on. */
async function resultOf({ output, platform, signal }: CommandContext, host: HostAccess, callId: string): Promise<ToolResult | undefined> {
  const from = platform.clock.monotonic();
  while (!signal.aborted && platform.clock.monotonic() - from < WAIT_MS) {
    const result = await host.operations.result(callId);
    if (result !== undefined && result.status !== "pending_approval") return result;
    await new Promise<void>((resolve) => void platform.clock.after(LOOK_MS, resolve));
  }
  output.note(`The call still runs: ${output.program} audit search --call ${printable(callId)} shows how it ended`);
  return undefined;
}

const WAIT_MS = 60_000;
const LOOK_MS = 20;

async function placeOf({ platform }: CommandContext, host: HostAccess): Promise<ReaderPlace> {
  const { workspace } = await host.operations.status();
  return { cwd: platform.environment.cwd, workspace };
}

/** Asks the user at the terminal. Running the command is not consent: a program may have run it. */
async function confirmApproval({ platform, output, signal }: CommandContext): Promise<boolean> {
  if (!platform.terminal.interactive || output.json)
    throw new CliError("no_terminal", "Not approved: approving needs an interactive terminal", {
      exitCode: EXIT.denied,
      hints: ["Run it in an interactive terminal, without --json", `Or answer on the console page of ${output.program} serve`],
    });
  return await askYes({ platform, output, signal }, "Let it run?");
}

function list({ output, platform }: CommandContext, pending: readonly PendingConfirmation[]): number {
  if (pending.length === 0) output.line("No call waits for confirmation");
  else output.line(`${count(pending.length, "call")} ${pending.length === 1 ? "waits" : "wait"} for confirmation`);
  for (const { request } of pending) {
    for (const line of questionLines(request, output)) output.line(line);
    // Without a terminal a program reads this output, and programs must not approve.
    if (platform.terminal.interactive) output.line(`  ${output.style.bold(`${output.program} approve ${printable(request.requestId)}`)}`);
    else output.line(`  ${printable(request.requestId)}`);
  }
  output.document({ ok: true, pending });
  return 0;
}
