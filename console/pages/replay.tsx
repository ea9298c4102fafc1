/** Replays a recorded call, on the recorded or the current code, and shows what differs (SPEC I5, B8). */

import { Play } from "lucide";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { Choice } from "../components/choice.tsx";
import { Code } from "../components/code.tsx";
import { Section } from "../components/layout.tsx";
import { ErrorPanel, Skeleton } from "../components/states.tsx";
import { ask } from "../data/api.ts";
import { useLoad } from "../data/use-load.ts";
import type { ReplayView } from "../../host/doors/views.ts";

const VERSIONS = [
  ["recorded", "Recorded code"],
  ["current", "Current code"],
] as const;

/** Renders nothing if the call was not recorded. */
export function Replay({ callId, tool }: { readonly callId: string; readonly tool: string }): VNode | null {
  const { data } = useLoad(async () => await ask<{ readonly callIds: readonly string[] }>("/v1/recordings"), [callId]);
  const [version, choose] = useState<(typeof VERSIONS)[number][0]>("recorded");
  const [isRunning, setRunning] = useState(false);
  const [outcome, show] = useState<ReplayView | { readonly message: string } | undefined>(undefined);
  if (data?.callIds.includes(callId) !== true) return null;
  const run = async (): Promise<void> => {
    setRunning(true);
    try {
      show(await ask<ReplayView>(`/v1/calls/${encodeURIComponent(callId)}/replay`, { version }));
    } catch (error) {
      show({ message: error instanceof Error ? error.message : String(error) });
    }
    setRunning(false);
  };
  return (
    <Section
      title="Replay"
      actions={
        <>
          <Choice label="Code that runs" values={VERSIONS} selected={version} onSelect={choose} />
          <Button icon={Play} label={`Replay ${tool}`} isBusy={isRunning} onClick={() => void run()}>
            Replay
          </Button>
        </>
      }
    >
      <div role="status">
        {isRunning && <Skeleton rows={3} label="The recorded call runs again" />}
        {!isRunning && outcome === undefined && (
          <p class="soft">Runs the call with the recorded answers, time and random numbers. Nothing outside is read or written.</p>
        )}
        {!isRunning && outcome !== undefined && "message" in outcome && <ErrorPanel title="Not replayed" message={outcome.message} />}
        {!isRunning && outcome !== undefined && "kind" in outcome && (
          <>
            <p class="decision">
              <Badge tone={outcome.kind === "same" ? "good" : "bad"}>{outcome.kind}</Badge> on the {outcome.version} code{" "}
              <code class="soft">{outcome.digest.slice(0, 12)}</code>
            </p>
            <Code label="Outcome of the replay" text={outcome.lines.join("\n")} />
          </>
        )}
      </div>
    </Section>
  );
}
