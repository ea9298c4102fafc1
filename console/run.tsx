/** Calls any tool with a form made of its schema. */

import { type Signal, signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { ask } from "./api.ts";
import { Block } from "./block.tsx";
import { readArguments, SchemaForm } from "./schema-form.tsx";
import { attempt } from "./state.ts";
import type { Result, Tool } from "./types.ts";

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
  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    isRunning.value = true;
    await attempt(async () => {
      const args = readArguments(tool.inputSchema, new FormData(form));
      result.value = await ask<Result>("/v1/calls", { tool: tool.qualifiedName, args });
    });
    isRunning.value = false;
  }
  return (
    <form onSubmit={(event) => void submit(event)}>
      <p>
        {tool.description} <span class={`badge ${tool.class}`}>{tool.class}</span>
      </p>
      <SchemaForm schema={tool.inputSchema} />
      <button type="submit" class="primary" disabled={isRunning.value}>
        Run
      </button>
    </form>
  );
}

function Outcome({ result: { ok, status, output, error, durationMs } }: { readonly result: Result }): VNode {
  return (
    <div class="card">
      <p>
        <span class={`badge ${ok ? "completed" : status === "pending_approval" ? "waiting" : "failed"}`}>{status}</span>{" "}
        <span class="soft">{durationMs.toFixed(1)} ms</span>
      </p>
      {status === "pending_approval" && (
        <p>
          It waits for an answer: <a href="#questions">Questions</a>
        </p>
      )}
      {error !== undefined && (
        <p>
          <strong>{error.code}</strong> {error.message} {error.hint?.text}
        </p>
      )}
      {ok && <Block label="Output" value={output} />}
    </div>
  );
}
