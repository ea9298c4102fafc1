/** One call: what went in, what came out, the files it changed, how it was decided, and every operation of the host for it. */

import { RotateCcw, Square } from "lucide";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { Badge, StateBadge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { Changes } from "../components/changes.tsx";
import { JsonCode } from "../components/code.tsx";
import { Icon } from "../components/icon.tsx";
import { Facts, PageHeader, Section } from "../components/layout.tsx";
import { ResultView } from "../components/result-view.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../components/states.tsx";
import { Ago, durationText } from "../components/time.tsx";
import { Undo } from "../components/undo.tsx";
import { ask } from "../data/api.ts";
import { type CallDetail, loadCall } from "../data/call-detail.ts";
import { calls, loadChain } from "../data/calls.ts";
import { attempt, onHostEvent } from "../data/state.ts";
import { useLoad } from "../data/use-load.ts";
import { href, subject } from "../shell/router.ts";
import { becauseText, DecisionPath, Timeline } from "./call-parts.tsx";
import { Replay } from "./replay.tsx";

export function Call({ callId }: { readonly callId: string }): VNode {
  const { data, error, reload } = useLoad(async () => await loadCall(callId), [callId]);
  useEffect(() => {
    let frame = 0;
    const stop = onHostEvent((event) => {
      if (event.callId !== callId || frame !== 0) return;
      frame = requestAnimationFrame(() => {
        frame = 0;
        reload();
      });
    });
    return () => {
      stop();
      cancelAnimationFrame(frame);
    };
  }, [callId]);
  useEffect(() => {
    if (data !== undefined) subject.value = data.tool;
  }, [data?.tool]);
  if (data === undefined) {
    return (
      <>
        <PageHeader title="Call" about={<code>{callId}</code>} />
        {error === undefined ? <Skeleton rows={8} label="Loading the call" /> : <ErrorPanel message={error} onRetry={reload} />}
      </>
    );
  }
  if (data.events.length === 0 && data.result === undefined && data.args === undefined) {
    return (
      <>
        <PageHeader title="Call" about={<code>{callId}</code>} />
        <EmptyState title="No record of this call">
          The host keeps the last 1,000 results, and the journal those calls that it recorded. <a href={href("/calls")}>All calls</a>
        </EmptyState>
      </>
    );
  }
  return <Shown call={data} />;
}

function Shown({ call }: { readonly call: CallDetail }): VNode {
  const { callId, tool, plugin, sessionId, state, startedAt, durationMs, args, isOutline, result, error, files, decision, events } = call;
  const cancel = (): Promise<void> =>
    attempt(async () => {
      await ask(`/v1/calls/${encodeURIComponent(callId)}/cancel`, {});
    });
  const isLive = state === "running" || state === "waiting";
  return (
    <>
      <PageHeader
        title={tool}
        badges={
          <>
            <StateBadge state={state} />
            {call.isDry && <Badge>dry run</Badge>}
          </>
        }
        about={<code>{callId}</code>}
      >
        {isLive && (
          <Button variant="danger" icon={Square} label={`Cancel ${tool}`} onClick={() => void cancel()}>
            Cancel
          </Button>
        )}
        <Undo callId={callId} tool={tool} />
        {args !== undefined && !isOutline && (
          <a class="button" href={href("/run", {}, { tool, from: callId })}>
            <Icon of={RotateCcw} /> Run again
          </a>
        )}
      </PageHeader>
      <Facts
        of={[
          ["Started", startedAt === undefined ? undefined : <Ago time={startedAt} />],
          ["Duration", durationMs === undefined ? undefined : durationText(durationMs)],
          ["Plugin", plugin === undefined ? undefined : <a href={href("/plugins/:name", { name: plugin })}>{plugin}</a>],
          [
            "Session",
            sessionId === undefined ? undefined : <a href={href("/calls", {}, { session: sessionId })}>{sessionId.slice(-12)}</a>,
          ],
          ["Route", decision?.route],
          ["Decided by", decision === undefined ? undefined : becauseText(decision.because)],
        ]}
      />
      {error !== undefined && (
        <Section title="Error">
          <div class="call-error">
            <p>
              <strong>{error.code}</strong> {error.message}
            </p>
            {error.hint !== undefined && <p>{error.hint}</p>}
            {DENIALS.has(error.code) && plugin !== undefined && (
              <p>
                <a href={href("/plugins/:name", { name: plugin }, { tab: "permissions" })}>Permissions of {plugin}</a>
              </p>
            )}
          </div>
        </Section>
      )}
      {state === "waiting" && call.requestId !== undefined && (
        <p>
          Waits for your answer: <a href={href("/confirmations/:requestId", { requestId: call.requestId })}>open the confirmation</a>
        </p>
      )}
      {(result !== undefined || call.output !== undefined) && error === undefined && (
        <Section title="Result">
          <ResultView output={result?.output ?? call.output ?? null} content={result?.content ?? []} />
        </Section>
      )}
      {result?.dryRun !== undefined && (
        <Section title="Changes that it would make" count={result.dryRun.changes.length}>
          <Changes report={result.dryRun} />
        </Section>
      )}
      {call.changes !== undefined && (
        <Section title="Files changed" count={call.changes.changes.length}>
          <Changes report={call.changes} />
        </Section>
      )}
      {call.changes === undefined && files.length > 0 && (
        <Section title="Files changed" count={files.length}>
          <ul class="paths">
            {files.slice(0, 200).map((path) => (
              <li key={path}>
                <code>{path}</code>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {args !== undefined && (
        <Section title="Arguments">
          <JsonCode label={`Arguments of ${tool}`} value={args} />
          {isOutline && <p class="soft">an outline: the arguments are larger than 64 KB</p>}
        </Section>
      )}
      {call.chainId !== undefined && <Steps chainId={call.chainId} callId={callId} time={startedAt ?? 0} />}
      {!isLive && <Replay callId={callId} tool={tool} />}
      {decision !== undefined && <DecisionPath decision={decision} tool={tool} events={events} />}
      {events.length > 0 && <Timeline events={events} startedAt={startedAt ?? events[0]?.time ?? 0} />}
    </>
  );
}

/** Errors that a grant can mend. */
const DENIALS: ReadonlySet<string> = new Set(["fs_denied", "net_denied"]);

/** The other calls of the chain. */
function Steps({ chainId, callId, time }: { readonly chainId: string; readonly callId: string; readonly time: number }): VNode | null {
  const { error, reload } = useLoad(() => loadChain(chainId, time), [chainId]);
  const steps = calls.value.filter((call) => call.chainId === chainId).toReversed();
  if (error !== undefined) return <ErrorPanel title="The steps of the chain could not be read" message={error} onRetry={reload} />;
  if (steps.length < 2) return null;
  return (
    <Section title="Steps of the chain" count={steps.length}>
      <ol class="timeline">
        {steps.slice(0, 200).map((step, index) => (
          <li key={step.callId}>
            <span class="soft">step {index + 1}</span>
            <StateBadge state={step.state} />
            {step.callId === callId ? (
              <strong>{step.tool}</strong>
            ) : (
              <a href={href("/calls/:callId", { callId: step.callId })}>{step.tool}</a>
            )}
            <span class="soft number">{step.durationMs === undefined ? "" : durationText(step.durationMs)}</span>
          </li>
        ))}
      </ol>
    </Section>
  );
}
