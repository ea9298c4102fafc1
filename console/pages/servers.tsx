/** MCP servers with their state, tools, and changes that wait for acceptance (SPEC K3). */

import { RefreshCw, Server } from "lucide";
import type { VNode } from "preact";
import { StateBadge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { ChangeList } from "../components/change-list.tsx";
import { PageHeader, Section } from "../components/layout.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../components/states.tsx";
import { Table } from "../components/table.tsx";
import { ask } from "../data/api.ts";
import { attempt } from "../data/state.ts";
import { useLoad } from "../data/use-load.ts";
import type { McpServer } from "../data/types.ts";

export function Servers(): VNode {
  const { data, error, isLoading, reload } = useLoad(() => ask<{ readonly servers: readonly McpServer[] }>("/v1/mcp-servers"), []);
  return (
    <>
      <PageHeader title="MCP servers" about="Servers whose tools this host offers, under its policy and in its journal">
        <Button icon={RefreshCw} isBusy={isLoading} onClick={reload}>
          Refresh
        </Button>
      </PageHeader>
      {error !== undefined && <ErrorPanel message={error} onRetry={reload} />}
      {data === undefined && error === undefined && <Skeleton rows={4} label="Loading the servers" />}
      {data?.servers.length === 0 && (
        <EmptyState title="No servers" icon={Server}>
          Add one under <code>mcpServers</code> in <code>bascule.json</code>; its tools appear here and wait for your acceptance.
        </EmptyState>
      )}
      {data?.servers.map((server) => (
        <ServerPart key={server.name} server={server} onChange={reload} />
      ))}
    </>
  );
}

interface ToolRow {
  readonly tool: string;
  /** Why the tool is not offered. */
  readonly reason?: string;
  readonly isWaiting: boolean;
}

function ServerPart({ server, onChange }: { readonly server: McpServer; readonly onChange: () => void }): VNode {
  const { name, state, problem, waiting } = server;
  const accept = (chosen: readonly string[]): Promise<void> =>
    attempt(async () => {
      await ask(`/v1/mcp-servers/${encodeURIComponent(name)}/accept`, { tools: chosen, digest: waiting?.digest ?? "" });
    }).finally(onChange);
  const rows = rowsOf(server);
  return (
    <Section
      title={name}
      count={rows.length}
      actions={
        <>
          <StateBadge state={state} />
          {waiting !== undefined && waiting.tools.length > 1 && (
            <Button variant="primary" label={`Accept all tools of ${name}`} onClick={() => void accept(waiting.tools)}>
              Accept all
            </Button>
          )}
        </>
      }
    >
      {problem !== undefined && state !== "connected" && <p class="note bad">{problem}</p>}
      {waiting !== undefined && (
        <div class="note wait">
          <ChangeList words={waiting.words} />
        </div>
      )}
      {rows.length > 0 && (
        <Table
          caption={`Tools of ${name}`}
          rows={rows}
          keyOf={({ tool }) => tool}
          columns={[
            { title: "Tool", isHeader: true, show: ({ tool }) => <code>{tool}</code> },
            {
              title: "State",
              show: ({ reason, isWaiting }) =>
                reason === undefined ? (
                  <StateBadge state="allowed" text="offered" />
                ) : (
                  <span class="cell-stack">
                    <StateBadge state={isWaiting ? "waiting" : "denied"} text={isWaiting ? "waits for you" : "not offered"} />
                    <span class="soft small">{reason}</span>
                  </span>
                ),
            },
            {
              title: "Act",
              align: "right",
              show: ({ tool, isWaiting }) =>
                isWaiting && (
                  <Button label={`Accept ${tool}`} onClick={() => void accept([tool])}>
                    Accept
                  </Button>
                ),
            },
          ]}
        />
      )}
    </Section>
  );
}

/** Those that are not offered first. */
function rowsOf({ name, tools, refused, waiting }: McpServer): readonly ToolRow[] {
  const held = new Set(refused.map(({ tool }) => `mcp__${name}.${tool}`));
  return [
    ...refused.map(({ tool, reason }) => ({ tool, reason, isWaiting: waiting?.tools.includes(tool) === true })),
    ...tools.filter((tool) => !held.has(tool)).map((tool) => ({ tool, isWaiting: false })),
  ];
}
