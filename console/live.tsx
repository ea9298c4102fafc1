/** Live view of the host's calls. */

import type { VNode } from "preact";
import { Block } from "./block.tsx";
import { ask } from "./api.ts";
import { attempt, calls } from "./state.ts";
import { Undo } from "./undo.tsx";

const cancel = (callId: string): Promise<void> =>
  attempt(async () => {
    await ask(`/v1/calls/${encodeURIComponent(callId)}/cancel`, {});
  });

export function Live(): VNode {
  return (
    <section aria-labelledby="live-title">
      <h2 id="live-title">Calls</h2>
      {calls.value.length === 0 ? (
        <p>No calls since this page was opened.</p>
      ) : (
        <ol class="cards">
          {calls.value.map(({ callId, tool, plugin, state, isDry, time, durationMs, detail }) => (
            <li key={callId} class="card">
              <div class="line">
                <strong>{tool}</strong>
                {plugin !== undefined && <span class="soft">{plugin}</span>}
                <span class={`badge ${state}`}>{state}</span>
                {isDry && <span class="badge">dry run</span>}
                <span class="soft">
                  <time dateTime={new Date(time).toISOString()}>{new Date(time).toLocaleTimeString()}</time>
                  {durationMs !== undefined && `, ${durationMs.toFixed(1)} ms`}
                </span>
              </div>
              {detail !== undefined && <Block label={`Result of ${tool}`} value={detail} />}
              <div class="line">
                <code class="soft">{callId}</code>
                {(state === "running" || state === "waiting") && (
                  <button aria-label={`Cancel ${tool}`} onClick={() => void cancel(callId)}>
                    Cancel
                  </button>
                )}
                <Undo callId={callId} tool={tool} />
              </div>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
