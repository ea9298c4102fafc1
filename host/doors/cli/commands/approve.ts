/** `bascule approve` and `bascule deny`: answer a question of a running host (SPEC E5). */

import type { PendingConfirmation } from "../../../confirmations/pending.ts";
import { CliError, notFoundError } from "../cli-error.ts";
import { askYes } from "../ask.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { questionLines } from "../confirm.ts";
import { type HostAccess, withHost } from "../host-access.ts";
import { nearestName } from "../../../tools/nearest.ts";
import { count, printable } from "../../../primitives/text.ts";

export const approveCommand: Command = answerCommand("approve", "Let a call run that waits for a person", true);
export const denyCommand: Command = answerCommand("deny", "Refuse a call that waits for a person", false);

function answerCommand(name: string, summary: string, approve: boolean): Command {
  return {
    name,
    summary,
    usage: `${name} [id]`,
    details: [
      "Without an id it shows every question that waits. The answer is to what is shown: a call that changes is asked about again.",
      ...(approve
        ? [
            "It asks at a terminal, so that a program which runs commands for a model does not answer for you in passing; the console answers too.",
            "That is no wall: whatever runs as you can start a terminal of its own, or speak to the host's socket.",
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
    output.line("Not approved; the question stands");
    output.document({ ok: false, approved: false, request: question.request });
    return EXIT.denied;
  }
  const { requestId, hash } = question.request;
  const outcome = await host.operations.resolve(requestId, { approve, hash });
  if (outcome === "unknown") throw new CliError("answered", "Somebody else has answered, or the question is over");
  if (outcome === "changed")
    throw new CliError("changed", "The question has changed since it was shown", { hints: [`${output.program} approve shows it again`] });
  output.line(approve ? output.style.green("approved") : output.style.yellow("denied"));
  output.document({ ok: true, approved: approve, request: question.request });
  return 0;
}

/** Of the person at the terminal: that a command was run says nothing about who ran it. */
async function confirmApproval({ platform, output, signal }: CommandContext): Promise<boolean> {
  if (!platform.terminal.interactive || output.json)
    throw new CliError("no_terminal", "Nothing was approved: only a person at a terminal can do that, and there is none here", {
      exitCode: EXIT.denied,
      hints: ["Run it in a terminal of your own, without --json", `Or answer on the console page of ${output.program} serve`],
    });
  return await askYes({ platform, output, signal }, "Let it run?");
}

function list({ output, platform }: CommandContext, pending: readonly PendingConfirmation[]): number {
  if (pending.length === 0) output.line("Nothing waits for a person");
  else output.line(`${count(pending.length, "question")} ${pending.length === 1 ? "waits" : "wait"} for a person`);
  for (const { request } of pending) {
    for (const line of questionLines(request, output)) output.line(line);
    // A program that reads this is not the one to answer.
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
  return notFoundError(`No question "${id}" waits for a person`, [
    near === undefined ? `${output.program} approve shows those that do` : `Did you mean ${printable(near)}?`,
  ]);
}
