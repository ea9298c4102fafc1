/** The decisions that an edit of the policy would change. */

import type { VNode } from "preact";
import { Badge } from "../../components/badge.tsx";
import { Section } from "../../components/layout.tsx";
import { type Column, Table } from "../../components/table.tsx";
import type { PolicyChange, PolicyCheck } from "../../../host/doors/views.ts";

export function CheckView({ check }: { readonly check: PolicyCheck }): VNode {
  const { changes, calls, changedCalls, notCompared, left } = check;
  const widening = changes.filter(({ widens }) => widens).length;
  return (
    <Section title="What would change" count={changes.length + left}>
      <p class="check-summary">
        {changes.length === 0 ? (
          <>
            <Badge tone="good">no change</Badge> No decision differs, for any tool or any of the {calls} calls of the last week.
          </>
        ) : (
          <>
            <b>{changedCalls}</b> of {calls} calls of the last week would be decided differently.{" "}
            {widening > 0 && <Badge tone="bad">{widening === 1 ? "1 decision gives more" : `${widening} decisions give more`}</Badge>}
          </>
        )}
        {notCompared > 0 && <span class="soft"> {notCompared} could not be compared.</span>}
      </p>
      {changes.length > 0 && (
        <Table caption="Decisions that would change" columns={COLUMNS} rows={changes} keyOf={(_change, index) => index} />
      )}
      {left > 0 && <p class="soft">And {left} more.</p>}
    </Section>
  );
}

const TONES: Readonly<Record<string, "good" | "bad" | "wait">> = {
  allowed: "good",
  granted: "good",
  asks: "wait",
  prompt: "wait",
  denied: "bad",
  unavailable: "bad",
};
const WORDS: Readonly<Record<string, string>> = { prompt: "not granted" };

const COLUMNS: readonly Column<PolicyChange>[] = [
  {
    title: "Decision",
    isHeader: true,
    show: ({ tool, role, act, because }) => (
      <span class="cell-stack">
        <span>
          {tool} {role !== undefined && <Badge tone="info">as {role}</Badge>}
        </span>
        {act !== undefined && (
          <code class="soft">
            {act.kind} {act.method} {act.value}
          </code>
        )}
        <span class="soft small">{because}</span>
      </span>
    ),
  },
  {
    title: "Change",
    show: ({ before, after, also, widens }) => (
      <span class="cell-stack">
        {before === after ? (
          <span>{also.join(", ")} differ</span>
        ) : (
          <span class="nowrap">
            <Verdict of={before} /> → <Verdict of={after} />
          </span>
        )}
        {widens && <span class="bad-text small">gives more</span>}
      </span>
    ),
  },
  { title: "Last week", align: "right", show: ({ count }) => (count === 0 ? <span class="soft">–</span> : count) },
];

function Verdict({ of: verdict }: { readonly of: string }): VNode {
  const tone = Object.hasOwn(TONES, verdict) ? TONES[verdict] : undefined;
  return <Badge {...(tone !== undefined && { tone })}>{(Object.hasOwn(WORDS, verdict) ? WORDS[verdict] : undefined) ?? verdict}</Badge>;
}
