/** The editor's side of the VS Code extension, with an editor that only notes what it is told, and the manifest of the extension. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { start, type StartPowers } from "../../../extensions/vscode/src/start.ts";
import { bundleVscode } from "../../../scripts/build-vscode.ts";
import { readJson } from "../../support/extension-files.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

interface Manifest {
  readonly version: string;
  readonly main: string;
  readonly icon: string;
  readonly capabilities: {
    readonly untrustedWorkspaces: { readonly supported: string; readonly restrictedConfigurations: readonly string[] };
  };
  readonly contributes: {
    readonly configuration: { readonly properties: Readonly<Record<string, { readonly default: unknown }>> };
    readonly commands: readonly { readonly command: string }[];
    readonly views: { readonly bascule: readonly { readonly id: string }[] };
    readonly menus: Readonly<Record<string, readonly { readonly command: string }[]>>;
    readonly jsonValidation: readonly { readonly url: string }[];
  };
}

const MANIFEST = readJson("extensions/vscode/package.json") as unknown as Manifest;

/** An editor with one folder. */
function editor(isTrusted: boolean): {
  readonly api: Parameters<typeof start>[0];
  readonly commands: Map<string, (given?: unknown) => Promise<void>>;
  readonly views: string[];
  readonly errors: string[];
  readonly warnings: string[];
  readonly tasks: unknown[];
  trust(): void;
} {
  const commands = new Map<string, (given?: unknown) => Promise<void>>();
  const views: string[] = [];
  const errors: string[] = [];
  const warnings: string[] = [];
  const tasks: unknown[] = [];
  const disposable = { dispose: () => {} };
  let onTrust = (): void => {};
  const workspace = {
    isTrusted,
    workspaceFolders: [{ uri: { scheme: "file", fsPath: "/p" } }],
    getConfiguration: () => ({ get: (name: string) => (name === "command" ? ["bascule"] : "") }),
    registerTextDocumentContentProvider: () => disposable,
    onDidGrantWorkspaceTrust: (listener: () => void) => ((onTrust = listener), disposable),
    onDidChangeWorkspaceFolders: () => disposable,
  };
  const api = {
    workspace,
    window: {
      createTreeView: (id: string) => (views.push(id), { ...disposable }),
      showErrorMessage: (message: string) => (errors.push(message), Promise.resolve()),
      showWarningMessage: (message: string) => (warnings.push(message), Promise.resolve()),
      showInputBox: () => Promise.resolve("my-plugin"),
      showQuickPick: () => Promise.resolve("text"),
    },
    commands: {
      registerCommand: (id: string, run: () => Promise<void>) => (commands.set(id, run), disposable),
      executeCommand: () => Promise.resolve(),
    },
    languages: { createDiagnosticCollection: () => ({ ...disposable, clear: () => {}, set: () => {} }) },
    tasks: { executeTask: (task: unknown) => (tasks.push(task), Promise.resolve()) },
    EventEmitter: class {
      event = (): object => disposable;
      fire(): void {}
      dispose(): void {}
    },
    Task: class {
      readonly given: readonly unknown[];
      constructor(...given: readonly unknown[]) {
        this.given = given;
      }
    },
    ShellExecution: class {
      readonly given: readonly unknown[];
      constructor(...given: readonly unknown[]) {
        this.given = given;
      }
    },
    TaskScope: { Workspace: 2 },
    ShellQuoting: { Strong: 3 },
    Uri: { joinPath: ({ fsPath }: { readonly fsPath: string }) => ({ fsPath }), from: (parts: object) => parts },
  };
  const trust = (): void => {
    workspace.isTrusted = true;
    onTrust();
  };
  // A part of the editor's API: what the test calls.
  return { api: api as unknown as Parameters<typeof start>[0], commands, views, errors, warnings, tasks, trust };
}

function powers(): { readonly given: StartPowers; readonly used: string[] } {
  const used: string[] = [];
  const never = new Promise<undefined>(() => {});
  const note = (what: string): Promise<undefined> => (used.push(what), never);
  const given: StartPowers = {
    connect: (root) => note(`connect ${root}`),
    run: (command) => (used.push(command.join(" ")), Promise.resolve(`{"plugins":[]}`)),
    pause: () => never,
    readText: (path) => note(`read ${path}`),
  };
  return { given, used };
}

describe("start()", () => {
  it("starts nothing and connects to nothing in a folder that is not trusted, and says why [DI4.vscode-trust]", async () => {
    const { api, commands, errors, tasks, trust } = editor(false);
    const { given, used } = powers();
    const extension = start(api, given);
    for (const run of commands.values()) await run();
    expect([used, tasks]).toEqual([[], []]);
    expect(new Set(errors)).toEqual(new Set(["Trust this folder first: nothing is started in it before", "Trust this folder first"]));
    trust();
    expect(used).toEqual(["connect /p"]);
    extension.dispose();
  });

  it("runs commands of bascule in the trusted project, where the user sees them [DI4.vscode-commands]", async () => {
    const { api, commands, tasks } = editor(true);
    const { given, used } = powers();
    const extension = start(api, given);
    for (const id of ["bascule.startHost", "bascule.initPlugin", "bascule.check"]) await commands.get(id)?.();
    const lines = tasks.map((task) => JSON.stringify((task as { readonly given: readonly unknown[] }).given.slice(2)));
    expect(lines).toEqual([
      '["dev","bascule",{"given":["bascule",[{"value":"dev","quoting":3}],{"cwd":"/p"}]}]',
      `["init my-plugin","bascule",{"given":["bascule",${JSON.stringify(["init", "my-plugin", "--template=text"].map((value) => ({ value, quoting: 3 })))},{"cwd":"/p"}]}]`,
    ]);
    expect(used).toEqual(["connect /p", "bascule check --json"]);
    extension.dispose();
  });

  it("shows no link that runs a command for a text of a plugin, a caller or an error [DI4.vscode-text]", async () => {
    const { api, commands, warnings, errors } = editor(true);
    const path = "[Show](command:workbench.action.terminal.sendSequence?x)\u202e";
    const readText = (): Promise<string | undefined> => Promise.resolve(undefined);
    const extension = start(api, { ...powers().given, readText, run: () => Promise.reject(new Error(path)) });
    const preview = { changes: [{ kind: "created", path, type: "file", diff: "" }], held: [] };
    const question = { request: { requestId: "q", tool: "notes.add", class: "write", args: {}, preview }, scopes: ["once"] };
    await commands.get("bascule.reviewQuestion")?.({ subject: { kind: "question", question } });
    await commands.get("bascule.check")?.();
    const inert = "[Show] (command:workbench.action.terminal.sendSequence?x)\\u{202e}";
    expect([warnings, errors]).toEqual([[`Approve notes.add? It would change ${inert}`], [inert]]);
    extension.dispose();
  });

  it("has all views and commands that the manifest names, and no other [DI4.vscode-manifest]", () => {
    const { api, commands, views } = editor(false);
    start(api, powers().given).dispose();
    const { contributes } = MANIFEST;
    expect([...commands.keys()].toSorted()).toEqual(contributes.commands.map(({ command }) => command).toSorted());
    expect(views.toSorted()).toEqual(contributes.views.bascule.map(({ id }) => id).toSorted());
    const used = Object.values(contributes.menus).flatMap((entries) => entries.map(({ command }) => command));
    expect(used.filter((command) => !commands.has(command))).toEqual([]);
  });
});

describe("the packaged extension", () => {
  it(
    "has its files, the version of the repository, and settings that only a trusted folder changes [DI4.vscode-package]",
    { timeout: 60_000 },
    async () => {
      const folder = await temporaryFolder();
      await bundleVscode(folder);
      const { main, icon, contributes, version, capabilities } = MANIFEST;
      const files = [main, icon, ...contributes.jsonValidation.map(({ url }) => url), "LICENSE.txt", "README.md", "media/bascule.svg"];
      expect(files.filter((file) => !existsSync(join(folder, file)))).toEqual([]);
      expect([version, contributes.configuration.properties["bascule.command"]?.default]).toEqual([
        readJson("package.json")["version"],
        ["npx", "-y", `bascule@${version}`],
      ]);
      expect(capabilities.untrustedWorkspaces).toMatchObject({
        supported: "limited",
        restrictedConfigurations: Object.keys(contributes.configuration.properties),
      });
    },
  );
});
