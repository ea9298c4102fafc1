/** MCP servers with their state, tools, and changes that wait for acceptance (SPEC K3). */

import { type Signal, signal } from "@preact/signals";
import { RefreshCw, Server } from "lucide";
import type { VNode } from "preact";
import { StateBadge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { EmptyState, Skeleton } from "../components/states.tsx";
import { useEffect } from "preact/hooks";
import { PageHeader } from "../components/layout.tsx";
import { ask } from "../data/api.ts";
import { ChangeList } from "../components/change-list.tsx";
import { attempt, load } from "../data/state.ts";
import type { McpServer } from "../data/types.ts";

const servers: Signal<readonly McpServer[] | undefined> = signal(undefined);

async function loadServers(): Promise<void> {
  servers.value = (await ask<{ readonly servers: readonly McpServer[] }>("/v1/mcp-servers")).servers;
}

export function Servers(): VNode {
  useEffect(() => void load(loadServers), []);
  return (
    <>
      <PageHeader title="MCP servers" about="Servers whose tools this host offers, under its policy and in its journal">
        <Button icon={RefreshCw} onClick={() => void attempt(loadServers)}>
          Refresh
        </Button>
      </PageHeader>
      {servers.value === undefined && <Skeleton rows={4} label="Loading the servers" />}
      {servers.value?.length === 0 && (
        <EmptyState title="No servers" icon={Server}>
          Add one under <code>mcpServers</code> in <code>bascule.json</code>; its tools appear here and wait for your acceptance.
        </EmptyState>
      )}
      <ol class="cards">
        {servers.value?.map((server) => (
          <ServerCard key={server.name} server={server} />
        ))}
      </ol>
    </>
  );
}

function ServerCard({ server: { name, state, problem, tools, refused, waiting } }: { readonly server: McpServer }): VNode {
  const accept = (chosen: readonly string[]): Promise<void> =>
    attempt(async () => {
      await ask(`/v1/mcp-servers/${encodeURIComponent(name)}/accept`, { tools: chosen, digest: waiting?.digest ?? "" });
    }).finally(() => void load(loadServers));
  const held = new Set(refused.map(({ tool }) => `mcp__${name}.${tool}`));
  const offered = tools.filter((tool) => !held.has(tool));
  return (
    <li class="card">
      <h2>
        {name} <StateBadge state={state} />
      </h2>
      {problem !== undefined && state !== "connected" && <p class="trouble">{problem}</p>}
      {refused.length > 0 && (
        <div class="held">
          <h3>Not offered</h3>
          <ul class="plain">
            {refused.map(({ tool, reason }) => (
              <li key={tool} class="line">
                <code>{tool}</code> <span>{reason}</span>
                {waiting?.tools.includes(tool) === true && (
                  <Button label={`Accept ${tool}`} onClick={() => void accept([tool])}>
                    Accept
                  </Button>
                )}
              </li>
            ))}
          </ul>
          {waiting !== undefined && <ChangeList words={waiting.words} />}
          {waiting !== undefined && waiting.tools.length > 1 && (
            <Button variant="primary" label={`Accept all tools of ${name}`} onClick={() => void accept(waiting.tools)}>
              Accept all
            </Button>
          )}
        </div>
      )}
      <details>
        <summary>
          {offered.length} {offered.length === 1 ? "tool is" : "tools are"} offered
        </summary>
        <ul>
          {offered.map((tool) => (
            <li key={tool}>
              <code>{tool}</code>
            </li>
          ))}
        </ul>
      </details>
    </li>
  );
}
