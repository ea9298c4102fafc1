import { describe, expect, it } from "vitest";
import { type CallItem, withEvent } from "../../../extensions/vscode/src/calls.ts";
import { changeSides } from "../../../extensions/vscode/src/change-sides.ts";
import type { HostState } from "../../../extensions/vscode/src/model.ts";
import { argumentsOf, exampleOf } from "../../../extensions/vscode/src/tool-arguments.ts";
import { callNodes, diagnosticsOf, pluginNodes, questionNodes, questionText, recordNodes } from "../../../extensions/vscode/src/tree.ts";
import type { FileChange } from "../../../host/call/dry-run-report.ts";
import type { PendingConfirmation } from "../../../host/confirmations/pending.ts";
import type { PluginView } from "../../../host/doors/operations.ts";
import type { JsonObject } from "../../../manifests/mod.ts";

const EMPTY: HostState = { plugins: [], questions: [], calls: [], record: [], notes: [] };

const event = (type: string, payload: JsonObject = {}, callId = "c1"): JsonObject => ({ type, callId, time: 5, plugin: "words", payload });

function fold(events: readonly JsonObject[], isPast = false): readonly CallItem[] {
  return events.reduce<readonly CallItem[]>((calls, one) => withEvent(calls, one, isPast), []);
}

describe("withEvent()", () => {
  it("follows a call that is confirmed from its question to its end [DI4.vscode-calls]", () => {
    const asked = event("tool.confirmation_requested", { tool: "words.grep" });
    const steps = [
      asked,
      event("tool.confirmation_resolved", { decision: "allowed" }),
      event("tool.called", { tool: "words.grep", arguments: { q: 1 } }),
    ];
    const states = steps.map((_step, index) => fold(steps.slice(0, index + 1))[0]?.state);
    expect(states).toEqual(["waiting", "running", "running"]);
    expect(fold([...steps, event("tool.completed", { tool: "words.grep", durationMs: 12 })])).toEqual([
      { callId: "c1", tool: "words.grep", plugin: "words", startedAt: 5, arguments: { q: 1 }, state: "done", durationMs: 12 },
    ]);
  });

  it("shows a call of the journal without an end as such, and errors with their code [DI4.vscode-calls]", () => {
    const called = event("tool.called", { tool: "a.b", arguments: {} });
    expect(fold([called], true)).toEqual([
      { callId: "c1", tool: "a.b", plugin: "words", startedAt: 5, arguments: {}, state: "unfinished" },
    ]);
    const denied = event("tool.denied", { tool: "a.b", code: "fs_denied", message: "Not granted", dryRun: true }, "c2");
    expect(fold([event("tool.failed", { tool: "a.b", code: "user_denied", message: "No" })])[0]?.state).toBe("denied");
    expect(fold([called, denied, event("capability.used")]).map(({ state, error, dryRun }) => [state, error, dryRun])).toEqual([
      ["denied", "fs_denied: Not granted", true],
      ["running", undefined, undefined],
    ]);
  });

  it("keeps the newest 200 calls [DI4.vscode-calls]", () => {
    const calls = fold(Array.from({ length: 300 }, (_, index) => event("tool.called", { tool: "t" }, String(index))));
    expect([calls.length, calls[0]?.callId, calls.at(-1)?.callId]).toEqual([200, "299", "100"]);
  });
});

const PLUGIN: PluginView = {
  ...{ name: "words", state: "loaded", directory: "/p/plugins/words", version: "1.0.0", description: "Counts" },
  ...{ tools: [], problems: [], requested: {}, granted: {}, missing: {}, limits: [] },
};

describe("the views", () => {
  it("show what needs a decision first, with what is missing [DI4.vscode-plugins]", () => {
    const plugins: readonly PluginView[] = [
      PLUGIN,
      { ...PLUGIN, name: "notes", missing: { write: ["/p/notes"], read: ["$workspace"] } },
      {
        ...PLUGIN,
        name: "bad",
        state: "failed",
        problems: [{ severity: "error", pointer: "", message: "No such export", file: "main.ts", line: 3 }],
      },
    ];
    const status = { workspace: "/p" } as NonNullable<HostState["status"]>;
    const nodes = pluginNodes({ ...EMPTY, plugins, status });
    expect(nodes.map(({ label, description, icon, context }) => [label, description, icon[0], context])).toEqual([
      ["bad", "failed · 1.0.0", "error", "plugin"],
      ["notes", "needs a grant: read the project's folder, write notes · 1.0.0", "key", "plugin.needsGrant"],
      ["words", "1.0.0", "package", "plugin"],
    ]);
    expect(nodes[0]?.children?.map(({ label, description, command }) => [label, description, command])).toEqual([
      ["No such export", "main.ts:3", "bascule.openProblem"],
    ]);
  });

  it("show a question with its changes and what it decides about [DI4.vscode-questions]", () => {
    const change: FileChange = { kind: "modified", path: "a.txt", type: "file", diff: "" };
    const preview = { changes: [change], held: [{ method: "POST", url: "https://x.example", bytes: 1 }], hash: "h", canCommit: false };
    const question = questionOf({ preview, calledBy: ["chain"], destructive: true });
    const [node] = questionNodes({ ...EMPTY, questions: [question] });
    expect([node?.label, node?.description, node?.children?.map(({ label, command }) => [label, command])]).toEqual([
      "notes.add",
      "would change a.txt",
      [["a.txt", "bascule.openChange"]],
    ]);
    expect(questionText(question).split("\n")).toEqual([
      ...["notes.add (write, destructive) wants to run", "Called by chain", "Arguments: {", '  "text": "hi"', "}"],
      ...["modified a.txt", "Would send POST https://x.example"],
    ]);
    const asks = questionOf({ permission: { kind: "read", value: "/p/secret" } });
    expect(questionNodes({ ...EMPTY, questions: [asks] })[0]?.description).toBe("asks to read /p/secret");
  });

  it("keep each change on its own line, whatever its path [DI4.vscode-text]", () => {
    const change: FileChange = { kind: "deleted", path: "a\nWould send GET x\u202e", type: "file" };
    const preview = { changes: [change], held: [], hash: "h", canCommit: false };
    expect(
      questionText(questionOf({ preview, args: {} }))
        .split("\n")
        .slice(1),
    ).toEqual(["Arguments: {}", String.raw`deleted a\nWould send GET x\u{202e}`]);
  });

  it("make texts of plugins and callers inert [DI4.vscode-text]", () => {
    const evil = "a\u202eb\nc";
    const shown = [
      ...pluginNodes({ ...EMPTY, plugins: [{ ...PLUGIN, name: evil, description: evil }] }),
      ...callNodes({ ...EMPTY, calls: [{ callId: "1", tool: evil, state: "failed", startedAt: 0, error: evil }] }),
      ...recordNodes({ ...EMPTY, record: [{ id: "e", type: evil, time: 0, payload: { tool: evil } }], notes: [evil] }),
      ...questionNodes({ ...EMPTY, questions: [questionOf({ tool: evil, args: { text: evil } })] }),
    ].map(({ label, description, tooltip }) => `${label}${description}${(tooltip ?? "").replaceAll("\n", "")}`);
    expect(shown.filter((text) => /[\u202e\n]/u.test(text))).toEqual([]);
  });

  it("place problems at their lines, and those without one at the manifest [DI4.vscode-problems]", () => {
    const problems = [
      { severity: "error", pointer: "", message: "Unexpected", file: "main.ts", line: 2, column: 7 },
      { severity: "warning", pointer: "", message: "Is old" },
    ] as const;
    expect(diagnosticsOf([{ directory: "/p/plugins/words", problems }, { problems }])).toEqual([
      { path: "/p/plugins/words/main.ts", line: 2, column: 7, severity: "error", message: "Unexpected" },
      { path: "/p/plugins/words/manifest.json", line: 1, column: 1, severity: "warning", message: "Is old" },
    ]);
  });
});

describe("changeSides()", () => {
  const diff = "--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n";
  const change: FileChange = { kind: "modified", path: "a.txt", type: "file", diff };

  it("gives the file as it is and as it would be [DI4.vscode-diff]", () => {
    expect(changeSides(change, "one\ntwo\n")).toEqual({ ok: true, before: "one\ntwo\n", after: "one\nthree\n" });
    const created = { ...change, kind: "created", diff: "--- a\n+++ a\n@@ -0,0 +1,1 @@\n+new\n" } as const;
    expect(changeSides(created, undefined)).toEqual({ ok: true, before: "", after: "new\n" });
  });

  it("says why there are none, and shows no diff against another text [DI4.vscode-diff]", () => {
    const { diff: _diff, ...binary } = change;
    const reasons = [
      changeSides(change, "other\n"),
      changeSides(change, undefined),
      changeSides(binary, "x"),
      changeSides({ ...change, type: "symlink" }, "x"),
    ];
    expect(reasons.map((sides) => !sides.ok && sides.reason.split("\n")[0])).toEqual([
      "The file changed since the call was shown, so it can no longer be approved",
      "The file no longer exists, so the call can no longer be approved",
      "Binary, or too large to compare",
      "modified symlink",
    ]);
  });
});

describe("arguments of a call", () => {
  it("begin with the required members, and are read with what is wrong [DI4.vscode-call]", () => {
    const schema = {
      required: ["path", "lines", "text"],
      properties: { path: { examples: ["README.md"] }, lines: { default: 3 }, more: {} },
    };
    expect(exampleOf(schema)).toEqual({ path: "README.md", lines: 3, text: "" });
    expect(argumentsOf('{"path":"a"}')).toEqual({ path: "a" });
    expect(argumentsOf("[1]")).toBe('Expected an object: { "name": value }');
    expect(typeof argumentsOf("{")).toBe("string");
  });
});

function questionOf(request: Partial<PendingConfirmation["request"]>): PendingConfirmation {
  const asked = { requestId: "r", callId: "c", tool: "notes.add", args: { text: "hi" }, class: "write", destructive: false } as const;
  return {
    request: { ...asked, projectedModifications: [], hash: "h", ...request },
    scopes: ["once"],
    sessionId: "s",
    askedAt: 0,
    expiresAt: 1,
  };
}
