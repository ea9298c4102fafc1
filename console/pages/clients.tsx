/** Clients of all doors with their sessions and calls (SPEC I5, T1). */

import { Cable } from "lucide";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { Badge, StateBadge } from "../components/badge.tsx";
import { Choice } from "../components/choice.tsx";
import { PageHeader } from "../components/layout.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../components/states.tsx";
import { type Column, Table } from "../components/table.tsx";
import { Ago } from "../components/time.tsx";
import { ask } from "../data/api.ts";
import type { ConnectedSession } from "../../host/doors/views.ts";
import { useLoad } from "../data/use-load.ts";
import { replaceQuery, route } from "../shell/router.ts";

const SHOWN = [
  ["open", "Open"],
  ["called", "With calls"],
  ["all", "All"],
] as const;
type Shown = (typeof SHOWN)[number][0];
const REFRESH_MS = 5_000;

const IS_SHOWN: Readonly<Record<Shown, (session: ConnectedSession) => boolean>> = {
  open: ({ closedAt }) => closedAt === undefined,
  called: ({ calls, running }) => calls + running > 0,
  all: () => true,
};

export function Clients(): VNode {
  const shown: Shown = SHOWN.find(([value]) => value === route.value.query.get("show"))?.[0] ?? "open";
  const { data, error, reload } = useLoad(() => ask<{ readonly sessions: readonly ConnectedSession[] }>("/v1/clients"), []);
  useEffect(() => {
    const timer = setInterval(() => document.hidden || reload(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [reload]);
  const sessions = data?.sessions.filter(IS_SHOWN[shown]);
  return (
    <>
      <PageHeader title="Sessions" about="Clients that are connected, and what they called, since the server started">
        <Choice label="Sessions shown" values={SHOWN} selected={shown} onSelect={(show) => replaceQuery({ show })} />
      </PageHeader>
      {error !== undefined && <ErrorPanel message={error} onRetry={reload} />}
      {sessions === undefined && error === undefined && <Skeleton rows={6} />}
      {sessions?.length === 0 && (
        <EmptyState title="No session fits" icon={Cable}>
          A client connects with <code>bascule mcp</code>, over HTTP with a token, or with a command such as <code>bascule call</code>.
        </EmptyState>
      )}
      {sessions !== undefined && sessions.length > 0 && (
        <Table caption="Sessions" columns={COLUMNS} rows={sessions} keyOf={({ sessionId }) => sessionId} />
      )}
    </>
  );
}

const DOORS: Readonly<Record<string, string>> = { mcp: "MCP", http: "HTTP", cli: "Command line" };

const COLUMNS: readonly Column<ConnectedSession>[] = [
  {
    title: "Client",
    isHeader: true,
    show: ({ client, door, role }) => (
      <span class="cell-stack">
        <span>
          {client ?? (door === "cli" ? "Commands" : "Unnamed")} {role !== undefined && <Badge tone="info">{role}</Badge>}
        </span>
        <span class="soft narrow-only">{doorText(door)}</span>
      </span>
    ),
  },
  { title: "Door", isDetail: true, show: ({ door }) => doorText(door) },
  {
    title: "State",
    show: ({ running, closedAt }) =>
      running > 0 ? (
        <StateBadge state="running" text={`${running} running`} />
      ) : (
        <StateBadge state={closedAt === undefined ? "connected" : "closed"} text={closedAt === undefined ? "open" : "closed"} />
      ),
  },
  { title: "Calls", align: "right", show: ({ calls }) => calls },
  { title: "Failed", align: "right", isDetail: true, show: ({ failed }) => <span class={failed > 0 ? "bad-text" : "soft"}>{failed}</span> },
  {
    title: "Denied",
    align: "right",
    isDetail: true,
    show: ({ denied }) => <span class={denied > 0 ? "wait-text" : "soft"}>{denied}</span>,
  },
  {
    title: "Last tool",
    isDetail: true,
    show: ({ lastTool }) => (lastTool === undefined ? <span class="soft">–</span> : <code>{lastTool}</code>),
  },
  {
    title: "Last call",
    show: ({ lastCallAt }) => (lastCallAt === undefined ? <span class="soft">never</span> : <Ago time={lastCallAt} />),
  },
  {
    title: "Opened",
    isDetail: true,
    show: ({ openedAt }) => (openedAt === undefined ? <span class="soft">earlier</span> : <Ago time={openedAt} />),
  },
  { title: "Session", isDetail: true, show: ({ sessionId }) => <code title={sessionId}>{sessionId.slice(0, 12)}</code> },
];

function doorText(door: string | undefined): string {
  return door === undefined ? "Program" : ((Object.hasOwn(DOORS, door) ? DOORS[door] : door) ?? door);
}
