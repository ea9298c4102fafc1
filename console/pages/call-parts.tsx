/** Parts of a call's page: how it was decided, and the host's operations for it in time. */

import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Badge, toneOf } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { JsonCode } from "../components/code.tsx";
import { Section } from "../components/layout.tsx";
import { Table } from "../components/table.tsx";
import { durationText } from "../components/time.tsx";
import type { Decision, HostEvent } from "../data/types.ts";
import { href } from "../shell/router.ts";
import { permissionTexts } from "./plugin/permission-items.ts";

/** The rule that decided, and the permissions that each layer leaves. */
export function DecisionPath({
  decision,
  tool,
  events,
}: {
  readonly decision: Decision;
  readonly tool: string;
  readonly events: readonly HostEvent[];
}): VNode {
  const answer = text(events.find(({ type }) => type === "tool.confirmation_resolved")?.payload["decision"]) || undefined;
  const { kind, because, grants = [] } = decision;
  return (
    <Section title="Decision" actions={<a href={href("/why", {}, { name: tool })}>Explain</a>}>
      <p class="decision">
        <Badge tone={kind === "deny" ? "bad" : kind === "ask" ? "wait" : "good"}>{kind}</Badge> by <strong>{becauseText(because)}</strong>
        {answer !== undefined && (
          <>
            , answered: <Badge tone={toneOf(answer === "allowed" ? "approved" : "denied")}>{answer}</Badge>
          </>
        )}
      </p>
      {grants.length > 0 && (
        <Table
          caption="Permissions that each layer leaves to the call"
          rows={grants}
          keyOf={({ layer }) => layer}
          columns={[
            { title: "Layer", show: ({ layer }) => layer, isHeader: true, width: "min(14rem, 30%)" },
            {
              title: "Permissions",
              show: ({ permissions }) => {
                const texts = permissionTexts(permissions);
                return texts.length === 0 ? (
                  <span class="soft">nothing</span>
                ) : (
                  <span class="chips">
                    {texts.slice(0, 40).map((text) => (
                      <code key={text}>{text}</code>
                    ))}
                    {texts.length > 40 && <span class="soft">and {texts.length - 40} more</span>}
                  </span>
                );
              },
            },
          ]}
        />
      )}
    </Section>
  );
}

/** Returns the rule with its layer, unless both have the same name. */
export function becauseText({ rule, layer }: Decision["because"]): string {
  return rule === layer ? rule : `${rule} (${layer})`;
}

const FIRST_EVENTS = 60;

/** The events of the call, with the time since its begin. */
export function Timeline({ events, startedAt }: { readonly events: readonly HostEvent[]; readonly startedAt: number }): VNode {
  const [isWhole, showWhole] = useState(false);
  const [open, show] = useState<string | undefined>(undefined);
  const shown = isWhole ? events : events.slice(0, FIRST_EVENTS);
  return (
    <Section title="Timeline" count={events.length}>
      <ol class="timeline">
        {shown.map((event, index) => (
          <li key={event.id}>
            <span class="soft number">+{durationText(Math.max(0, event.time - startedAt))}</span>
            <Badge tone={toneOf(event.type.split(".").at(-1) ?? "")}>{event.type.replace(/^tool\./, "")}</Badge>
            <code>{lineOf(event)}</code>
            <Button
              variant="ghost"
              label={`Details of event ${index + 1}, ${event.type}`}
              isPressed={open === event.id}
              onClick={() => show(open === event.id ? undefined : event.id)}
            >
              Details
            </Button>
            {open === event.id && (
              <div class="timeline-detail">
                <JsonCode label={`Event ${event.type}`} value={{ ...event }} />
              </div>
            )}
          </li>
        ))}
      </ol>
      {shown.length < events.length && <Button onClick={() => showWhole(true)}>Show all {events.length} events</Button>}
    </Section>
  );
}

/** Returns an event in one line. */
function lineOf({ type, payload }: HostEvent): string {
  const { permission, value, decision, layer, method, code, message, by, reason, route, durationMs, scope } = payload;
  if (type.startsWith("capability."))
    return join([permission, method, value, decision === "granted" ? "" : decision, layer && `(${text(layer)})`]);
  if (type === "tool.confirmation_resolved") return join([decision, by && `by ${text(by)}`, scope && `for ${text(scope)}`, reason]);
  if (type === "tool.called") return join(["route", route]);
  if (type === "tool.completed") return typeof durationMs === "number" ? durationText(durationMs) : "";
  return join([code, message]);
}

function join(parts: readonly unknown[]): string {
  return parts.map(text).filter(Boolean).join(" ").slice(0, 400);
}

function text(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
