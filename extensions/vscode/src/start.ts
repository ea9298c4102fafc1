/** The editor's side: views, commands, diffs and problems. The editor's API is a parameter, so that tests can pass another one. */

import type * as Vscode from "vscode";
import type { ToolResult } from "../../../host/call/call.ts";
import type { FileChange } from "../../../host/call/dry-run-report.ts";
import { type AnswerScope, MAX_REASON_LENGTH, type PendingConfirmation } from "../../../host/confirmations/pending.ts";
import type { PluginView, ToolView } from "../../../host/doors/operations.ts";
import { count } from "../../../host/primitives/text.ts";
import { changeSides } from "./change-sides.ts";
import { createDocuments } from "./documents.ts";
import { type HostConnection, HostModel, type HostState } from "./model.ts";
import { pick, pickTool } from "./pick.ts";
import { commandOf, projectFolder, trustedProject } from "./project.ts";
import { argumentsOf, exampleOf } from "./tool-arguments.ts";
import {
  callNodes,
  diagnosticsOf,
  permissionWords,
  notificationText,
  pluginNodes,
  questionNodes,
  questionSummary,
  questionText,
  recordNodes,
  type TreeNode,
  subjectOf,
} from "./tree.ts";
import { showProblems, treeProvider } from "./views.ts";

type Api = typeof Vscode;

/** What the extension needs besides the editor. */
export interface StartPowers {
  /** Connects to the host that serves the project in this folder. Undefined if none runs. */
  readonly connect: (root: string) => Promise<HostConnection | undefined>;
  /** Runs a program without a shell's help and returns what it prints. */
  readonly run: (command: readonly string[], cwd: string) => Promise<string>;
  readonly pause: (signal: AbortSignal) => Promise<void>;
  readonly readText: (path: string) => Promise<string | undefined>;
}

const VIEWS: Readonly<Record<string, (state: HostState) => readonly TreeNode[]>> = {
  "bascule.questions": questionNodes,
  "bascule.plugins": pluginNodes,
  "bascule.calls": callNodes,
  "bascule.record": recordNodes,
};
/** Buttons of an approval, by its scope. */
const APPROVALS: Readonly<Record<AnswerScope, string>> = { once: "Approve", session: "Approve for Session", always: "Always Allow" };
const DENY = "Deny";
const TEMPLATES = ["text", "read-files", "write-files", "http-api", "data", "settings", "progress", "package"];

/** Registers everything. In a folder that is not trusted, it waits: nothing is started or connected before. */
export function start(vscode: Api, powers: StartPowers): Vscode.Disposable {
  const disposables: Vscode.Disposable[] = [];
  const documents = createDocuments(vscode);
  const problems = vscode.languages.createDiagnosticCollection("bascule");
  const changed = new vscode.EventEmitter<void>();
  const trees = Object.keys(VIEWS).map((id) => {
    const view = vscode.window.createTreeView(id, {
      treeDataProvider: treeProvider(vscode, () => VIEWS[id]?.(state()) ?? [], changed.event),
    });
    return [id, view] as const;
  });
  const asked = new Set<string>();
  let model: HostModel | undefined;

  const state = (): HostState => model?.state ?? { plugins: [], questions: [], calls: [], record: [], notes: [] };

  function begin(): void {
    const root = projectFolder(vscode);
    if (model !== undefined || root === undefined || !vscode.workspace.isTrusted) return;
    model = new HostModel({ connect: () => powers.connect(root), onChange: show, now: Date.now, pause: powers.pause });
    model.start();
  }

  function show(next: HostState): void {
    const isConnected = next.status !== undefined;
    void vscode.commands.executeCommand("setContext", "bascule.connected", isConnected);
    if (isConnected) showProblems(vscode, problems, next.plugins);
    for (const [id, view] of trees) {
      if (id === "bascule.plugins") view.message = next.error ?? "";
      if (id === "bascule.questions")
        view.badge = { value: next.questions.length, tooltip: `${count(next.questions.length, "call")} to confirm` };
    }
    changed.fire();
    const open = new Set(next.questions.map(({ request }) => request.requestId));
    for (const id of asked) if (!open.has(id)) asked.delete(id);
    for (const question of next.questions) {
      if (asked.has(question.request.requestId)) continue;
      asked.add(question.request.requestId);
      void notify(question);
    }
  }

  /** Tells of a new question. The answer counts only if the question still waits. */
  async function notify(question: PendingConfirmation): Promise<void> {
    const { tool } = question.request;
    const chosen = await vscode.window.showWarningMessage(notificationText(`${tool} waits for your confirmation`), "Review", DENY);
    if (chosen === "Review") await vscode.commands.executeCommand("bascule.reviewQuestion", { subject: { kind: "question", question } });
    if (chosen === DENY) await vscode.commands.executeCommand("bascule.deny", { subject: { kind: "question", question } });
  }

  async function review(question: PendingConfirmation): Promise<void> {
    const { preview, tool } = question.request;
    const [change, ...others] = preview?.changes ?? [];
    if (change !== undefined) await openChange(question, change);
    // One change is in the diff. Everything else has to be read before the answer.
    const isShown = change !== undefined && others.length === 0 && preview?.held.length === 0;
    const chosen = await vscode.window.showWarningMessage(
      notificationText(`Approve ${tool}? It ${questionSummary(question, model?.state.status?.workspace ?? "/")}`),
      { modal: !isShown, detail: questionText(question) },
      ...question.scopes.map((scope) => APPROVALS[scope]),
      DENY,
    );
    const scope = question.scopes.find((one) => APPROVALS[one] === chosen);
    if (chosen === DENY) await deny(question);
    else if (scope !== undefined) await connected().answer(question, { approve: true, scope });
  }

  /** Asks for a reason first. Escape leaves the question open. */
  async function deny(question: PendingConfirmation): Promise<void> {
    const { tool } = question.request;
    const options = { title: `Deny ${tool}`, prompt: "Reason, which the caller reads (may stay empty)", validateInput: checkReason };
    const reason = await vscode.window.showInputBox(options);
    if (reason !== undefined)
      await connected().answer(question, { approve: false, ...(reason.trim() !== "" && { reason: reason.trim() }) });
  }

  function connected(): HostModel {
    if (model === undefined)
      throw new Error(vscode.workspace.isTrusted ? "Open a folder with a bascule project" : "Trust this folder first");
    return model;
  }

  async function openChange(question: PendingConfirmation, change: FileChange): Promise<void> {
    const workspace = model?.state.status?.workspace ?? "/";
    const now = await powers.readText(change.path.startsWith("/") ? change.path : `${workspace}/${change.path}`);
    const { requestId, tool } = question.request;
    const sides = changeSides(change, now);
    if (sides.ok) await documents.showDiff(`${requestId}/${change.path}`, sides, `${change.path} (${tool} would change it)`);
    else await documents.show(`${requestId}/${change.path}.txt`, sides.reason);
  }

  async function callTool(given: ToolView | undefined): Promise<void> {
    const host = connected();
    const tool = given ?? (await pickTool(vscode, host.state));
    if (tool === undefined) return;
    const text = await vscode.window.showInputBox({
      title: `Call ${tool.qualifiedName}`,
      prompt: `Arguments as JSON. ${tool.description}`,
      value: JSON.stringify(exampleOf(tool.inputSchema)),
      validateInput: (value) => (typeof argumentsOf(value) === "string" ? (argumentsOf(value) as string) : undefined),
    });
    const args = text === undefined ? undefined : argumentsOf(text);
    if (args === undefined || typeof args === "string") return;
    const options = { location: vscode.ProgressLocation.Notification, title: `Calling ${tool.qualifiedName}`, cancellable: true };
    const result = await vscode.window.withProgress(options, (_progress, token) => {
      const abort = new AbortController();
      token.onCancellationRequested(() => abort.abort());
      return host.call(tool.qualifiedName, args, abort.signal);
    });
    if (result.status === "pending_approval") return;
    await documents.showJson(`result/${result.callId}/${result.tool}`, outcomeFirst(result));
  }

  async function grant(given: PluginView | undefined): Promise<void> {
    const host = connected();
    const needing = host.state.plugins.filter(({ missing }) => Object.keys(missing).length > 0);
    const plugin =
      given ??
      (await pick(
        vscode,
        needing.map((one) => ({ label: one.name, value: one })),
        "No plugin needs a grant",
      ));
    if (plugin === undefined) return;
    const workspace = host.state.status?.workspace ?? "/";
    const what = permissionWords(plugin.missing, workspace);
    const detail = `In ${workspace}. "bascule revoke ${plugin.name}" takes it back.`;
    if (
      (await vscode.window.showWarningMessage(notificationText(`Let ${plugin.name} ${what}?`), { modal: true, detail }, "Grant")) !==
      "Grant"
    )
      return;
    await host.grant(plugin.name, plugin.missing);
  }

  async function initPlugin(): Promise<void> {
    const name = await vscode.window.showInputBox({
      title: "New Plugin",
      prompt: "Name: small letters, digits and dashes",
      validateInput: (value) =>
        /^[a-z][a-z0-9-]{0,62}$/.test(value) ? undefined : "Begin with a letter; then small letters, digits and dashes",
    });
    if (name === undefined) return;
    const template = await vscode.window.showQuickPick(TEMPLATES, { title: `Template of ${name}` });
    if (template !== undefined) await inTerminal(`init ${name}`, ["init", name, `--template=${template}`]);
  }

  /** Runs a command of bascule in a terminal, where the user reads it and answers. */
  async function inTerminal(title: string, args: readonly string[]): Promise<void> {
    const root = trustedProject(vscode);
    const [program = "", ...given] = commandOf(vscode);
    const quoted = (value: string): Vscode.ShellQuotedString => ({ value, quoting: vscode.ShellQuoting.Strong });
    const task = new vscode.Task(
      { type: "bascule" },
      vscode.TaskScope.Workspace,
      title,
      "bascule",
      // Quoted here: the editor quotes only what has spaces, and a name of a folder can hold `$(…)`.
      new vscode.ShellExecution(program, [...given, ...args.map(quoted)], { cwd: root }),
    );
    await vscode.tasks.executeTask(task);
  }

  async function check(): Promise<void> {
    const out = await powers.run([...commandOf(vscode), "check", "--json"], trustedProject(vscode));
    const document: unknown = JSON.parse(out);
    if (typeof document !== "object" || document === null || !("plugins" in document)) throw new Error("bascule check printed no result");
    // The program prints what `check` documents (docs/cli.md).
    const plugins = document.plugins as readonly PluginView[];
    const found = showProblems(vscode, problems, plugins);
    void vscode.window.showInformationMessage(`${count(plugins.length, "plugin")} checked, ${count(found, "problem")}`);
  }

  async function openConsole(): Promise<void> {
    const url = connected().state.status?.url;
    if (url !== undefined) {
      await vscode.env.openExternal(vscode.Uri.parse(url));
      void vscode.window.showInformationMessage("Log in with the token in .bascule/admin.token");
      return;
    }
    if (model?.state.status === undefined) return await inTerminal("serve", ["serve"]);
    throw new Error("The running host does not serve the console: stop it, and start bascule serve");
  }

  /** Returns the question of an item or a notification, or that the user picks. */
  async function questionOf(given: unknown): Promise<PendingConfirmation | undefined> {
    const { questions } = connected().state;
    const wanted = subjectOf(given, "question")?.question;
    // The newest state decides, so that an answer applies to what waits now.
    if (wanted !== undefined) return questions.find(({ request }) => request.requestId === wanted.request.requestId) ?? wanted;
    return await pick(
      vscode,
      questions.map((one) => ({ label: one.request.tool, value: one })),
      "No call waits for your confirmation",
    );
  }

  const withQuestion = (act: (question: PendingConfirmation) => Promise<void>) => async (given: unknown) => {
    const question = await questionOf(given);
    if (question !== undefined) await act(question);
  };

  const commands: Readonly<Record<string, (given: unknown) => Promise<void>>> = {
    "bascule.startHost": () => inTerminal("dev", ["dev"]),
    "bascule.openConsole": openConsole,
    "bascule.initPlugin": initPlugin,
    "bascule.callTool": (given) => callTool(subjectOf(given, "tool")?.tool),
    "bascule.grant": (given) => grant(subjectOf(given, "plugin")?.plugin),
    "bascule.accept": (given) =>
      inTerminal("accept", ["accept", ...(subjectOf(given, "plugin") ? [subjectOf(given, "plugin")?.plugin.name ?? ""] : [])]),
    "bascule.check": check,
    "bascule.approve": withQuestion((question) => connected().answer(question, { approve: true })),
    "bascule.deny": withQuestion(deny),
    "bascule.reviewQuestion": withQuestion(review),
    "bascule.openManifest": async (given) => {
      const directory = subjectOf(given, "plugin")?.plugin.directory;
      if (directory !== undefined) await vscode.window.showTextDocument(vscode.Uri.file(`${directory}/manifest.json`));
    },
    "bascule.openChange": async (given) => {
      const subject = subjectOf(given, "change");
      if (subject !== undefined) await openChange(subject.question, subject.change);
    },
    "bascule.openProblem": async (given) => {
      const subject = subjectOf(given, "problem");
      const [place] = subject === undefined ? [] : diagnosticsOf([{ ...subject.plugin, problems: [subject.problem] }]);
      if (place === undefined) return;
      const at = new vscode.Position(place.line - 1, place.column - 1);
      await vscode.window.showTextDocument(vscode.Uri.file(place.path), { selection: new vscode.Range(at, at) });
    },
    "bascule.showCall": async (given) => {
      const call = subjectOf(given, "call")?.call;
      if (call === undefined) return;
      const result = await connected().operations.result(call.callId);
      await documents.showJson(`call/${call.callId}/${call.tool}`, result === undefined ? call : outcomeFirst(result));
    },
    "bascule.showEvent": async (given) => {
      const event = subjectOf(given, "event")?.event;
      if (event !== undefined) await documents.showJson(`event/${JSON.stringify(event["id"])}`, event);
    },
  };

  for (const [id, run] of Object.entries(commands)) {
    const safely = async (given: unknown): Promise<void> => {
      try {
        await run(given);
      } catch (error) {
        void vscode.window.showErrorMessage(notificationText(error instanceof Error ? error.message : String(error)));
      }
    };
    disposables.push(vscode.commands.registerCommand(id, safely));
  }
  disposables.push(
    ...trees.map(([, view]) => view),
    ...[problems, changed, documents],
    vscode.workspace.onDidGrantWorkspaceTrust(begin),
    vscode.workspace.onDidChangeWorkspaceFolders(begin),
  );
  begin();
  return {
    dispose: () => {
      for (const disposable of disposables) disposable.dispose();
      void model?.close();
    },
  };
}

/** Returns the result with what matters most at its top. */
function outcomeFirst(result: ToolResult): object {
  return Object.assign({ tool: result.tool, ok: result.ok, ...(result.ok ? { output: result.output } : { error: result.error }) }, result);
}

function checkReason(reason: string): string | undefined {
  return reason.length > MAX_REASON_LENGTH ? `At most ${MAX_REASON_LENGTH} characters` : undefined;
}
