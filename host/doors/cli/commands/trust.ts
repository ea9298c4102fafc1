/** `bascule trust`: what the project's folder asks for beyond its sandboxed plugins, and a person's yes to it (SPEC P1, K3). */

import { nearestName } from "../../../tools/nearest.ts";
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
  summary: "Show what this folder asks for that you have not allowed on this machine, and allow it",
  usage: "trust [name...]",
  details: [
    "A folder that came from elsewhere can bring a bascule.json that starts programs (mcpServers), runs code natively (trusted), sends calls to other hosts, grants, or has you asked less; and grants of its own. None of it counts before you have said yes, here or when dev or serve ask. What you allowed is remembered in your own configuration, for this folder and exactly as it was shown: what changes is asked about again.",
    "The rest of bascule.json can only take away, and counts at once. What you do with grant and add is yours already, and so is a folder that init began.",
  ],
  examples: ["trust", "trust mcpServers.files", "trust --yes", "trust --always", "trust --forget"],
  positionals: { min: 0, max: Number.MAX_SAFE_INTEGER },
  options: [
    YES_OPTION,
    { name: "always", about: "Allow all that this folder asks for, now and later: for folders that only you write" },
    { name: "forget", about: "Take back all that was allowed to this folder" },
  ],
  run: trust,
};

async function trust(context: CommandContext): Promise<number> {
  const { output, options, positionals } = context;
  const project = await openTrusted(context);
  if (options.has("forget")) {
    await project.trust.agreeToAll(false);
    await reloadRunning(context);
    output.line("Nothing that this folder asks for is allowed any more");
    output.document({ ok: true, allowed: [] });
    return EXIT.ok;
  }
  const withheld = chosen(project.trust.withheld(), positionals, output.program);
  if (withheld.length > 0) showWithheld(context, withheld);
  else output.line("This folder asks for nothing that is not allowed");
  for (const name of project.trust.agreed()) output.line(`  ${output.style.green("allowed")}  ${printable(name)}`);

  const isAlways = options.has("always");
  if (withheld.length === 0 && !isAlways) {
    output.document({ ok: true, allowed: [] });
    return EXIT.ok;
  }
  if (!options.has(YES_OPTION.name) && (output.json || !context.platform.terminal.interactive)) {
    output.note("Nothing was allowed: there is nobody to ask (--yes allows it without a question)");
    output.document({ ok: false, allowed: [], withheld });
    return EXIT.denied;
  }
  const question = isAlways ? "Allow all that this folder asks for, now and later?" : `Allow ${count(withheld.length, "thing")}?`;
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

/** Those that are named, or all. @throws {CliError} if one of them is not asked for. */
function chosen(withheld: readonly Withheld[], names: readonly string[], program: string): readonly Withheld[] {
  if (names.length === 0) return withheld;
  return names.map((name) => {
    const found = withheld.find((demand) => demand.name === name);
    if (found !== undefined) return found;
    const near = nearestName(
      name,
      withheld.map((demand) => demand.name),
    );
    throw usageError(`This folder does not ask for "${name}", or it is allowed`, [
      near === undefined ? `${program} trust shows what it asks for` : `Did you mean ${near}?`,
    ]);
  });
}
