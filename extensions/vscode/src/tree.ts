/** Items of the views, as plain data: what is shown, and what a click or a menu does. Texts of plugins are made inert. */

import type { JsonObject, Permissions } from "../../../manifests/mod.ts";
import type { FileChange } from "../../../host/call/dry-run-report.ts";
import type { PendingConfirmation } from "../../../host/confirmations/pending.ts";
import type { PluginProblem, PluginView, ToolView } from "../../../host/doors/operations.ts";
import { permissionText } from "../../../host/doors/cli/permission-text.ts";
import { printable, printableJson, printableLines } from "../../../host/primitives/text.ts";
import type { CallItem, CallState } from "./calls.ts";
import type { HostState } from "./model.ts";

/** An item of a tree. */
export interface TreeNode {
  /** Unique in its view, and the same as long as the thing is. */
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly tooltip?: string;
  /** Name of a product icon, with the id of its colour. */
  readonly icon: readonly [name: string, color?: string];
  /** Decides which menu entries the item has. */
  readonly context?: string;
  /** Object that commands of the item act on. */
  readonly subject?: TreeSubject;
  /** Command of a click. */
  readonly command?: string;
  readonly children?: readonly TreeNode[];
}

/** Object of an item. */
export type TreeSubject =
  | { readonly kind: "plugin"; readonly plugin: PluginView }
  | { readonly kind: "tool"; readonly tool: ToolView }
  | { readonly kind: "problem"; readonly plugin: PluginView; readonly problem: PluginProblem }
  | { readonly kind: "question"; readonly question: PendingConfirmation }
  | { readonly kind: "change"; readonly question: PendingConfirmation; readonly change: FileChange }
  | { readonly kind: "call"; readonly call: CallItem }
  | { readonly kind: "event"; readonly event: JsonObject };

/** Returns the object that a command was called on. @param given an item, or another object with a subject; undefined from the palette */
export function subjectOf<K extends TreeSubject["kind"]>(given: unknown, kind: K): Extract<TreeSubject, { readonly kind: K }> | undefined {
  // Only the extension's own items and notifications call its commands with arguments.
  const subject = typeof given === "object" && given !== null && "subject" in given ? (given.subject as TreeSubject) : undefined;
  return subject?.kind === kind ? (subject as Extract<TreeSubject, { readonly kind: K }>) : undefined;
}

const GREEN = "testing.iconPassed";
const RED = "testing.iconFailed";
const YELLOW = "list.warningForeground";

const PLUGIN_ICONS: Readonly<Record<PluginView["state"], TreeNode["icon"]>> = {
  loaded: ["package", GREEN],
  stale: ["warning", YELLOW],
  disabled: ["circle-slash"],
  failed: ["error", RED],
  quarantined: ["shield", YELLOW],
  ignored: ["warning", YELLOW],
};

const CALL_ICONS: Readonly<Record<CallState, TreeNode["icon"]>> = {
  running: ["sync~spin"],
  waiting: ["question", YELLOW],
  unfinished: ["circle-outline"],
  done: ["pass", GREEN],
  failed: ["error", RED],
  denied: ["circle-slash", RED],
};

/** Plugins: what needs a decision first, then the others by name. */
export function pluginNodes({ plugins, status }: HostState): readonly TreeNode[] {
  const workspace = status?.workspace ?? "/";
  const nodes = plugins.map((plugin) => pluginNode(plugin, workspace));
  return nodes.toSorted((a, b) => rank(a) - rank(b) || (a.label < b.label ? -1 : 1));
}

function rank({ icon: [, color] }: TreeNode): number {
  return color === RED || color === YELLOW ? 0 : 1;
}

function pluginNode(plugin: PluginView, workspace: string): TreeNode {
  // A plugin that does not load needs no grant yet.
  const needs = Object.keys(plugin.missing).length > 0 && (plugin.state === "loaded" || plugin.state === "stale");
  const missing = permissionWords(plugin.missing, workspace);
  const granted = permissionWords(plugin.granted, workspace);
  const words = [
    ...(plugin.state === "loaded" ? [] : [plugin.state === "stale" ? "the last good version serves" : plugin.state]),
    ...(plugin.held === undefined ? [] : [`version ${plugin.held.version} waits`]),
    ...(needs ? [`needs a grant: ${missing}`] : []),
    ...(plugin.version === undefined ? [] : [plugin.version]),
  ];
  const context = plugin.held === undefined ? (needs ? "plugin.needsGrant" : "plugin") : "plugin.held";
  const tooltip = [
    `${plugin.name}: ${plugin.description ?? plugin.state}`,
    `Granted: ${granted}`,
    ...(needs ? [`Not granted: ${missing}`] : []),
  ];
  return {
    id: `plugin ${plugin.name} ${plugin.directory ?? ""}`,
    label: printable(plugin.name),
    description: printable(words.join(" · ")),
    tooltip: printableLines(tooltip.join("\n")),
    icon: plugin.held !== undefined ? ["shield", YELLOW] : needs ? ["key", YELLOW] : PLUGIN_ICONS[plugin.state],
    context,
    subject: { kind: "plugin", plugin },
    children: [...plugin.problems.map((problem, index) => problemNode(plugin, problem, index)), ...plugin.tools.map(toolNode)],
  };
}

function problemNode(plugin: PluginView, problem: PluginProblem, index: number): TreeNode {
  const { severity, message, file, line } = problem;
  return {
    id: `problem ${plugin.name} ${index}`,
    label: printable(message),
    ...(file !== undefined && { description: printable(line === undefined ? file : `${file}:${line}`) }),
    icon: severity === "error" ? ["error", RED] : ["warning", YELLOW],
    context: "problem",
    subject: { kind: "problem", plugin, problem },
    command: "bascule.openProblem",
  };
}

function toolNode(tool: ToolView): TreeNode {
  const { name, qualifiedName, description, unavailable } = tool;
  return {
    id: `tool ${qualifiedName}`,
    label: printable(name),
    description: printable(unavailable === undefined ? tool.class : `off: ${unavailable}`),
    tooltip: printableLines(`${qualifiedName}: ${description}`),
    icon: unavailable === undefined ? ["tools"] : ["circle-slash"],
    context: unavailable === undefined ? "tool" : "tool.off",
    subject: { kind: "tool", tool },
  };
}

/** Returns what the permissions allow, in words: `read the project's folder`. */
export function permissionWords(permissions: Permissions, workspace: string): string {
  return permissionText(permissions, workspace).replaceAll("$workspace", "the project's folder");
}

/** Calls that wait for the user, the oldest first, with the changes that each would make. */
export function questionNodes({ questions, status }: HostState): readonly TreeNode[] {
  return questions.map((question) => {
    const { request } = question;
    const changes = request.preview?.changes ?? [];
    return {
      id: `question ${request.requestId}`,
      label: printable(request.tool),
      description: printable(questionSummary(question, status?.workspace ?? "/")),
      tooltip: questionText(question),
      icon: ["question", YELLOW],
      context: "question",
      subject: { kind: "question", question },
      command: "bascule.reviewQuestion",
      children: changes.map((change) => changeNode(question, change)),
    };
  });
}

function changeNode(question: PendingConfirmation, change: FileChange): TreeNode {
  const icons = { created: "diff-added", modified: "diff-modified", deleted: "diff-removed", renamed: "diff-renamed" } as const;
  return {
    id: `change ${question.request.requestId} ${change.path}`,
    label: printable(change.path),
    description: printable(change.from === undefined ? change.kind : `${change.kind} from ${change.from}`),
    icon: [icons[change.kind]],
    context: "change",
    subject: { kind: "change", question, change },
    command: "bascule.openChange",
  };
}

/** Returns what a call would do, in one phrase. */
export function questionSummary({ request }: PendingConfirmation, workspace: string): string {
  const { preview, permission, projectedModifications } = request;
  return permission === undefined
    ? summary(preview?.changes ?? [], projectedModifications)
    : `asks to ${permissionOf(permission, workspace)}`;
}

function summary(changes: readonly FileChange[], projected: readonly string[]): string {
  if (changes.length > 0) return `would change ${changes.length === 1 ? (changes[0]?.path ?? "") : `${changes.length} files`}`;
  return projected.length > 0 ? `writes ${projected.join(", ")}` : "waits for your confirmation";
}

function permissionOf(
  { kind, value, leadsTo }: { readonly kind: string; readonly value?: string; readonly leadsTo?: string },
  workspace: string,
): string {
  const what = permissionWords({ [kind]: value === undefined ? true : [value] }, workspace);
  return leadsTo === undefined ? what : `${what} (leads to ${leadsTo})`;
}

/** Everything that the user decides about, as text. A name stays on its line, so that no path looks like another change. */
export function questionText({ request }: PendingConfirmation): string {
  const { tool, calledBy = [], args, destructive, preview, permission } = request;
  const held = preview?.held ?? [];
  return [
    printable(
      `${tool} (${request.class}${destructive ? ", destructive" : ""}) ${permission === undefined ? "wants to run" : `asks to ${permissionOf(permission, "/")}`}`,
    ),
    ...(calledBy.length > 0 ? [printable(`Called by ${calledBy.join(" → ")}`)] : []),
    `Arguments: ${printableJson(JSON.stringify(args, null, 2))}`,
    ...(preview?.changes ?? []).map(({ kind, path }) => printable(`${kind} ${path}`)),
    ...(preview?.moreChanges === undefined ? [] : [`and ${preview.moreChanges} more changes`]),
    ...held.map(({ method, url }) => printable(`Would send ${method} ${url}`)),
  ].join("\n");
}

/** Makes text inert for a notification, in which the editor turns `[text](command:…)` into a link that runs the command. */
export function notificationText(text: string): string {
  return printable(text).replaceAll("](", "] (");
}

export function callNodes({ calls }: HostState): readonly TreeNode[] {
  return calls.map((call) => {
    const { state, durationMs, startedAt, error } = call;
    const end = state === "unfinished" ? "no end recorded" : state;
    const words = [
      timeOf(startedAt),
      durationMs === undefined ? end : `${end} in ${durationText(durationMs)}`,
      ...(call.dryRun ? ["dry run"] : []),
    ];
    return {
      id: `call ${call.callId}`,
      label: printable(call.tool === "" ? call.callId : call.tool),
      description: printable([...words, ...(error === undefined ? [] : [error])].join(" · ")),
      ...(error !== undefined && { tooltip: printableLines(error) }),
      icon: CALL_ICONS[state],
      context: "call",
      subject: { kind: "call", call },
      command: "bascule.showCall",
    };
  });
}

export function recordNodes({ record, notes }: HostState): readonly TreeNode[] {
  const warnings = notes.map((note, index): TreeNode => ({ id: `note ${index}`, label: printable(note), icon: ["warning", YELLOW] }));
  return [
    ...warnings,
    ...record.map((event, index): TreeNode => {
      const { id, type, time, plugin, payload } = event;
      const tool = typeof payload === "object" && payload !== null && "tool" in payload ? payload["tool"] : undefined;
      const about = [tool, plugin].find((name) => typeof name === "string") ?? "";
      return {
        id: typeof id === "string" ? id : `event ${index}`,
        label: printable(typeof type === "string" ? type : "event"),
        description: printable(`${typeof time === "number" ? timeOf(time) : ""} ${String(about)}`.trim()),
        icon: ["circle-small"],
        context: "event",
        subject: { kind: "event", event },
        command: "bascule.showEvent",
      };
    }),
  ];
}

/** A problem at its place in a file. Lines and columns count from 1. */
export interface Diagnostic {
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly severity: "error" | "warning";
  readonly message: string;
}

/** Problems of the plugins, as `list` and `check` report them. */
export function diagnosticsOf(plugins: readonly Pick<PluginView, "directory" | "problems">[]): readonly Diagnostic[] {
  return plugins.flatMap(({ directory, problems }) =>
    directory === undefined
      ? []
      : problems.map(({ file = "manifest.json", line = 1, column = 1, severity, message }) => ({
          path: `${directory}/${file}`,
          ...{ line, column, severity, message: printable(message) },
        })),
  );
}

function timeOf(time: number): string {
  return new Date(time).toTimeString().slice(0, 8);
}

function durationText(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
