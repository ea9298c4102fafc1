/** Formats the events of a running host, one line each. */

import type { JsonValue } from "../../../manifests/mod.ts";
import type { HostEvent } from "../../audit/events.ts";
import type { ToolResult } from "../../call/call.ts";
import type { ConsentChange } from "../../plugins/consent/change.ts";
import type { PluginView } from "../operations.ts";
import { argumentText } from "./argument-text.ts";
import { changeLines, shortDigest } from "./consent-text.ts";
import { problemLines } from "./frame.ts";
import type { Output } from "./output.ts";
import { pathFrom } from "./paths.ts";
import { timeOf } from "./terminal-log.ts";
import { thrownLines, type ThrownOptions } from "./thrown-frame.ts";
import { grantLines, type ReaderPlace } from "./plugin-text.ts";
import { count, printable } from "../../primitives/text.ts";
import { asTyped } from "../../primitives/typed-commands.ts";
import type { EndEvent, RunningCalls } from "./running-calls.ts";

const MAX_ARGUMENTS = 60;

/** Context for formatting events. */
interface LiveOptions extends Pick<ThrownOptions, "operations" | "files"> {
  readonly output: Output;
  readonly place: ReaderPlace;
  /** The calls that run. */
  readonly calls: RunningCalls;
  /** Returns the result of a call while the host keeps it. */
  readonly result: (callId: string) => Promise<ToolResult | undefined>;
  /** Returns the current state of a plugin; undefined if the name is unknown. */
  readonly plugin: (name: string) => Promise<PluginView | undefined>;
}

/** Formats an event. Returns no lines for events that the user need not see. */
export async function liveLines(event: HostEvent, options: LiveOptions): Promise<readonly string[]> {
  const { style } = options.output;
  const lines = await linesOf(event, options);
  const [first, ...rest] = lines;
  if (first === undefined) return [];
  return [`${style.dim(timeOf(event.time))} ${first}`, ...rest.map((line) => `${" ".repeat(9)}${line}`)];
}

async function linesOf(event: HostEvent, options: LiveOptions): Promise<readonly string[]> {
  const { output, place } = options;
  const { style } = output;
  switch (event.type) {
    case "tool.called":
      options.calls.began(event);
      return [];
    case "tool.output_delta":
      options.calls.reported(event);
      return [];
    case "tool.committed":
      return [`${style.green("applied")}  ${printable(event.payload.tool)} ${count(event.payload.filesModified.length, "change")}`];
    case "tool.undone":
      return [`${style.yellow("undone")}   ${printable(event.payload.tool)} ${count(event.payload.filesModified.length, "change")}`];
    case "tool.completed":
      return [`${style.green("done")}     ${callText(event, options)}  ${style.dim(durationText(event.payload.durationMs))}`];
    case "tool.failed":
      return [
        `${style.red("failed")}   ${callText(event, options)}  ${style.red(event.payload.code)} ${printable(asTyped(event.payload.message, output.program))}  ${style.dim(durationText(event.payload.durationMs))}`,
        ...(await thrownAt(event, options)),
      ];
    case "tool.denied":
      return [
        `${style.yellow("denied")}   ${callText(event, options)}  ${style.yellow(event.payload.code)} ${printable(asTyped(event.payload.message, output.program))}`,
      ];
    case "tool.input_invalid":
      return [`${style.yellow("refused")}  ${callText(event, options)}  ${count(event.payload.errors.length, "wrong argument")}`];
    case "tool.confirmation_requested":
      options.calls.waits(event);
      return [
        `${style.yellow("waiting")}  ${toolText(event, output)} ${style.dim(printable(event.payload.inputSummary))}`,
        // With a terminal the confirmation itself follows.
        ...(output.live === undefined ? [`${output.program} approve ${event.payload.requestId}`] : []),
      ];
    case "plugin.loaded":
    case "plugin.reloaded":
      return await pluginHere(event, options);
    case "plugin.failed":
      return await pluginBroken(event, options);
    case "plugin.quarantined":
      return pluginHeld(event, output);
    case "plugin.removed":
      return [`${style.yellow("removed")}  ${style.bold(printable(event.plugin ?? ""))}${reasonText(event.payload["reason"])}`];
    case "grant.changed":
      return [`${style.green("grants")}   of ${style.bold(printable(event.plugin ?? ""))} changed`];
    case "policy.reloaded":
      return [`${style.green("policy")}   bascule.json reloaded`];
    default:
      return [];
  }

  async function pluginHere(
    { type, plugin: name = "", payload }: HostEvent & { readonly type: "plugin.loaded" | "plugin.reloaded" },
    { plugin }: LiveOptions,
  ): Promise<readonly string[]> {
    const view = await plugin(name);
    const tools = Array.isArray(payload["tools"]) ? payload["tools"].map((tool) => printable(String(tool))).join(", ") : "";
    const word = type === "plugin.loaded" ? "loaded  " : "reloaded";
    const version = typeof payload["version"] === "string" ? ` ${printable(payload["version"])}` : "";
    return [
      `${style.green(word)} ${style.bold(printable(name))}${style.dim(version)}  ${tools}`,
      ...changeLines(changesOf(payload["changes"]), style),
      ...(view && type === "plugin.loaded" ? grantLines(view, output, place) : []),
    ];
  }
}

/** Returns the tool's name, marked if the call is a dry run. */
function toolText(
  { payload: { tool, dryRun } }: { readonly payload: { readonly tool: string; readonly dryRun?: true } },
  { style }: Output,
): string {
  return `${printable(tool)}${dryRun === true ? style.yellow(" (dry run)") : ""}`;
}

/** Returns the tool and a summary of its arguments. */
function callText(event: EndEvent, { output, calls, place }: LiveOptions): string {
  const args = calls.ended(event);
  const text = args === undefined ? "" : argumentText(args, MAX_ARGUMENTS, place.cwd);
  return `${toolText(event, output)}${text === "" ? "" : ` ${output.style.dim(text)}`}`;
}

/** Returns the source line of an error. Only errors that the tool threw have one. */
async function thrownAt(event: HostEvent & { readonly type: "tool.failed" }, options: LiveOptions): Promise<readonly string[]> {
  if (event.payload.code !== "tool_failed" || event.callId === undefined) return [];
  return await thrownLines(await options.result(event.callId), { ...options, cwd: options.place.cwd });
}

/** Formats a quarantined version: its changes, and the command that accepts it. */
function pluginHeld(
  { plugin = "", digest = "", payload }: HostEvent & { readonly type: "plugin.quarantined" },
  { style, program }: Output,
): readonly string[] {
  const still = payload["lastGood"] === undefined ? "" : style.dim("  (the previous version still serves)");
  const reason = printable(textOf(payload["reason"]) ?? "");
  return [
    `${style.yellow("held    ")} ${style.bold(printable(plugin))}${style.dim(` ${printable(textOf(payload["version"]) ?? "")}`)}${still}  ${reason}`,
    ...changeLines(changesOf(payload["changes"]), style).map((line) => `  ${line}`),
    `  ${style.bold(`${program} accept ${printable(plugin)} --digest=${shortDigest(digest)}`)}`,
  ];
}

/** Casts the changes of an event, which the host created (`announce.ts`). */
function changesOf(changes: JsonValue | undefined): readonly ConsentChange[] {
  return Array.isArray(changes) ? (changes as readonly ConsentChange[]) : [];
}

async function pluginBroken(
  event: HostEvent & { readonly type: "plugin.failed" },
  { output, place, plugin }: LiveOptions,
): Promise<readonly string[]> {
  const { style } = output;
  const { plugin: name = "", payload } = event;
  const view = await plugin(name);
  const still = payload["lastGood"] === undefined ? "" : style.dim("  (the last good version still serves)");
  const head = `${style.red("failed  ")} ${style.bold(printable(name))}${still}`;
  const problems = view?.problems ?? [];
  if (!view || problems.length === 0) return [head, printable(textOf(payload["message"]) ?? textOf(payload["reason"]) ?? "")];
  const folder = view.directory === undefined ? view.name : pathFrom(place.cwd, view.directory);
  return [head, ...problems.flatMap((problem) => problemLines(problem, { ...output, folder }))];
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function reasonText(reason: JsonValue | undefined): string {
  return typeof reason !== "string" || reason === "removed" ? "" : ` (${printable(reason)})`;
}

function durationText(durationMs: number): string {
  return durationMs < 1_000 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1_000).toFixed(1)} s`;
}
