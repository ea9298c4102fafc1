/** Asks the user for one of several things. */

import type * as Vscode from "vscode";
import type { ToolView } from "../../../host/doors/operations.ts";
import type { HostState } from "./model.ts";

type Api = typeof Vscode;

export async function pickTool(vscode: Api, { plugins }: HostState): Promise<ToolView | undefined> {
  const tools = plugins.flatMap(({ tools: own }) => own).filter(({ unavailable }) => unavailable === undefined);
  const items = tools.map((tool) => ({ label: tool.qualifiedName, description: tool.class, detail: tool.description, value: tool }));
  return await pick(vscode, items, "No tool can be called");
}

/** @param none what is said if there is nothing to choose from */
export async function pick<T>(
  vscode: Api,
  items: readonly (Vscode.QuickPickItem & { readonly value: T })[],
  none: string,
): Promise<T | undefined> {
  if (items.length > 0) return (await vscode.window.showQuickPick(items))?.value;
  void vscode.window.showInformationMessage(none);
  return undefined;
}
