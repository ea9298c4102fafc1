/** Read-only documents of the extension: results, events, and both sides of a change. */

import type * as Vscode from "vscode";

/** Documents that the editor can show. */
interface Documents extends Vscode.Disposable {
  show(name: string, text: string): Promise<void>;
  showJson(name: string, value: unknown): Promise<void>;
  showDiff(name: string, sides: { readonly before: string; readonly after: string }, title: string): Promise<void>;
}

const SCHEME = "bascule";
/** Kept for tabs that show them; the oldest make room. */
const MAX_DOCUMENTS = 200;

export function createDocuments(vscode: typeof Vscode): Documents {
  const texts = new Map<string, string>();
  const provider = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    provideTextDocumentContent: ({ path }) => texts.get(path) ?? "This is no longer kept",
  });

  function keep(name: string, text: string): Vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}` });
    const [oldest] = texts.keys();
    if (texts.size >= MAX_DOCUMENTS && oldest !== undefined) texts.delete(oldest);
    texts.set(uri.path, text);
    return uri;
  }

  async function show(name: string, text: string): Promise<void> {
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(keep(name, text)), { preview: true });
  }

  return {
    show,
    showJson: (name, value) => show(`${name}.json`, `${JSON.stringify(value, null, 2)}\n`),
    async showDiff(name, { before, after }, title) {
      await vscode.commands.executeCommand("vscode.diff", keep(`before/${name}`, before), keep(`after/${name}`, after), title);
    },
    dispose: () => void provider.dispose(),
  };
}
