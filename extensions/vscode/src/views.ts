/** Shows plain data in the editor: trees and problems. */

import type * as Vscode from "vscode";
import type { PluginView } from "../../../host/doors/operations.ts";
import { diagnosticsOf, type TreeNode } from "./tree.ts";

type Api = typeof Vscode;

/** @param roots returns the items of the top level as they are now */
export function treeProvider(
  vscode: Api,
  roots: () => readonly TreeNode[],
  onDidChangeTreeData: Vscode.Event<void>,
): Vscode.TreeDataProvider<TreeNode> {
  return {
    onDidChangeTreeData,
    getChildren: (node) => [...(node === undefined ? roots() : (node.children ?? []))],
    getTreeItem(node) {
      const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
      const hasChildren = (node.children ?? []).length > 0;
      const item = new vscode.TreeItem(node.label, !hasChildren ? None : node.context === "question" ? Expanded : Collapsed);
      const [icon, color] = node.icon;
      item.id = node.id;
      item.iconPath = new vscode.ThemeIcon(icon, color === undefined ? undefined : new vscode.ThemeColor(color));
      if (node.description !== undefined) item.description = node.description;
      if (node.tooltip !== undefined) item.tooltip = node.tooltip;
      if (node.context !== undefined) item.contextValue = node.context;
      if (node.command !== undefined) item.command = { command: node.command, title: "", arguments: [node] };
      item.accessibilityInformation = { label: `${node.label} ${node.description ?? ""}`.trim() };
      return item;
    },
  };
}

/** Replaces the problems shown. Returns how many there are. */
export function showProblems(vscode: Api, collection: Vscode.DiagnosticCollection, plugins: readonly PluginView[]): number {
  const byPath = Map.groupBy(diagnosticsOf(plugins), ({ path }) => path);
  const { Error: error, Warning: warning } = vscode.DiagnosticSeverity;
  collection.clear();
  for (const [path, found] of byPath) {
    const shown = found.map(({ line, column, message, severity }) => {
      const range = new vscode.Range(line - 1, column - 1, line - 1, Number.MAX_SAFE_INTEGER);
      const diagnostic = new vscode.Diagnostic(range, message, severity === "error" ? error : warning);
      diagnostic.source = "bascule";
      return diagnostic;
    });
    collection.set(vscode.Uri.file(path), shown);
  }
  return [...byPath.values()].reduce((sum, { length }) => sum + length, 0);
}
