/** The table of calls: filters, saved views, keys, and live updates that do not move what the user reads. */

import type { RefObject, VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { ArrowUp } from "lucide";
import { Badge, StateBadge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { PageHeader } from "../components/layout.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../components/states.tsx";
import { Clock, durationText } from "../components/time.tsx";
import { VirtualRows } from "../components/virtual-rows.tsx";
import { type CallRow, calls, history, loadOlder } from "../data/calls.ts";
import { isTyping } from "../shell/keys.ts";
import { href, route } from "../shell/router.ts";
import { CallFilters, matches, readFilter } from "./call-filters.tsx";

export function Calls(): VNode {
  const [error, setError] = useState<string | undefined>(undefined);
  const load = (): void => {
    setError(undefined);
    loadOlder().catch((cause: unknown) => setError(cause instanceof Error ? cause.message : String(cause)));
  };
  useEffect(() => {
    if (history.peek() === "unread") load();
  }, []);
  const filter = readFilter(route.value.query);
  const all = calls.value;
  const found = useMemo(() => all.filter((call) => matches(call, filter)), [all, JSON.stringify(filter)]);
  return (
    <div class="calls-page">
      <PageHeader title="Calls" about={`${found.length.toLocaleString("en")} of ${all.length.toLocaleString("en")} calls`} />
      <CallFilters filter={filter} />
      {error !== undefined && <ErrorPanel title="The journal could not be read" message={error} onRetry={load} />}
      {all.length === 0 && history.value === "loading" && <Skeleton rows={12} label="Loading calls" />}
      {all.length === 0 && history.value !== "loading" && (
        <EmptyState title="No calls yet">
          A call of any client appears here at once. <a href={href("/run")}>Run a tool</a> to make one.
        </EmptyState>
      )}
      {all.length > 0 && found.length === 0 && (
        <EmptyState title="No call matches">
          <a href={href("/calls")}>Show all calls</a>
        </EmptyState>
      )}
      {found.length > 0 && <CallTable found={found} onOlder={load} />}
    </div>
  );
}

/** The call that was opened last: going back leads to its row. */
let lastOpened: string | undefined;

/** While the user reads further down, new calls wait above, and a button shows how many. */
function CallTable({ found, onOlder }: { readonly found: readonly CallRow[]; readonly onOlder: () => void }): VNode {
  const frame = useRef<HTMLDivElement>(null);
  const [heldFrom, hold] = useState<number | undefined>(undefined);
  const [active, activate] = useState(lastOpened);
  const shown = heldFrom === undefined ? found : found.filter(({ time }) => time <= heldFrom);
  const held = found.length - shown.length;
  const newest = shown[0]?.time ?? 0;
  const rowHeight = useRowHeight(frame);
  const at = active === undefined ? -1 : shown.findIndex(({ callId }) => callId === active);
  const reveal = (index: number): void => {
    const element = frame.current;
    if (element === null) return;
    if (heldFrom === undefined) hold(newest);
    const top = index * rowHeight;
    const header = rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    if (top + rowHeight + header > element.scrollTop + element.clientHeight)
      element.scrollTop = top + rowHeight + header - element.clientHeight;
  };
  useLayoutEffect(() => {
    if (at > 0) reveal(at);
  }, []);
  const focusRow = (index: number): void => {
    const call = shown[index];
    const element = frame.current;
    if (call === undefined || element === null) return;
    activate(call.callId);
    reveal(index);
    requestAnimationFrame(() => element.querySelector<HTMLElement>(`[data-index="${index}"] a`)?.focus({ preventScroll: true }));
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (isTyping(event)) return;
      const step = event.key === "j" ? 1 : event.key === "k" ? -1 : 0;
      if (step === 0) return;
      event.preventDefault();
      focusRow(Math.max(0, Math.min(shown.length - 1, at + step)));
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  });
  return (
    <>
      <div class="held-calls" role="status">
        {held > 0 && (
          <Button
            icon={ArrowUp}
            onClick={() => {
              hold(undefined);
              activate(undefined);
              frame.current?.scrollTo(0, 0);
            }}
          >
            Show {held} new {held === 1 ? "call" : "calls"}
          </Button>
        )}
      </div>
      <div
        class="calls"
        ref={frame}
        tabIndex={0}
        role="table"
        aria-label="Calls, newest first"
        aria-rowcount={shown.length + 1}
        onScroll={({ currentTarget: { scrollTop } }) => {
          if (scrollTop > rowHeight && heldFrom === undefined) hold(newest);
          if (scrollTop === 0 && active === undefined) hold(undefined);
        }}
      >
        <div class="calls-row calls-head" role="row" aria-rowindex={1}>
          {["Time", "Tool", "State", "Duration", "Error", "Plugin", "Session"].map((title) => (
            <span key={title} role="columnheader" class={title === "Duration" ? "right" : ""}>
              {title}
            </span>
          ))}
        </div>
        <VirtualRows
          count={shown.length}
          rowHeight={rowHeight}
          frame={frame}
          keep={at === -1 ? undefined : at}
          show={(index, top) => {
            const call = shown[index];
            return call === undefined ? null : (
              <Row
                key={call.callId}
                call={call}
                index={index}
                top={top}
                isActive={index === at}
                onOpen={() => (lastOpened = call.callId)}
              />
            );
          }}
        />
      </div>
      {history.value !== "whole" && (
        <div class="calls-more">
          <Button isBusy={history.value === "loading"} onClick={onOlder}>
            Load older calls
          </Button>
        </div>
      )}
    </>
  );
}

function Row({
  call: { callId, tool, state, time, durationMs, code, message, plugin, sessionId, isDry },
  index,
  top,
  isActive,
  onOpen,
}: {
  readonly call: CallRow;
  readonly index: number;
  readonly top: number;
  readonly isActive: boolean;
  readonly onOpen: () => void;
}): VNode {
  return (
    <div
      class={`calls-row${isActive ? " active" : ""}`}
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      style={{ transform: `translateY(${top}px)` }}
    >
      <span role="cell" class="soft number">
        <Clock time={time} />
      </span>
      <span role="cell" class="calls-tool">
        <a href={href("/calls/:callId", { callId })} onClick={onOpen}>
          {tool === "" ? callId : tool}
        </a>
        {isDry && <Badge>dry run</Badge>}
      </span>
      <span role="cell">
        <StateBadge state={state} />
      </span>
      <span role="cell" class="right number">
        {durationMs === undefined ? "" : durationText(durationMs)}
      </span>
      <span role="cell" class="calls-error" title={message ?? ""}>
        {code}
      </span>
      <span role="cell" class="soft">
        {plugin}
      </span>
      <span role="cell" class="soft mono">
        {sessionId?.slice(-8)}
      </span>
    </div>
  );
}

/** Returns the height of a row in pixels, which depends on the density and the pointer. */
function useRowHeight(frame: RefObject<HTMLElement | null>): number {
  const [height, measure] = useState(32);
  useEffect(() => {
    const head = frame.current?.querySelector(".calls-head");
    if (head === null || head === undefined) return;
    const observer = new ResizeObserver(() => measure(head.getBoundingClientRect().height));
    observer.observe(head);
    return () => observer.disconnect();
  }, []);
  return height;
}
