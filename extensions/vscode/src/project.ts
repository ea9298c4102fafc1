/** The project that the editor has open, and the program that serves it. */

import type * as Vscode from "vscode";

type Api = typeof Vscode;

/** Returns the project's folder; undefined if no folder on this machine is open. */
export function projectFolder(vscode: Api): string | undefined {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (folder?.uri.scheme !== "file") return undefined;
  const below = vscode.workspace.getConfiguration("bascule", folder.uri).get<string>("project") ?? "";
  return vscode.Uri.joinPath(folder.uri, below).fsPath;
}

/** @throws {Error} if the folder is not trusted: nothing is started in it */
export function trustedProject(vscode: Api): string {
  if (!vscode.workspace.isTrusted) throw new Error("Trust this folder first: nothing is started in it before");
  const root = projectFolder(vscode);
  if (root === undefined) throw new Error("Open a folder first: a bascule project is a folder");
  return root;
}

/** Returns the program and arguments that start bascule. */
export function commandOf(vscode: Api): readonly string[] {
  return vscode.workspace.getConfiguration("bascule").get<readonly string[]>("command") ?? ["npx", "-y", "bascule"];
}
