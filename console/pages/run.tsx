/** Calls any tool with a form generated from its schema. */

import { type Signal, signal } from "@preact/signals";
import { FlaskConical, Play } from "lucide";
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Badge, StateBadge, toneOf } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { Changes } from "../components/changes.tsx";
import { PageHeader, Section } from "../components/layout.tsx";
import { ResultView } from "../components/result-view.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../components/states.tsx";
import { durationText } from "../components/time.tsx";
import { Undo } from "../components/undo.tsx";
import { ask } from "../data/api.ts";
import { attempt, loadUndoable } from "../data/state.ts";
import { useLoad } from "../data/use-load.ts";
import type { Committed, DryRun, HostEvent, Json, Result, Tool } from "../data/types.ts";
import { type Draft, draftOf, emptyDraft, kindOf, readDraft } from "../forms/draft.ts";
import { SchemaForm } from "../forms/schema-form.tsx";
import { href, replaceQuery, route } from "../shell/router.ts";

const result: Signal<Result | undefined> = signal(undefined);
const isRunning: Signal<boolean> = signal(false);

export function Run(): VNode {
  const { query } = route.value;
  const from = query.get("from") ?? undefined;
  const { data, error, reload } = useLoad(async () => (await ask<{ readonly tools: readonly Tool[] }>("/v1/tools")).tools, []);
  const given = useLoad(async () => (from === undefined ? undefined : await argumentsOf(from)), [from]);
  const wanted = query.get("tool");
  const tool = data?.find(({ qualifiedName }) => qualifiedName === wanted) ?? (wanted === null ? data?.[0] : undefined);
  const isReady = tool !== undefined && (from === undefined || !given.isLoading);
  return (
    <>
      <PageHeader title="Run a tool" about="The call is made by this console: with its session, and recorded like every other" />
      {error !== undefined && <ErrorPanel message={error} onRetry={reload} />}
      {data === undefined && error === undefined && <Skeleton rows={6} label="Loading the tools" />}
      {data !== undefined && (
        <div class="run-panes">
          <div>
            <label for="tool">Tool</label>
            <select
              id="tool"
              value={tool?.qualifiedName ?? ""}
              onChange={({ currentTarget }) => {
                replaceQuery({ tool: currentTarget.value });
                result.value = undefined;
              }}
            >
              {tool === undefined && <option value="">{wanted} (not available)</option>}
              {data.map(({ qualifiedName }) => (
                <option key={qualifiedName} value={qualifiedName}>
                  {qualifiedName}
                </option>
              ))}
            </select>
            {given.error !== undefined && <ErrorPanel title="The arguments could not be read" message={given.error} />}
            {isReady && <ToolForm key={`${tool.qualifiedName} ${from ?? ""}`} tool={tool} given={given.data} />}
          </div>
          <div class="run-result" role="status">
            {result.value !== undefined && <Outcome result={result.value} />}
            {result.value === undefined && isRunning.value && <Skeleton rows={4} label="The tool runs" />}
            {result.value === undefined && !isRunning.value && (
              <EmptyState title="No result yet" icon={Play}>
                Fill in the form and run the tool. A dry run shows what it would change.
              </EmptyState>
            )}
          </div>
        </div>
      )}
    </>
  );
}

/** Returns the arguments of an earlier call. @throws {Error} if the journal has only an outline of them */
async function argumentsOf(callId: string): Promise<Json | undefined> {
  const query = new URLSearchParams({ callId, type: "tool.called", limit: "1" });
  const { events } = await ask<{ readonly events: readonly { readonly event: HostEvent }[] }>(`/v1/audit?${query}`);
  const payload = events[0]?.event.payload;
  if (payload?.["largeArguments"] !== undefined)
    throw new Error("The journal has only an outline of these arguments, because they are large");
  return payload?.["arguments"];
}

function ToolForm({ tool, given }: { readonly tool: Tool; readonly given: Json | undefined }): VNode {
  const { qualifiedName } = tool;
  const { inputSchema } = tool.checks ?? tool;
  const [draft, change] = useState<Draft>(() => {
    if (given !== undefined) return draftOf(inputSchema, given);
    return kindOf(inputSchema, 0) === "object" ? emptyDraft(inputSchema) : { kind: "json", text: "{}" };
  });
  const changesNothing = tool.class === "none" || tool.class === "read";
  useEffect(
    () => () => {
      result.value = undefined;
    },
    [],
  );
  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (isRunning.value) return;
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
    <form class="tool-form" onSubmit={(event) => void submit(event)}>
      <p class="soft">
        <Badge tone={toneOf(tool.class)}>{tool.class}</Badge> {tool.description}
      </p>
      <SchemaForm schema={inputSchema} draft={draft} onChange={change} />
      <div class="actions">
        <Button type="submit" variant="primary" icon={Play} isBusy={isRunning.value}>
          Run
        </Button>
        {!changesNothing && (
          <Button type="submit" value="dry" icon={FlaskConical} isBusy={isRunning.value}>
            Dry run
          </Button>
        )}
      </div>
    </form>
  );
}

function Outcome({ result: shown }: { readonly result: Result }): VNode {
  const { callId, tool, ok, status, output, content, error, durationMs, dryRun, filesModified } = shown;
  return (
    <Section
      title="Result"
      actions={
        <>
          <StateBadge state={status === "error" ? "failed" : status} text={status} />
          <span class="soft number">{durationText(durationMs)}</span>
          <a href={href("/calls/:callId", { callId })}>Open the call</a>
        </>
      }
    >
      {status === "pending_approval" && (
        <p>
          Waiting for confirmation: <a href={href("/confirmations")}>Confirmations</a>
        </p>
      )}
      {error !== undefined && status !== "pending_approval" && (
        <div class="call-error">
          <p>
            <strong>{error.code}</strong> {error.message}
          </p>
          {error.hint?.text !== undefined && <p>{error.hint.text}</p>}
        </div>
      )}
      {ok && <ResultView output={output} content={content} />}
      {dryRun !== undefined && <DryRunPart key={callId} result={shown} report={dryRun} />}
      {filesModified.length > 0 && (
        <div class="actions spaced">
          <span>changed {filesModified.length === 1 ? "one file" : `${filesModified.length} files`}</span>
          <Undo callId={callId} tool={tool} />
        </div>
      )}
    </Section>
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
      <div class="actions spaced">
        <Badge tone={committed.ok ? "good" : "bad"}>{committed.ok ? "done" : "partly done"}</Badge>
        <span>{committed.ok ? committed.filesModified.join(", ") : committed.message}</span>
        <Undo callId={callId} tool={tool} />
      </div>
    );
  }
  return (
    <Section title="Nothing was changed. The call would make these changes:">
      <Changes report={report} />
      {report.canCommit && report.changes.length > 0 && (
        <p class="spaced">
          <Button variant="primary" onClick={() => void commit()}>
            Commit
          </Button>
        </p>
      )}
    </Section>
  );
}
