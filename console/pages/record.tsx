/** Searches the journal and shows whether it is intact (SPEC AU3). */

import { type Signal, signal } from "@preact/signals";
import { Search } from "lucide";
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Badge, toneOf } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { JsonCode } from "../components/code.tsx";
import { PageHeader } from "../components/layout.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../components/states.tsx";
import { ask } from "../data/api.ts";
import { useLoad } from "../data/use-load.ts";
import type { HostEvent } from "../data/types.ts";
import { href, queryFromForm, route } from "../shell/router.ts";

interface Found {
  readonly number: number;
  readonly event: HostEvent;
}

interface ChainReport {
  readonly ok: boolean;
  readonly rows: number;
  /** Checkpoint that is kept outside of the journal. */
  readonly checkpoint?: object;
  readonly problems: readonly string[];
}

/** Parameters of the search, with their labels. */
const FIELDS = { text: "Text", type: "Type", tool: "Tool", plugin: "Plugin", callId: "Call id" } as const;
const PAGE = 100;

const found: Signal<readonly Found[]> = signal([]);
const hasMore: Signal<boolean> = signal(false);
/** Number of the last search: an answer that a later search has overtaken is dropped. */
let round = 0;

export function RecordView(): VNode {
  const { query } = route.value;
  const asked = Object.fromEntries(Object.keys(FIELDS).map((name) => [name, query.get(name) ?? ""]));
  const [error, setError] = useState<string | undefined>(undefined);
  const [isLoading, setLoading] = useState(true);
  const search = async (before: readonly Found[]): Promise<void> => {
    const own = ++round;
    setLoading(true);
    setError(undefined);
    // The old list does not stand under a new filter. The button for older records stays, and with it the focus.
    if (before.length === 0) {
      found.value = [];
      hasMore.value = false;
    }
    try {
      const page = new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== ""));
      const oldest = before.at(-1);
      if (oldest !== undefined) page.set("before", String(oldest.number));
      const { events } = await ask<{ readonly events: readonly Found[] }>(`/v1/audit?${page.toString()}`);
      if (own !== round) return;
      hasMore.value = events.length === PAGE;
      found.value = [...before, ...events.toReversed()];
    } catch (cause) {
      if (own === round) setError(cause instanceof Error ? cause.message : String(cause));
    }
    if (own === round) setLoading(false);
  };
  useEffect(() => void search([]), [query.toString()]);
  function submit(event: SubmitEvent): void {
    const given = queryFromForm(event);
    if (given === undefined) return;
    if (new URLSearchParams(Object.entries(given).filter(([, value]) => value !== "")).toString() === query.toString()) void search([]);
  }
  return (
    <>
      <PageHeader title="Journal" about={<Chain />} />
      <form class="search" role="search" onSubmit={submit}>
        {Object.entries(FIELDS).map(([name, label]) => (
          <label key={name}>
            {label} <input name={name} defaultValue={asked[name] ?? ""} />
          </label>
        ))}
        <Button type="submit" icon={Search} isBusy={isLoading}>
          Search
        </Button>
      </form>
      {error !== undefined && <ErrorPanel title="The journal could not be read" message={error} onRetry={() => void search([])} />}
      {found.value.length === 0 && isLoading && <Skeleton rows={10} label="Reading the journal" />}
      {found.value.length === 0 && !isLoading && error === undefined && (
        <EmptyState title="No record matches">
          Every call, grant and change of a plugin is recorded here, unless the journal is switched off.
        </EmptyState>
      )}
      {found.value.length > 0 && (
        <ol class="records">
          {found.value.map(({ number, event }) => (
            <Record key={number} number={number} event={event} />
          ))}
        </ol>
      )}
      {hasMore.value && (
        <p class="calls-more">
          <Button isBusy={isLoading} onClick={() => void search(found.value)}>
            Show older
          </Button>
        </p>
      )}
    </>
  );
}

/** A record in one line; its JSON is rendered when it is opened. */
function Record({ number, event }: Found): VNode {
  const [isOpen, setOpen] = useState(false);
  const { type, payload, callId, plugin, time } = event;
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <span class="soft number">{number}</span>
          <time class="soft number" dateTime={new Date(time).toISOString()}>
            {new Date(time).toLocaleString(undefined, { hour12: false })}
          </time>
          <Badge tone={toneOf(type.split(".").at(-1) ?? "")}>{type}</Badge>
          <span class="record-what">
            {typeof payload["tool"] === "string" ? payload["tool"] : plugin} {payload["dryRun"] === true && <Badge>dry run</Badge>}
            <span class="soft"> {summaryOf(event)}</span>
          </span>
        </summary>
        {isOpen && (
          <>
            {callId !== undefined && (
              <p>
                <a href={href("/calls/:callId", { callId })}>Open the call</a>
              </p>
            )}
            <JsonCode label={`Event ${number}`} value={{ ...event }} />
          </>
        )}
      </details>
    </li>
  );
}

function summaryOf({ payload: { code, permission, value, decision, reason, client, door } }: HostEvent): string {
  const parts = [client, door, code, permission, value, typeof decision === "string" ? decision : undefined, reason];
  return parts
    .filter((part) => typeof part === "string")
    .join(" ")
    .slice(0, 200);
}

function Chain(): VNode {
  const { data, error } = useLoad(async () => await ask<ChainReport>("/v1/audit/verify"), []);
  if (error !== undefined) return <span role="status">The journal could not be verified: {error}</span>;
  if (data === undefined) return <span role="status">Verifying the journal…</span>;
  const { ok, rows, problems, checkpoint } = data;
  const fits =
    checkpoint === undefined ? "the hash chain is intact; no checkpoint outside of the journal" : "unchanged since they were written";
  return (
    <span role="status">
      <Badge tone={ok ? "good" : "bad"}>{ok ? "sealed" : "changed"}</Badge> {ok ? `${rows} rows, ${fits}` : problems.join("; ")}
    </span>
  );
}
