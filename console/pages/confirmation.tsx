/** One confirmation: the caller, the changes, the arguments, and the answer with its scope or reason. */

import { Check, X } from "lucide";
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Badge, StateBadge, toneOf } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { Changes } from "../components/changes.tsx";
import { JsonCode } from "../components/code.tsx";
import { Facts, Section } from "../components/layout.tsx";
import { Until } from "../components/time.tsx";
import { visibleLine } from "../components/visible.ts";
import { ask } from "../data/api.ts";
import { answer, callerText, type InboxItem } from "../data/inbox.ts";
import { useLoad } from "../data/use-load.ts";
import type { AnswerScope, Explanation, Question } from "../data/types.ts";
import { becauseText } from "./call-parts.tsx";
import { isTyping } from "../shell/keys.ts";
import { href, subject } from "../shell/router.ts";

export function ConfirmationDetail({ item: { question, state } }: { readonly item: InboxItem }): VNode {
  const { request, owner, sessionId, expiresAt } = question;
  const { tool, plugin, digest, args, largeArguments, destructive, projectedModifications, preview, calledBy, permission } = request;
  const heading = useRef<HTMLHeadingElement>(null);
  const why = useLoad(
    async () => await ask<{ readonly tools: readonly Explanation[] }>(`/v1/why?name=${encodeURIComponent(tool)}`),
    [tool],
  );
  useEffect(() => {
    subject.value = tool;
    // After the shell has focused the page's heading: the question has the focus that `a` and `d` need.
    requestAnimationFrame(() => requestAnimationFrame(() => heading.current?.focus({ preventScroll: true })));
  }, [tool]);
  const because = why.data?.tools[0]?.because;
  return (
    <article class="confirmation" data-request={request.requestId} aria-labelledby={`tool-${request.requestId}`}>
      <div class="confirmation-title">
        <h2 id={`tool-${request.requestId}`} tabIndex={-1} ref={heading}>
          {tool}
        </h2>
        <Badge tone={toneOf(request.class)}>{request.class}</Badge>
        {destructive && <Badge tone="bad">destructive</Badge>}
        {state === "waiting" ? (
          <span class="soft">
            <Until time={expiresAt} />
          </span>
        ) : (
          <StateBadge state={state} text={state === "over" ? "over: answered elsewhere, timed out or cancelled" : state} />
        )}
      </div>
      {permission !== undefined && (
        <p class="asked-permission">
          During the call, the tool requests {permission.kind} <code>{visibleLine(permission.value ?? "everything")}</code>
          {permission.leadsTo !== undefined && (
            <>
              , which leads to <code>{visibleLine(permission.leadsTo)}</code>
            </>
          )}
          .
        </p>
      )}
      <Facts
        of={[
          ["Caller", <span title={owner ?? ""}>{callerText(owner)}</span>],
          ["Session", <a href={href("/calls", {}, { session: sessionId })}>{sessionId.slice(-12)}</a>],
          ["Call", <a href={href("/calls/:callId", { callId: request.callId })}>{request.callId.slice(-12)}</a>],
          ["Plugin", plugin === undefined ? undefined : `${plugin}${digest === undefined ? "" : ` (${digest.slice(0, 12)})`}`],
          ["Called by", calledBy?.join(" → ")],
          ["Asked because", because === undefined ? undefined : becauseText(because)],
        ]}
      />
      {state === "waiting" && <AnswerBar question={question} />}
      {preview !== undefined && (
        <Section title="Exact changes" count={preview.changes.length}>
          <Changes report={preview} />
        </Section>
      )}
      {preview === undefined && projectedModifications.length > 0 && (
        <Section title="Declared file changes" count={projectedModifications.length}>
          <ul class="paths">
            {projectedModifications.slice(0, 200).map((path) => (
              <li key={path}>
                <code>{visibleLine(path)}</code>
              </li>
            ))}
          </ul>
        </Section>
      )}
      <Section title="Arguments">
        <JsonCode label={`Arguments of ${tool}`} value={args} />
        {largeArguments !== undefined && (
          <p class="soft">
            an outline of {largeArguments.bytes} bytes with the SHA-256 <code>{largeArguments.sha256}</code>
          </p>
        )}
      </Section>
    </article>
  );
}

/** The answer. The keys act only while the focus is in this confirmation, or on its row in the list. */
function AnswerBar({ question }: { readonly question: Question }): VNode {
  const { request, scopes } = question;
  const { tool, requestId } = request;
  const [scope, choose] = useState<AnswerScope>("once");
  const [reason, write] = useState("");
  const [isBusy, setBusy] = useState(false);
  const reasonField = useRef<HTMLInputElement>(null);
  const give = async (approve: boolean): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    const text = reason.trim();
    await answer(question, approve ? { approve, scope } : { approve, ...(text !== "" && { reason: text }) });
    setBusy(false);
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      // Leaves the field, so that the keys answer again.
      if (event.key === "Escape" && event.target === reasonField.current) document.getElementById(`tool-${requestId}`)?.focus();
      // A key that is held down, or a focus elsewhere, answers nothing.
      if (event.repeat || isTyping(event) || focusedRequest() !== requestId) return;
      if (event.key === "a") void give(true);
      else if (event.key === "d") void give(false);
      else if (event.key === "r") reasonField.current?.focus();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
  return (
    <form
      class="answer"
      onSubmit={(event) => {
        event.preventDefault();
        void give(false);
      }}
    >
      <fieldset class="scopes">
        <legend>An approval holds</legend>
        {scopes.map((one) => (
          <label key={one} class="scope-choice">
            <input type="radio" name={`scope-${requestId}`} value={one} checked={scope === one} onChange={() => choose(one)} />
            {scopeText(one, question)}
          </label>
        ))}
      </fieldset>
      <label class="reason">
        Reason for a denial
        <input
          ref={reasonField}
          value={reason}
          maxLength={500}
          placeholder="The caller is told (optional)"
          onInput={({ currentTarget }) => write(currentTarget.value)}
        />
      </label>
      <div class="answer-buttons">
        <Button variant="primary" icon={Check} shortcut="a" label={`Approve ${tool}`} isBusy={isBusy} onClick={() => void give(true)}>
          Approve
        </Button>
        <Button variant="danger" icon={X} shortcut="d" label={`Deny ${tool}`} isBusy={isBusy} onClick={() => void give(false)}>
          Deny
        </Button>
      </div>
    </form>
  );
}

function focusedRequest(): string | undefined {
  return document.activeElement?.closest<HTMLElement>("[data-request]")?.dataset["request"];
}

function scopeText(scope: AnswerScope, { request: { permission, plugin, tool } }: Question): string {
  if (scope === "once") return "for this call";
  if (scope === "always") {
    const places = [permission?.value, permission?.leadsTo].flatMap((place) => (place === undefined ? [] : [visibleLine(place)]));
    return `always: grant ${plugin ?? ""} ${permission?.kind ?? ""} ${places.join(" and ")}`;
  }
  return permission === undefined ? `for this session, all calls of ${tool}` : "for this session, this permission";
}
