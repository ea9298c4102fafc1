/** `bascule why`: which layer of policy and grants decides, and what it says (SPEC P6). */

import { PERMISSION_KINDS } from "../../../manifests/mod.ts";
import type { WhyQuestion } from "../../doors/operations.ts";
import { usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { grantAdvice } from "../grant-advice.ts";
import { type HostAccess, withHost } from "../host-access.ts";
import { nearest } from "../nearest.ts";
import { absolutePath } from "../paths.ts";
import { printable } from "../text.ts";

export const whyCommand: Command = {
  name: "why",
  summary: "Explain why a plugin or tool may do something, or not",
  usage: "why <plugin|tool> [act]",
  details: ["An act is a kind and what it is about: read=README.md, net=api.example.org:443, env=HOME, or the kind alone."],
  examples: ["why grep", "why grep read=README.md", "why notes write=notes"],
  positionals: { min: 1, max: 2 },
  options: [],
  run: (context) => withHost(context, (host) => why(context, host)),
};

async function why(context: CommandContext, host: HostAccess): Promise<number> {
  const { output, platform, positionals } = context;
  const { style } = output;
  const [name = "", act] = positionals;
  const answer = await host.operations.why(act === undefined ? { name } : { name, act: readAct(act, platform.environment.cwd) });
  const word = { granted: style.green("yes"), prompt: style.yellow("not yet"), denied: style.red("no") }[answer.state];
  output.line(`${printable(answer.question)}  ${word}`);
  const widest = Math.max(0, ...answer.layers.map(({ layer }) => layer.length));
  for (const { layer, state, rule, decided } of answer.layers) {
    const mark = decided ? style.bold("→") : " ";
    output.line(
      `${mark} ${printable(layer).padEnd(widest)}  ${printable(state).padEnd(7)}  ${style.dim(rule === undefined ? "" : printable(rule))}${decided ? style.bold("  decides") : ""}`,
    );
  }
  if (answer.hint) {
    const { workspace } = await host.operations.status();
    const command = grantAdvice(answer.hint.plugin, answer.hint.permissions, {
      program: output.program,
      cwd: platform.environment.cwd,
      workspace,
    });
    if (command !== undefined) output.line(`\nTo allow it  ${style.bold(printable(command))}`);
  }
  output.document({ ok: true, ...answer });
  return 0;
}

/** `read=README.md` or `net`. */
function readAct(written: string, cwd: string): NonNullable<WhyQuestion["act"]> {
  const equals = written.indexOf("=");
  const word = equals < 0 ? written : written.slice(0, equals);
  const kind = PERMISSION_KINDS.find((known) => known === word);
  if (!kind) {
    const near = nearest(word, PERMISSION_KINDS);
    throw usageError(`There is no act "${word}"`, [
      near === undefined ? `The acts are ${PERMISSION_KINDS.join(", ")}` : `Did you mean ${near}?`,
    ]);
  }
  if (equals < 0) return { kind };
  const value = written.slice(equals + 1);
  return { kind, value: kind === "read" || kind === "write" ? absolutePath(value, cwd) : value };
}
