/** `bascule why`: shows which layer of policy and grants decides about a tool or an act (SPEC P6). */

import { isPathKind, PERMISSION_KINDS } from "../../../../manifests/mod.ts";
import type { ActExplanation, ToolExplanation, WhyQuestion } from "../../operations.ts";
import { usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { grantAdvice } from "../grant-advice.ts";
import { nameTable } from "../table.ts";
import { type HostAccess, serversFor, withHost } from "../host-access.ts";
import { wordMeant } from "../did-you-mean.ts";
import { CONTEXT_OPTIONS, requestContext } from "../request-context.ts";
import type { Output } from "../output.ts";
import { absolutePath, pathFrom } from "../paths.ts";
import { permissionText } from "../permission-text.ts";
import type { ReaderPlace } from "../plugin-text.ts";
import { routeText } from "../../../policy/explain.ts";
import { printable } from "../../../primitives/text.ts";

export const whyCommand: Command = {
  name: "why",
  summary: "Explain why a plugin or tool may or may not do something",
  usage: "why <plugin|tool> [act]",
  words: ["any", ["read=", "write=", "net=", "env=", "run=", "tools="]],
  details: [
    "An act is a kind with a value, or the kind alone: read=README.md, net=api.example.org:443, env=HOME, net.",
    'For a request, give the method and the URL as in grants: net="POST https://api.example.org/v1".',
  ],
  examples: ["why grep", "why grep read=README.md", "why notes write=notes", "why notes --role guest --read-only"],
  positionals: { min: 1, max: 2 },
  options: CONTEXT_OPTIONS,
  run: (context) => withHost(context, (host) => why(context, host), { servers: serversFor(context.positionals[0] ?? "") }),
};

async function why(context: CommandContext, host: HostAccess): Promise<number> {
  const { output, platform, positionals } = context;
  const [name = "", act] = positionals;
  const { cwd } = platform.environment;
  const answer = await host.operations.why({
    name,
    ...(act !== undefined && { act: readAct(act, cwd) }),
    ...requestContext(context.options),
  });
  const { workspace } = await host.operations.status();
  for (const [index, explanation] of answer.tools.entries()) {
    if (index > 0) output.line();
    const lines = explanation.act
      ? actLines(explanation, explanation.act, output, { cwd, workspace })
      : toolLines(explanation, output, { cwd, workspace });
    for (const line of lines) output.line(line);
  }
  output.document({ ok: true, ...answer });
  return 0;
}

/** Explains whether the tool can be called, and which permissions a call has. */
function toolLines(explanation: ToolExplanation, output: Output, place: ReaderPlace): readonly string[] {
  const { style } = output;
  const { verdict, because } = explanation;
  const color = { allowed: style.green, asks: style.yellow, denied: style.red, unavailable: style.red }[verdict];
  const facts: readonly (readonly [string, string])[] = [
    ["decided by", printable(because.rule === because.layer ? because.rule : `${because.layer}: ${because.rule}`)],
    ["class", explanation.class],
    ["confirmation", explanation.confirm === "auto" ? "none" : explanation.confirm],
    ["route", routeText(explanation)],
    ...explanation.rules.map(({ rule, effect }): readonly [string, string] => ["rule", printable(`${rule} ${JSON.stringify(effect)}`)]),
    ...explanation.toolLayers.map(({ layer, level, allowed, rule }): readonly [string, string] => [
      `${level} layer`,
      printable(`${layer}: ${allowed ? "passes" : "denied"} (${rule})`),
    ]),
  ];
  const quotas = explanation.quotas.map((quota): readonly [string, string] => ["quota", printable(quotaText(quota))]);
  return [
    `${style.bold(printable(explanation.tool))}  ${color(verdict === "asks" ? "asks before each call" : verdict)}`,
    ...nameTable([...facts, ...quotas], style, { columns: output.room }),
    style.bold("Permissions of a call (the intersection of these)"),
    ...nameTable(
      explanation.layers.map(({ layer, permissions }): readonly [string, string] => [
        printable(layer),
        permissionText(permissions, place.cwd),
      ]),
      style,
      { columns: output.room },
    ),
  ];
}

function quotaText({ limit, resource, windowMs, per, subject, rule, left, freesInMs }: ToolExplanation["quotas"][number]): string {
  const frees = freesInMs === 0 ? "" : `, free again in ${Math.ceil(freesInMs / 1000)}s`;
  return `${limit} ${resource} in ${windowMs / 1000}s for ${per} ${subject} (${rule}): ${left} left${frees}`;
}

/** Explains whether the tool may perform one act. */
function actLines(explanation: ToolExplanation, act: ActExplanation, output: Output, place: ReaderPlace): readonly string[] {
  const { style, program } = output;
  const word = { granted: style.green("yes"), prompt: style.yellow("not yet: not granted"), denied: style.red("no") }[act.state];
  const what = act.value === undefined ? act.kind : `${act.kind} ${act.value.startsWith("/") ? pathFrom(place.cwd, act.value) : act.value}`;
  const lines = [`${style.bold(printable(explanation.tool))} ${printable(what)}  ${word}`];
  const { verdict, because } = explanation;
  if (verdict === "denied" || verdict === "unavailable")
    lines.push(`  ${style.red(`cannot be called (${verdict})`)}: ${printable(`${because.layer}: ${because.rule}`)}`);
  if (act.methods !== undefined)
    lines.push(
      `  yes for ${act.methods.join(", ")}; to check one request, give its method: ${act.kind}="${act.methods[0]} ${printable(act.value ?? "")}"`,
    );
  if (act.leadsTo !== undefined) lines.push(`  links to ${printable(act.leadsTo)}, which must be granted too`);
  const rows = act.layers.map(({ layer, state, rule, decided }): readonly [string, string] => {
    const says = `${state.padEnd("granted".length)}  ${rule === undefined ? "" : printable(rule)}`.trimEnd();
    return [printable(layer), `${says}${decided ? style.bold("  ← decides") : ""}`];
  });
  lines.push(...nameTable(rows, style, { columns: output.room }));
  const command = act.hint && grantAdvice(act.hint.plugin, act.hint.permissions, { ...place, program });
  if (command !== undefined) lines.push(`  To allow it  ${style.bold(printable(command))}`);
  return lines;
}

/** Parses an act: `read=README.md` or `net`. @throws {CliError} if the kind is unknown */
export function readAct(written: string, cwd: string): NonNullable<WhyQuestion["act"]> {
  const equals = written.indexOf("=");
  const word = equals < 0 ? written : written.slice(0, equals);
  const kind = PERMISSION_KINDS.find((known) => known === word);
  if (!kind) throw usageError(`Unknown act "${word}"`, [wordMeant(word, PERMISSION_KINDS)]);
  if (equals < 0) return { kind };
  const value = written.slice(equals + 1);
  return { kind, value: isPathKind(kind) ? absolutePath(value, cwd) : value };
}
