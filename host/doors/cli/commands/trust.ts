/** `bascule trust`: shows the trust requests of the project's folder, and allows them (SPEC P1, K3). */

import { didYouMean } from "../did-you-mean.ts";
import type { Withheld } from "../../../project/trust/project-trust.ts";
import { confirmAct, YES_OPTION } from "../ask.ts";
import { usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { reloadRunning } from "../reload-running.ts";
import { count, printable } from "../../../primitives/text.ts";
import { openTrusted, showWithheld } from "../trust.ts";

export const trustCommand: Command = {
  name: "trust",
  summary: "Show what this folder requests beyond the sandbox, and allow it",
  usage: "trust [name...]",
  details: [
    "A folder from elsewhere can contain grants, and a bascule.json that starts programs (mcpServers), runs code natively (trusted), sends calls to other hosts, grants permissions or reduces confirmations. None of this takes effect until you allow it, here or when dev or serve ask.",
    "What you allow is stored in your own configuration, for this folder and exactly as shown. If it changes, you are asked again.",
    "All other settings of bascule.json can only restrict, and take effect at once. Changes that you make with grant and add, and folders that init created, need no trust.",
  ],
  examples: ["trust", "trust mcpServers.files", "trust --yes", "trust --always", "trust --forget"],
  positionals: { min: 0, max: Number.MAX_SAFE_INTEGER },
  options: [
    YES_OPTION,
    { name: "always", about: "Allow everything that this folder requests, now and later: for folders that only you write to" },
    { name: "forget", about: "Withdraw everything that was allowed for this folder" },
  ],
  run: trust,
};

async function trust(context: CommandContext): Promise<number> {
  const { output, options, positionals } = context;
  const project = await openTrusted(context);
  if (options.has("forget")) {
    await project.trust.agreeToAll(false);
    await reloadRunning(context);
    output.line("Withdrawn: nothing that this folder requests is allowed now");
    output.document({ ok: true, allowed: [] });
    return EXIT.ok;
  }
  const withheld = chosen(project.trust.withheld(), positionals, output.program);
  if (withheld.length > 0) showWithheld(context, withheld);
  else output.line("This folder has no open trust requests");
  for (const name of project.trust.agreed()) output.line(`  ${output.style.green("allowed")}  ${printable(name)}`);

  const isAlways = options.has("always");
  if (withheld.length === 0 && !isAlways) {
    output.document({ ok: true, allowed: [] });
    return EXIT.ok;
  }
  if (!options.has(YES_OPTION.name) && (output.json || !context.platform.terminal.interactive)) {
    output.note("Not allowed: no terminal is attached to ask on (--yes allows it without confirmation)");
    output.document({ ok: false, allowed: [], withheld });
    return EXIT.denied;
  }
  const question = isAlways
    ? "Allow everything that this folder requests, now and later?"
    : `Allow ${count(withheld.length, "trust request")}?`;
  if (!(await confirmAct(context, question))) {
    output.line("Not allowed");
    output.document({ ok: false, allowed: [], withheld });
    return EXIT.denied;
  }
  if (isAlways) await project.trust.agreeToAll(true);
  else await project.trust.agree(withheld);
  await reloadRunning(context);
  output.line(isAlways ? "Allowed, now and later" : `Allowed: ${withheld.map(({ name }) => printable(name)).join(", ")}`);
  output.document({ ok: true, allowed: withheld.map(({ name }) => name), always: isAlways });
  return EXIT.ok;
}

/** Selects the named trust requests, or all of them. @throws {CliError} if a name does not exist */
function chosen(withheld: readonly Withheld[], names: readonly string[], program: string): readonly Withheld[] {
  if (names.length === 0) return withheld;
  return names.map((name) => {
    const found = withheld.find((trustRequest) => trustRequest.name === name);
    if (found !== undefined) return found;
    const known = withheld.map((trustRequest) => trustRequest.name);
    throw usageError(`Unknown trust request "${name}", or already allowed`, [
      didYouMean(name, known, `${program} trust shows the trust requests`),
    ]);
  });
}
