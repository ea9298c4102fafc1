/** Asks the user at the terminal to confirm a call. */

import type { Permissions } from "../../../manifests/mod.ts";
import type { ConfirmationRequest, ConfirmPrompt } from "../../call/call.ts";
import { grantForAlways } from "../../confirmations/always-grant.ts";
import { shownRequest } from "../../confirmations/request.ts";
import type { ClientPlatform } from "../../platform/platform.ts";
import { dryRunLines } from "../../call/dry-run-text.ts";
import { grantAdvice } from "./grant-advice.ts";
import type { Output } from "./output.ts";
import type { ReaderPlace } from "./plugin-text.ts";
import { count, printable, printableLines } from "../../primitives/text.ts";

const MAX_SHOWN = 4_000;
/** Maximum number of paths shown, so that a caller cannot scroll the confirmation out of sight. */
const MAX_PATHS = 20;

/** Creates a confirmation prompt on the terminal; undefined if the terminal is not interactive. */
export function terminalPrompt(platform: ClientPlatform, output: Output, onAlways?: OnAlways): ConfirmPrompt | undefined {
  const { terminal } = platform;
  if (!terminal.interactive) return undefined;
  return async (request, signal) => {
    terminal.error(`${questionLines(request, output).join("\n")}\n`);
    for (const line of onAlways === undefined ? [] : alwaysLines(request, output, onAlways.place)) terminal.error(`${line}\n`);
    const answer = await terminal.ask(promptText(request, output.style, onAlways !== undefined), signal);
    // Without an answer the cursor is still on the line of the confirmation.
    if (answer === undefined) terminal.error("\n");
    const decision = answerOf(answer, request);
    const permissions = grantForAlways(request);
    if (decision !== "always") return decision === undefined ? undefined : decision === "yes";
    if (permissions === undefined || onAlways === undefined) return false;
    onAlways.grant(request.plugin ?? "", permissions);
    return true;
  };
}

/** Where an answer "always" goes: a grant for later calls. */
interface OnAlways {
  readonly place: ReaderPlace;
  /** Called before the answer takes effect. Grant after the call: a changed grant would end it. */
  grant(plugin: string, permissions: Permissions): void;
}

/** The user's answer. */
type Answer = "yes" | "no" | "always";

/** @returns undefined without an answer; "always" only if it was offered */
export function answerOf(answer: string | undefined, request: ConfirmationRequest): Answer | undefined {
  if (answer === undefined) return undefined;
  if (/^\s*a(lways)?\s*$/iu.test(answer) && grantForAlways(request) !== undefined) return "always";
  return /^\s*y(es)?\s*$/iu.test(answer) ? "yes" : "no";
}

/** Returns the command that "always" stands for; no lines if it is not offered. */
export function alwaysLines(request: ConfirmationRequest, output: Output, place: ReaderPlace): readonly string[] {
  const permissions = grantForAlways(request);
  if (permissions === undefined) return [];
  const command = grantAdvice(request.plugin ?? "", permissions, { ...place, program: output.program });
  return command === undefined ? [] : [`  always     ${printable(command)}`];
}

/** @param offersAlways whether the caller can store a grant */
export function promptText(request: ConfirmationRequest, style: Output["style"], offersAlways = true): string {
  const choices = offersAlways && grantForAlways(request) !== undefined ? "[y/N/a = always]" : "[y/N]";
  return `${style.bold("Allow it?")} ${choices} `;
}

/** Formats a permission that a running call requests, with the target of a link. */
function permissionLines(
  { kind, value, leadsTo }: NonNullable<ConfirmationRequest["permission"]>,
  style: Output["style"],
): readonly string[] {
  const isPath = kind === "read" || kind === "write";
  const what = value === undefined ? "everything that the plugin requests" : `${printable(value)}${isPath ? " and everything below" : ""}`;
  const leads = leadsTo === undefined ? [] : [`  ${style.red("links to")}   ${printable(leadsTo)}`];
  return [`  ${kind.padEnd(9)}  ${style.bold(what)}`, ...leads];
}

function writeLines(paths: readonly string[]): readonly string[] {
  const lines = paths.slice(0, MAX_PATHS).map((path) => `  writes     ${printable(path)}`);
  return paths.length > MAX_PATHS ? [...lines, `  writes     … ${count(paths.length - MAX_PATHS, "more file")}`] : lines;
}

/** Formats tool, class and arguments exactly as they will run. All values come from the caller and are made inert. */
export function questionLines(asked: ConfirmationRequest, output: Output): readonly string[] {
  const { style } = output;
  const request = shownRequest(asked);
  const { largeArguments: large } = request;
  const text = JSON.stringify(request.args, null, 2);
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}… (${text.length - MAX_SHOWN} more characters)` : text;
  const plugin = request.plugin === undefined ? "" : ` of plugin ${style.bold(printable(request.plugin))}`;
  return [
    "",
    `${style.yellow("?")} Tool ${style.bold(printable(request.tool))}${plugin} ${request.permission ? "requests a permission for this call" : "wants to run"}`,
    ...(request.permission ? permissionLines(request.permission, style) : []),
    ...(request.calledBy === undefined ? [] : [`  called by  ${request.calledBy.map(printable).join(" → ")}`]),
    `  class      ${style.bold(request.class)}${request.destructive ? style.red(", destructive") : ""}`,
    ...(request.preview ? [] : writeLines(request.projectedModifications)),
    `  arguments  ${printableLines(shown).replaceAll("\n", "\n             ")}`,
    ...(large === undefined ? [] : [`             outline of ${count(large.bytes, "byte")}, SHA-256 ${large.sha256}`]),
    ...(request.preview ? ["  It will make exactly these changes:", ...dryRunLines(request.preview, style)] : []),
  ];
}
