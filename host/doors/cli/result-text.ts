/** Formats the result of a call. */

import type { ToolFailure, ToolResult } from "../../call/call.ts";
import { answerToHuman, argumentProblems, messageOf } from "../../call/answer-text.ts";
import { grantAdvice } from "./grant-advice.ts";
import type { Output } from "./output.ts";
import { shellWord } from "./paths.ts";
import type { ReaderPlace } from "./plugin-text.ts";
import { printable, printableJson, printableLines } from "../../primitives/text.ts";
import { asTyped } from "../../primitives/typed-commands.ts";

/** Formats a successful result, for stdout. */
export function successText(result: ToolResult): string {
  const text = answerToHuman(result);
  return result.content.length === 0 && typeof result.output !== "string" ? printableJson(text) : printableLines(text);
}

/** Formats an error with advice, for stderr. */
export function failureLines(result: ToolFailure, output: Output, place: ReaderPlace): readonly string[] {
  const { error } = result;
  const { style } = output;
  // The message may come from the guest. Mark its further lines, so that none looks like advice of the host.
  // The names that the message lists are for models.
  const said = error.code === "tool_not_found" ? `Tool "${result.tool}" not found` : messageOf(error);
  const message = printableLines(said).replaceAll("\n", "\n  | ");
  const lines = [`${style.red(error.code)} ${message}`];
  for (const problem of argumentProblems(error)) if (!error.message.endsWith(problem)) lines.push(`  ${printable(problem)}`);
  if (error.code === "invalid_args") lines.push(`  ${output.program} info ${printable(shellWord(result.tool))} shows its arguments`);
  const stack = error.details?.["stack"];
  if (typeof stack === "string") lines.push(...stackLines(stack).map((line) => style.dim(`  ${line}`)));
  lines.push(...hintLines(result, output, place));
  return lines;
}

function hintLines(result: ToolFailure, output: Output, place: ReaderPlace): readonly string[] {
  const { hint } = result.error;
  if (!hint) return [];
  const { style } = output;
  const command = hint.grant ? grantAdvice(hint.grant.plugin, hint.grant.permissions, { ...place, program: output.program }) : hint.command;
  const lines: string[] = [];
  if (command !== undefined) lines.push(`  To allow it  ${style.bold(printable(asTyped(command, output.program)))}`);
  if (hint.text !== undefined) lines.push(`  ${printable(asTyped(hint.text, output.program))}`);
  return lines;
}

const MAX_STACK_LINES = 8;

function stackLines(stack: string): readonly string[] {
  return stack
    .split("\n")
    .map((line) => printable(line.trim()))
    .filter((line) => line !== "")
    .slice(0, MAX_STACK_LINES);
}
