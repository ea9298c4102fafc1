/** The inbox of confirmations: the list, and the chosen one with everything that the call would do (SPEC E2, E5). */

import { ArrowLeft, Bell, BellOff, CheckCheck, ShieldQuestionMark } from "lucide";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { Badge, StateBadge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { Icon } from "../components/icon.tsx";
import { PageHeader } from "../components/layout.tsx";
import { EmptyState } from "../components/states.tsx";
import { toast } from "../components/toast.tsx";
import { Ago } from "../components/time.tsx";
import { visibleLine } from "../components/visible.ts";
import { allowNotifications, callerText, clearAnswered, inbox, type InboxItem, notifies } from "../data/inbox.ts";
import { questions } from "../data/state.ts";
import { isTyping } from "../shell/keys.ts";
import { href, navigate } from "../shell/router.ts";
import { ConfirmationDetail } from "./confirmation.tsx";

export function Confirmations({ requestId }: { readonly requestId?: string | undefined }): VNode {
  const items = inbox.value;
  const chosen = items.find(({ question }) => question.request.requestId === requestId);
  const waiting = questions.value.length;
  useEffect(() => {
    const stop = new AbortController();
    addEventListener("keydown", (event) => move(event, requestId), { signal: stop.signal });
    return () => stop.abort();
  }, [requestId]);
  return (
    <div class={`inbox${requestId === undefined ? "" : " chosen"}`}>
      <PageHeader
        title="Confirmations"
        about={
          <span role="status">
            {waiting === 0 ? "No pending confirmations." : waiting === 1 ? "1 call waits for you" : `${waiting} calls wait for you`}
          </span>
        }
      >
        {items.some(({ state }) => state !== "waiting") && (
          <Button icon={CheckCheck} onClick={clearAnswered}>
            Clear answered
          </Button>
        )}
        <NotifyButton />
      </PageHeader>
      {items.length === 0 && requestId === undefined ? (
        <EmptyState title="Nothing waits for you" icon={CheckCheck}>
          A call that writes, runs programs or uses the network waits here until you approve or deny it.
        </EmptyState>
      ) : (
        <div class="inbox-panes">
          <nav class="inbox-list" aria-label="Confirmations, oldest first">
            <ol>
              {items.map((item) => (
                <li key={item.question.request.requestId}>
                  <Row item={item} isChosen={item === chosen} />
                </li>
              ))}
            </ol>
          </nav>
          <div class="inbox-detail">
            {requestId !== undefined && (
              <a class="inbox-back" href={href("/confirmations")}>
                <Icon of={ArrowLeft} /> All confirmations
              </a>
            )}
            {chosen !== undefined && <ConfirmationDetail key={requestId} item={chosen} />}
            {chosen === undefined && requestId !== undefined && (
              <EmptyState title="This confirmation is over" icon={ShieldQuestionMark}>
                It was answered, timed out, or its call was cancelled. The <a href={href("/journal")}>journal</a> has what became of it.
              </EmptyState>
            )}
            {requestId === undefined && (
              <EmptyState title="Choose a confirmation" icon={ShieldQuestionMark}>
                <kbd>j</kbd> and <kbd>k</kbd> go through the list, <kbd>a</kbd> approves and <kbd>d</kbd> denies the one that has the focus.
              </EmptyState>
            )}
          </div>
        </div>
      )}
    </div>
  );
}

function Row({ item: { question, state }, isChosen }: { readonly item: InboxItem; readonly isChosen: boolean }): VNode {
  const { request, owner, askedAt } = question;
  const what =
    request.permission === undefined ? textOf(request.args) : `${request.permission.kind} ${request.permission.value ?? "everything"}`;
  return (
    <a
      class={`inbox-row ${state}`}
      href={href("/confirmations/:requestId", { requestId: request.requestId })}
      data-request={request.requestId}
      {...(isChosen && { "aria-current": "true" as const })}
    >
      <span class="inbox-tool">
        {request.tool}
        {state === "waiting" ? (
          <Badge tone={request.destructive ? "bad" : "wait"}>{request.destructive ? "destructive" : request.class}</Badge>
        ) : (
          <StateBadge state={state} />
        )}
      </span>
      <span class="inbox-what mono">{visibleLine(what)}</span>
      <span class="inbox-from soft">
        {callerText(owner)} · <Ago time={askedAt} />
      </span>
    </a>
  );
}

function textOf(args: unknown): string {
  return JSON.stringify(args).slice(0, 120);
}

function NotifyButton(): VNode | null {
  if (!("Notification" in globalThis)) return null;
  const toggle = async (): Promise<void> => {
    if (notifies.value) notifies.value = false;
    else if (!(await allowNotifications()))
      toast("The browser does not allow notifications of this page: allow them in the settings of the site", "bad");
  };
  return (
    <Button icon={notifies.value ? BellOff : Bell} isPressed={notifies.value} onClick={() => void toggle()}>
      {notifies.value ? "Stop notifying" : "Notify me"}
    </Button>
  );
}

/** `j` and `k` go through the list; the row gets the focus, so that `a` and `d` act on it. */
function move(event: KeyboardEvent, current: string | undefined): void {
  if (isTyping(event) || (event.key !== "j" && event.key !== "k")) return;
  const ids = inbox.peek().map(({ question }) => question.request.requestId);
  const at = current === undefined ? -1 : ids.indexOf(current);
  const next = ids[event.key === "j" ? Math.min(at + 1, ids.length - 1) : Math.max(at - 1, 0)];
  if (next === undefined) return;
  event.preventDefault();
  navigate(href("/confirmations/:requestId", { requestId: next }));
}
