/** `bascule approve` and `bascule deny`: answer a pending confirmation of a running host (SPEC E5). */

import type { PendingConfirmation } from "../../../confirmations/pending.ts";
import { CliError, notFoundError } from "../cli-error.ts";
import { askYes } from "../ask.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { questionLines } from "../confirm.ts";
import { type HostAccess, withHost } from "../host-access.ts";
import { nearestName } from "../../../tools/nearest.ts";
import { count, printable } from "../../../primitives/text.ts";

export const approveCommand: Command = answerCommand("approve", "Approve a call that waits for confirmation", true);
export const denyCommand: Command = answerCommand("deny", "Deny a call that waits for confirmation", false);

function answerCommand(name: string, summary: string, approve: boolean): Command {
  return {
    name,
    summary,
    usage: `${name} [id]`,
    details: [
      "Without an id, lists the pending confirmations. The answer applies to the call as shown: if the call changes, it needs a new confirmation.",
      ...(approve
        ? [
            "Asks on a terminal, so that a program that runs commands for a model does not approve by accident. The console can approve too.",
            "This is not a security boundary: any program that runs as you can open a terminal or connect to the host's socket.",
          ]
        : []),
    ],
    examples: [name, `${name} 0193f1c2-…`],
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
  const question = pending.find(({ request }) => request.requestId === id);
  if (question === undefined) throw noSuchQuestion(context, id, pending);
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
  output.document({ ok: true, approved: approve, request: question.request });
  return 0;
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

function noSuchQuestion({ output }: CommandContext, id: string, pending: readonly PendingConfirmation[]): CliError {
  const near = nearestName(
    id,
    pending.map(({ request }) => request.requestId),
  );
  return notFoundError(`Unknown confirmation "${id}"`, [
    near === undefined ? `${output.program} approve lists pending confirmations` : `Did you mean ${printable(near)}?`,
  ]);
}
