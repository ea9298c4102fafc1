/** The inbox: pending confirmations, and those that were answered or ended while the page was open, which stay in their place. */

import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { visibleLine } from "../components/visible.ts";
import { keptSignal } from "../shell/preferences.ts";
import { ask } from "./api.ts";
import { attempt, loadQuestions, questions } from "./state.ts";
import type { AnswerScope, Question } from "./types.ts";

/** A confirmation with what became of it. */
export interface InboxItem {
  readonly question: Question;
  /** `over`: answered elsewhere, timed out or cancelled. */
  readonly state: "waiting" | "approved" | "denied" | "over";
}

/** Confirmations that have been seen, by request id, in the order of arrival. */
const seen: Signal<ReadonlyMap<string, Question>> = signal(new Map());
const answers: Signal<ReadonlyMap<string, "approved" | "denied">> = signal(new Map());
/** Maximum confirmations in the list. */
const MAX_SEEN = 300;

/** The items do not change their places: a new one is added at the end, so none arrives under the pointer. */
export const inbox: ReadonlySignal<readonly InboxItem[]> = computed(() => {
  const waiting = new Set(questions.value.map(({ request }) => request.requestId));
  return Array.from(seen.value, ([requestId, question]) => ({
    question,
    state: waiting.has(requestId) ? "waiting" : (answers.value.get(requestId) ?? "over"),
  }));
});

/** Whether this browser shows a notification of the system for a new confirmation. */
export const notifies: Signal<boolean> = keptSignal("notify", false, (kept) => (typeof kept === "boolean" ? kept : undefined));

let isFirstLoad = true;

questions.subscribe((pending) => {
  const known = seen.peek();
  const arrived = pending.filter(({ request }) => !known.has(request.requestId));
  if (arrived.length > 0) {
    const all = [...known, ...arrived.map((question): [string, Question] => [question.request.requestId, question])];
    seen.value = new Map(all.slice(-MAX_SEEN));
    if (!isFirstLoad && notifies.peek()) for (const question of arrived.slice(0, 3)) notify(question);
  }
  isFirstLoad = false;
});

/** Returns the name of a caller, without the hash that makes its id unique. */
export function callerText(owner: string | undefined): string {
  return owner?.replace(/-[0-9a-f]{16}$/, "") ?? "this host";
}

/** Forgets what is over. */
export function clearAnswered(): void {
  const waiting = new Set(questions.value.map(({ request }) => request.requestId));
  seen.value = new Map([...seen.value].filter(([requestId]) => waiting.has(requestId)));
}

export async function answer(
  { request: { requestId, hash } }: Question,
  given: { readonly approve: boolean; readonly scope?: AnswerScope; readonly reason?: string },
): Promise<void> {
  await attempt(async () => {
    try {
      await ask(`/v1/confirmations/${encodeURIComponent(requestId)}`, { hash, ...given });
      answers.value = new Map([...answers.value, [requestId, given.approve ? "approved" : "denied"] as const].slice(-MAX_SEEN));
    } finally {
      await loadQuestions();
    }
  });
}

/** Asks the browser for the permission. @returns false if the user or the browser refuses it */
export async function allowNotifications(): Promise<boolean> {
  notifies.value = (await Notification.requestPermission()) === "granted" && showsFirst();
  return notifies.value;
}

/** Shows the user a first notification. @returns false on a phone, whose browser lets pages have none */
function showsFirst(): boolean {
  try {
    return new Notification("New confirmations appear like this").title !== "";
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

/** The texts come from plugins: a notification shows them as text. */
function notify({ request, owner }: Question): void {
  if (document.visibilityState === "visible" && document.hasFocus()) return;
  const notification = new Notification(visibleLine(`${request.tool} waits for confirmation`), {
    body: visibleLine(callerText(owner)),
    tag: request.requestId,
  });
  notification.addEventListener("click", () => {
    focus();
    location.hash = `/confirmations/${encodeURIComponent(request.requestId)}`;
    notification.close();
  });
}
