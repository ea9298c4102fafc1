/** Charts of calls, durations and load (SPEC I5). */

import { ChartLine } from "lucide";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { Chart, Sparkline } from "../components/chart.tsx";
import { Choice } from "../components/choice.tsx";
import { PageHeader, Section } from "../components/layout.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../components/states.tsx";
import { type Column, Table } from "../components/table.tsx";
import { bytesText, durationText } from "../components/time.tsx";
import { ask } from "../data/api.ts";
import type { MetricsHistoryView } from "../../host/doors/views.ts";
import { plugins } from "../data/state.ts";
import { useLoad } from "../data/use-load.ts";
import { href, replaceQuery, route } from "../shell/router.ts";

const RANGES = [
  ["1h", "1 h"],
  ["6h", "6 h"],
  ["24h", "24 h"],
  ["7d", "7 d"],
] as const;
const REFRESH_MS = 10_000;

export function Dashboard(): VNode {
  const { query } = route.value;
  const range = RANGES.find(([value]) => value === query.get("range"))?.[0] ?? "1h";
  const plugin = query.get("plugin") ?? "";
  const search = new URLSearchParams({ range, ...(plugin !== "" && { plugin }) }).toString();
  const { data, error, reload } = useLoad(() => ask<MetricsHistoryView>(`/v1/metrics/history?${search}`), [search]);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || reload(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [reload]);
  const change = (next: Readonly<Record<string, string>>): void => replaceQuery({ range, plugin, ...next });
  const names = [...new Set([...plugins.value.flatMap(({ name, directory }) => (directory === undefined ? [] : [name])), "(host)"])];
  return (
    <>
      <PageHeader title="Dashboard">
        <select
          aria-label="Plugin"
          class="compact"
          value={plugin}
          onChange={({ currentTarget }) => change({ plugin: currentTarget.value })}
        >
          <option value="">All plugins</option>
          {names.map((name) => (
            <option key={name} value={name}>
              {name === "(host)" ? "The host's own tools" : name}
            </option>
          ))}
        </select>
        <Choice label="Range" values={RANGES} selected={range} onSelect={(value) => change({ range: value })} />
      </PageHeader>
      {error !== undefined && <ErrorPanel message={error} onRetry={reload} />}
      {data === undefined ? error === undefined && <Skeleton rows={9} label="Loading charts" /> : <Charts data={data} />}
    </>
  );
}

function Charts({ data }: { readonly data: MetricsHistoryView }): VNode {
  const { overall, from, stepMs, calls, failed, denied, plugins: totals, damage } = data;
  const place = { from, stepMs };
  const completed = calls.map((count, index) => count - (failed[index] ?? 0) - (denied[index] ?? 0));
  const top = totals.slice(0, 5);
  const share = overall.calls === 0 ? 0 : (overall.failed / overall.calls) * 100;
  return (
    <>
      <dl class="stats">
        <Stat name="Calls" value={countText(overall.calls)} note={`${(overall.calls / minutesOf(data)).toFixed(1)} a minute`} />
        <Stat name="Failed" value={countText(overall.failed)} note={`${share.toFixed(1)} %`} tone={overall.failed > 0 ? "bad" : ""} />
        <Stat name="Denied" value={countText(overall.denied)} tone={overall.denied > 0 ? "wait" : ""} />
        <Stat name="Median" value={timeOf(overall.p50)} note={`p95 ${timeOf(overall.p95)}`} />
        <Stat name="Sandbox memory" value={bytesText(lastOf(data.memoryBytes))} note={`${lastOf(data.busy)} busy`} />
        <Stat
          name="Confirmations"
          value={String(lastOf(data.confirmations))}
          note="waiting now"
          tone={lastOf(data.confirmations) > 0 ? "wait" : ""}
        />
      </dl>
      {damage > 0 && <p class="note wait">Parts of the journal cannot be read, so calls may be missing. The journal's page shows which.</p>}
      <div class="charts">
        <Chart
          {...place}
          title="Calls"
          summary={`${countText(overall.calls)} in total`}
          form="stack"
          format={countText}
          emptyText="No calls in this range"
          series={[
            { name: "completed", color: "series-1", values: completed },
            { name: "denied", color: "wait", values: denied },
            { name: "failed", color: "bad", values: failed },
          ]}
        />
        <Chart
          {...place}
          title="Duration"
          summary={`p95 ${timeOf(overall.p95)}`}
          isLogarithmic
          format={shortTime}
          emptyText="No calls ran in this range"
          series={[
            { name: "p50", color: "series-2", values: data.p50 },
            { name: "p95", color: "series-1", values: data.p95 },
            { name: "p99", color: "series-4", values: data.p99 },
          ]}
        />
        <Chart
          {...place}
          title="Errors"
          form="stack"
          summary={`${share.toFixed(1)} % failed`}
          format={countText}
          emptyText="No call failed or was denied"
          series={[
            { name: "denied", color: "wait", values: denied },
            { name: "failed", color: "bad", values: failed },
          ]}
        />
        <Chart
          {...place}
          title="Calls by plugin"
          form="stack"
          format={countText}
          emptyText="No calls in this range"
          series={
            top.length === 0
              ? [{ name: "calls", color: "series-1", values: calls }]
              : top.map(({ plugin, series }, index) => ({ name: nameOf(plugin), color: `series-${index + 1}`, values: series }))
          }
        />
        <Chart
          {...place}
          title="Sandbox memory"
          summary={bytesText(lastOf(data.memoryBytes))}
          form="area"
          format={shortBytes}
          emptyText="Sampled while the server runs"
          series={[{ name: "memory", color: "series-5", values: data.memoryBytes }]}
        />
        <Chart
          {...place}
          title="Sandbox workers"
          summary={`${lastOf(data.queued)} queued`}
          format={countText}
          emptyText="Idle"
          series={[
            { name: "busy workers", color: "series-2", values: data.busy },
            { name: "queued calls", color: "series-3", values: data.queued },
          ]}
        />
        <Chart
          {...place}
          title="Confirmations waiting"
          summary={`${lastOf(data.confirmations)} now`}
          form="area"
          format={countText}
          emptyText="No confirmation waited"
          series={[{ name: "waiting", color: "wait", values: data.confirmations }]}
        />
      </div>
      <Section title="By plugin" count={totals.length}>
        {totals.length === 0 ? (
          <EmptyState title="No calls in this range" icon={ChartLine}>
            Choose a longer range, or call a tool: <code>bascule call</code>, or <a href={href("/run")}>Run a tool</a>.
          </EmptyState>
        ) : (
          <Table caption="Calls by plugin" columns={COLUMNS} rows={totals} keyOf={({ plugin }) => plugin} />
        )}
      </Section>
    </>
  );
}

type Total = MetricsHistoryView["plugins"][number];

const COLUMNS: readonly Column<Total>[] = [
  {
    title: "Plugin",
    isHeader: true,
    show: ({ plugin }) => (plugin.startsWith("(") ? nameOf(plugin) : <a href={href("/plugins/:name", { name: plugin })}>{plugin}</a>),
  },
  { title: "Over time", isDetail: true, width: "8rem", show: ({ series }) => <Sparkline values={series} /> },
  { title: "Calls", align: "right", show: ({ calls }) => countText(calls) },
  { title: "Failed", align: "right", show: ({ failed }) => <span class={failed > 0 ? "bad-text" : "soft"}>{countText(failed)}</span> },
  { title: "Denied", align: "right", show: ({ denied }) => <span class={denied > 0 ? "wait-text" : "soft"}>{countText(denied)}</span> },
  { title: "p50", align: "right", isDetail: true, show: ({ p50 }) => timeOf(p50) },
  { title: "p95", align: "right", show: ({ p95 }) => timeOf(p95) },
  { title: "p99", align: "right", isDetail: true, show: ({ p99 }) => timeOf(p99) },
];

function Stat({
  name,
  value,
  note,
  tone = "",
}: {
  readonly name: string;
  readonly value: string;
  readonly note?: string;
  readonly tone?: string;
}): VNode {
  return (
    <div class="stat">
      <dt>{name}</dt>
      <dd>
        <span class={`stat-value ${tone}`}>{value}</span>
        {note !== undefined && <span class="soft">{note}</span>}
      </dd>
    </div>
  );
}

function nameOf(plugin: string): string {
  return plugin === "(host)" ? "host tools" : plugin === "(other)" ? "other plugins" : plugin;
}

function lastOf(values: readonly (number | null)[]): number {
  return values.findLast((value) => value !== null) ?? 0;
}

function minutesOf({ calls, stepMs }: MetricsHistoryView): number {
  return (calls.length * stepMs) / 60_000;
}

function timeOf(ms: number | null): string {
  return ms === null ? "–" : durationText(ms);
}

/** Short, for an axis. */
function shortTime(ms: number): string {
  return ms < 1
    ? `${ms.toFixed(1)} ms`
    : ms < 1_000
      ? `${Math.round(ms)} ms`
      : ms < 60_000
        ? `${Math.round(ms / 1_000)} s`
        : `${Math.round(ms / 60_000)} min`;
}

function shortBytes(bytes: number): string {
  return bytes < 1_048_576 ? `${Math.round(bytes / 1_024)} KiB` : `${Math.round(bytes / 1_048_576)} MiB`;
}

function countText(count: number): string {
  return Number.isInteger(count) ? count.toLocaleString("en") : count.toFixed(1);
}
