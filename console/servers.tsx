/** MCP servers with their state, tools, and changes that wait for acceptance (SPEC K3). */

import { type Signal, signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { ask } from "./api.ts";
import { ChangeList } from "./change-list.tsx";
import { attempt, load } from "./state.ts";
import type { McpServer } from "./types.ts";

const servers: Signal<readonly McpServer[] | undefined> = signal(undefined);

async function loadServers(): Promise<void> {
  servers.value = (await ask<{ readonly servers: readonly McpServer[] }>("/v1/mcp-servers")).servers;
}

export function Servers(): VNode {
  useEffect(() => void load(loadServers), []);
  return (
    <section aria-labelledby="servers-title">
      <div class="line">
        <h2 id="servers-title">MCP servers</h2>
        <button onClick={() => void attempt(loadServers)}>Refresh</button>
      </div>
      {servers.value?.length === 0 && (
        <p>
          No servers under <code>mcpServers</code> in <code>bascule.json</code>.
        </p>
      )}
      <ol class="cards">
        {servers.value?.map((server) => (
          <ServerCard key={server.name} server={server} />
        ))}
      </ol>
    </section>
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
      <h3>
        {name} <span class={`badge ${state === "connected" ? "completed" : "waiting"}`}>{state}</span>
      </h3>
      {problem !== undefined && state !== "connected" && <p class="trouble">{problem}</p>}
      {refused.length > 0 && (
        <div class="held">
          <h4>Not offered</h4>
          <ul class="plain">
            {refused.map(({ tool, reason }) => (
              <li key={tool} class="line">
                <code>{tool}</code> <span>{reason}</span>
                {waiting?.tools.includes(tool) === true && (
                  <button aria-label={`Accept ${tool}`} onClick={() => void accept([tool])}>
                    Accept
                  </button>
                )}
              </li>
            ))}
          </ul>
          {waiting !== undefined && <ChangeList words={waiting.words} />}
          {waiting !== undefined && waiting.tools.length > 1 && (
            <button class="primary" onClick={() => void accept(waiting.tools)}>
              Accept all
            </button>
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
