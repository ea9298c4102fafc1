/** Searches the journal and shows whether it is intact (SPEC AU3). */

import { type Signal, signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { ask } from "./api.ts";
import { Block } from "./block.tsx";
import { attempt } from "./state.ts";
import type { HostEvent } from "./types.ts";

const found: Signal<readonly { readonly number: number; readonly event: HostEvent }[]> = signal([]);
interface ChainReport {
  readonly ok: boolean;
  readonly rows: number;
  /** Checkpoint that is kept outside of the journal. */
  readonly checkpoint?: object;
  readonly problems: readonly string[];
}

const chain: Signal<ChainReport | undefined> = signal(undefined);

const FIELDS = ["text", "type", "tool", "plugin", "callId"] as const;

/** Last search. */
let asked = new URLSearchParams();
const PAGE = 100;
const hasMore: Signal<boolean> = signal(false);

async function search(query: URLSearchParams, before: typeof found.value = []): Promise<void> {
  await attempt(async () => {
    asked = query;
    const page = new URLSearchParams(query);
    const oldest = before.at(-1);
    if (oldest !== undefined) page.set("before", String(oldest.number));
    const { events } = await ask<{ readonly events: typeof found.value }>(`/v1/audit?${page.toString()}`);
    hasMore.value = events.length === PAGE;
    found.value = [...before, ...events.toReversed()];
  });
}

export function RecordView(): VNode {
  useEffect(() => {
    void search(new URLSearchParams());
    void attempt(async () => {
      chain.value = await ask("/v1/audit/verify");
    });
  }, []);
  function submit(event: SubmitEvent): void {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const query = new URLSearchParams();
    for (const [name, value] of new FormData(event.currentTarget))
      if (typeof value === "string" && value.trim() !== "") query.set(name, value.trim());
    void search(query);
  }
  return (
    <section aria-labelledby="record-title">
      <h2 id="record-title">Journal</h2>
      <Chain />
      <form class="search" onSubmit={submit}>
        {FIELDS.map((name) => (
          <label key={name}>
            {name} <input name={name} />
          </label>
        ))}
        <button type="submit">Search</button>
      </form>
      <ol class="cards">
        {found.value.map(({ number, event }) => (
          <li key={number} class="card">
            <details>
              <summary>
                <span class="soft">{number}</span> <strong>{event.type}</strong>{" "}
                {typeof event.payload["tool"] === "string" ? event.payload["tool"] : event.plugin}{" "}
                {event.payload["dryRun"] === true && <span class="badge">dry run</span>}{" "}
                <time class="soft" dateTime={new Date(event.time).toISOString()}>
                  {new Date(event.time).toLocaleString()}
                </time>
              </summary>
              <Block label={`Event ${number}`} value={{ ...event }} />
            </details>
          </li>
        ))}
      </ol>
      {hasMore.value && <button onClick={() => void search(asked, found.value)}>Show older</button>}
    </section>
  );
}

function Chain(): VNode {
  if (chain.value === undefined) return <p>Reading the journal…</p>;
  const { ok, rows, problems, checkpoint } = chain.value;
  const fits =
    checkpoint === undefined ? "the hash chain is intact; no checkpoint outside of the journal" : "unchanged since they were written";
  return (
    <p role="status">
      <span class={`badge ${ok ? "completed" : "denied"}`}>{ok ? "sealed" : "changed"}</span>{" "}
      {ok ? `${rows} rows, ${fits}` : problems.join("; ")}
    </p>
  );
}
