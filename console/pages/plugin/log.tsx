/** The last log lines about a plugin. */

import { ScrollText } from "lucide";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { Badge } from "../../components/badge.tsx";
import { Section } from "../../components/layout.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../components/states.tsx";
import { Clock } from "../../components/time.tsx";
import { ask } from "../../data/api.ts";
import type { LogLine } from "../../../host/doors/views.ts";
import { useLoad } from "../../data/use-load.ts";
import { href } from "../../shell/router.ts";

const REFRESH_MS = 5_000;
const TONES: Readonly<Record<string, "bad" | "wait" | "none">> = { error: "bad", warn: "wait" };

export function PluginLog({ plugin }: { readonly plugin: string }): VNode {
  const { data, error, reload } = useLoad(
    () => ask<{ readonly lines: readonly LogLine[] }>(`/v1/plugins/${encodeURIComponent(plugin)}/log`),
    [plugin],
  );
  useEffect(() => {
    const timer = setInterval(() => document.hidden || reload(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [reload]);
  return (
    <Section title="Log" {...(data && { count: data.lines.length })}>
      {error !== undefined && <ErrorPanel message={error} onRetry={reload} />}
      {data === undefined && error === undefined && <Skeleton rows={6} />}
      {data?.lines.length === 0 && (
        <EmptyState title="Nothing logged since the server started" icon={ScrollText}>
          Lines that the plugin writes with <code>console.log</code> appear here, and warnings about it.
        </EmptyState>
      )}
      {data !== undefined && data.lines.length > 0 && (
        <ol class="log" tabIndex={0} aria-label={`Log of ${plugin}`}>
          {data.lines.toReversed().map(({ time, level, text, isGuest, tool, callId }, index) => (
            <li key={index}>
              <span class="soft number">
                <Clock time={time} />
              </span>
              <Badge tone={(Object.hasOwn(TONES, level) ? TONES[level] : undefined) ?? "none"}>{level}</Badge>
              <span class={`log-text${isGuest ? " mono" : ""}`}>{text}</span>
              <span class="soft log-from">
                {isGuest ? "plugin" : "host"}
                {tool !== undefined && ` · ${tool}`}
                {callId !== undefined && (
                  <>
                    {" · "}
                    <a href={href("/calls/:callId", { callId })} aria-label={`Call of ${tool ?? plugin}`}>
                      call
                    </a>
                  </>
                )}
              </span>
            </li>
          ))}
        </ol>
      )}
    </Section>
  );
}
