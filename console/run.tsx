/** Calls any tool with a form generated from its schema. */

import { type Signal, signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ask } from "./api.ts";
import { Block } from "./block.tsx";
import { Changes } from "./changes.tsx";
import { type Draft, emptyDraft, kindOf, readDraft } from "./draft.ts";
import { SchemaForm } from "./schema-form.tsx";
import { attempt, loadUndoable } from "./state.ts";
import type { Committed, DryRun, Result, Tool } from "./types.ts";
import { Undo } from "./undo.tsx";

const tools: Signal<readonly Tool[]> = signal([]);
const chosen: Signal<string> = signal("");
const result: Signal<Result | undefined> = signal(undefined);
const isRunning: Signal<boolean> = signal(false);

export function Run(): VNode {
  useEffect(() => {
    void attempt(async () => {
      tools.value = (await ask<{ readonly tools: readonly Tool[] }>("/v1/tools")).tools;
      if (!tools.value.some(({ qualifiedName }) => qualifiedName === chosen.value)) chosen.value = tools.value[0]?.qualifiedName ?? "";
    });
  }, []);
  const tool = tools.value.find(({ qualifiedName }) => qualifiedName === chosen.value);
  return (
    <section aria-labelledby="run-title">
      <h2 id="run-title">Run a tool</h2>
      <label for="tool">Tool</label>
      <select
        id="tool"
        value={chosen.value}
        onChange={({ currentTarget }) => {
          chosen.value = currentTarget.value;
          result.value = undefined;
        }}
      >
        {tools.value.map(({ qualifiedName }) => (
          <option key={qualifiedName} value={qualifiedName}>
            {qualifiedName}
          </option>
        ))}
      </select>
      {tool !== undefined && <ToolForm key={tool.qualifiedName} tool={tool} />}
      <div role="status">{result.value !== undefined && <Outcome result={result.value} />}</div>
    </section>
  );
}

function ToolForm({ tool }: { readonly tool: Tool }): VNode {
  const { qualifiedName } = tool;
  const { inputSchema } = tool.checks ?? tool;
  const [draft, change] = useState<Draft>(() =>
    kindOf(inputSchema, 0) === "object" ? emptyDraft(inputSchema) : { kind: "json", text: "{}" },
  );
  const changesNothing = tool.class === "none" || tool.class === "read";
  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const dryRun = event.submitter instanceof HTMLButtonElement && event.submitter.value === "dry";
    isRunning.value = true;
    result.value = undefined;
    await attempt(async () => {
      const args = readDraft(draft, "The arguments") ?? {};
      result.value = await ask<Result>("/v1/calls", { tool: qualifiedName, args, ...(dryRun && { dryRun }) });
    });
    isRunning.value = false;
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
      <p>
        {tool.description} <span class={`badge ${tool.class}`}>{tool.class}</span>
      </p>
      <SchemaForm schema={inputSchema} draft={draft} onChange={change} />
      <div class="line">
        <button type="submit" class="primary" disabled={isRunning.value}>
          Run
        </button>
        {!changesNothing && (
          <button type="submit" value="dry" disabled={isRunning.value}>
            Dry run
          </button>
        )}
      </div>
    </form>
  );
}

function Outcome({ result }: { readonly result: Result }): VNode {
  const { callId, ok, status, output, error, durationMs, dryRun, filesModified } = result;
  return (
    <div class="card">
      <p>
        <span class={`badge ${ok ? "completed" : status === "pending_approval" ? "waiting" : "failed"}`}>{status}</span>{" "}
        <span class="soft">{durationMs.toFixed(1)} ms</span>
      </p>
      {status === "pending_approval" && (
        <p>
          Waiting for confirmation: <a href="#questions">Confirmations</a>
        </p>
      )}
      {error !== undefined && (
        <p>
          <strong>{error.code}</strong> {error.message} {error.hint?.text}
        </p>
      )}
      {ok && <Block label="Output" value={output} />}
      {dryRun !== undefined && <DryRunPart key={callId} result={result} report={dryRun} />}
      {filesModified.length > 0 && (
        <div class="line">
          <span>changed {filesModified.length === 1 ? "one file" : `${filesModified.length} files`}</span>
          <Undo callId={callId} tool={result.tool} />
        </div>
      )}
    </div>
  );
}

/** Report of a dry run, with a button that commits exactly what is shown. */
function DryRunPart({ result: { callId, tool }, report }: { readonly result: Result; readonly report: DryRun }): VNode {
  const [committed, show] = useState<Committed | undefined>(undefined);
  const commit = (): Promise<void> =>
    attempt(async () => {
      show(await ask<Committed>(`/v1/calls/${encodeURIComponent(callId)}/commit`, { hash: report.hash }));
      await loadUndoable();
    });
  if (committed !== undefined) {
    return (
      <div class="line">
        <span class={`badge ${committed.ok ? "completed" : "failed"}`}>{committed.ok ? "done" : "partly done"}</span>
        <span>{committed.ok ? committed.filesModified.join(", ") : committed.message}</span>
        <Undo callId={callId} tool={tool} />
      </div>
    );
  }
  return (
    <div class="held">
      <h3>Nothing was changed. The call would make these changes:</h3>
      <Changes report={report} />
      {report.canCommit && report.changes.length > 0 && (
        <button class="primary" onClick={() => void commit()}>
          Commit
        </button>
      )}
    </div>
  );
}
