/** Explains why a tool may or may not be called, or do something (SPEC P6). */

import { CircleHelp } from "lucide";
import type { VNode } from "preact";
import { StateBadge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { Facts, PageHeader, Section } from "../components/layout.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { ask } from "../data/api.ts";
import { plugins } from "../data/state.ts";
import { useLoad } from "../data/use-load.ts";
import type { Explanation } from "../data/types.ts";
import { queryFromForm, route } from "../shell/router.ts";
import { becauseText } from "./call-parts.tsx";

const KINDS = ["read", "write", "net", "env", "run", "sys", "ffi", "import", "tools", "mcp"];

export function Why(): VNode {
  const { query } = route.value;
  const asked = { name: query.get("name") ?? "", kind: query.get("kind") ?? "", value: query.get("value") ?? "" };
  const search = new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== "")).toString();
  const { data, error, isLoading, reload } = useLoad(
    async () => (asked.name === "" ? undefined : (await ask<{ readonly tools: readonly Explanation[] }>(`/v1/why?${search}`)).tools),
    [search],
  );
  function submit(event: SubmitEvent): void {
    if (queryFromForm(event) !== undefined) reload();
  }
  const names = plugins.value.flatMap(({ name, tools }) => [name, ...tools.map(({ qualifiedName }) => qualifiedName)]);
  return (
    <>
      <PageHeader title="Why" about="Which rule or layer decides whether a tool may be called, or may do something such as read a path" />
      {/* The address gives the first values only: news of plugins must not undo what is being typed. */}
      <form class="search" onSubmit={submit}>
        <label>
          Tool or plugin <input name="name" required list="names" defaultValue={asked.name} autocomplete="off" />
        </label>
        <datalist id="names">
          {names.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <label>
          Act{" "}
          <select name="kind">
            <option value="">(to be called)</option>
            {KINDS.map((kind) => (
              <option key={kind} selected={kind === asked.kind}>
                {kind}
              </option>
            ))}
          </select>
        </label>
        <label>
          On <input name="value" placeholder="path or host" defaultValue={asked.value} />
        </label>
        <Button type="submit" variant="primary">
          Explain
        </Button>
      </form>
      {error !== undefined && <ErrorPanel title="No explanation" message={error} />}
      {isLoading && data === undefined && asked.name !== "" && <Skeleton rows={6} label="Loading the explanation" />}
      {asked.name === "" && (
        <EmptyState title="Ask about a tool or a plugin" icon={CircleHelp}>
          For example: may <code>notes.note_add</code> write <code>notes/ideas.md</code>?
        </EmptyState>
      )}
      {data?.map((answer) => (
        <Answer key={answer.tool} answer={answer} />
      ))}
    </>
  );
}

function Answer({
  answer: { tool, verdict, because, class: level, route: chosen, confirm, toolLayers, act },
}: {
  readonly answer: Explanation;
}): VNode {
  const state = act?.state ?? verdict;
  const layers =
    act?.layers ?? toolLayers.map(({ layer, allowed, rule }) => ({ layer, state: allowed ? "allowed" : "denied", rule, decided: false }));
  return (
    <Section title={`${tool} ${state}`} actions={<StateBadge state={state} />}>
      <Facts
        of={[
          ["Decided by", becauseText(because)],
          ["Class", level],
          ["Route", chosen],
          ["Confirmation", confirm],
        ]}
      />
      {layers.length > 0 && (
        <div class="spaced">
          <Table
            caption={`Verdict of each layer on ${tool}`}
            rows={layers}
            keyOf={(_layer, index) => index}
            columns={[
              { title: "Layer", show: ({ layer }) => layer, isHeader: true, width: "14rem" },
              {
                title: "Verdict",
                show: ({ state: verdictOf, decided }) => (
                  <StateBadge state={verdictOf} text={decided ? `${verdictOf} (decided)` : verdictOf} />
                ),
              },
              { title: "Rule", show: ({ rule }) => rule },
            ]}
          />
        </div>
      )}
    </Section>
  );
}
