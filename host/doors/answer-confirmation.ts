/** Answers a confirmation; an approval "always" also stores a grant when the call has ended (SPEC E5, E7). */

import { TERMINAL_EVENT_TYPES } from "../audit/events.ts";
import type { ConfirmationRequest } from "../call/call.ts";
import { grantForAlways } from "../confirmations/always-grant.ts";
import type { AnswerOutcome, ConfirmationAnswer } from "../confirmations/pending.ts";
import type { Host } from "../host/host-interface.ts";

const TERMINAL: ReadonlySet<string> = new Set(TERMINAL_EVENT_TYPES);

interface AnswerOptions {
  readonly host: Pick<Host, "confirmations" | "grant" | "plugins" | "subscribe">;
  readonly onDefect?: (message: string, error: unknown) => void;
}

export function answerConfirmation(requestId: string, answer: ConfirmationAnswer, options: AnswerOptions): AnswerOutcome {
  const { host } = options;
  const pending = host.confirmations.list().find(({ request }) => request.requestId === requestId);
  const outcome = host.confirmations.answer(requestId, answer);
  if (outcome === "answered" && answer.approve && answer.scope === "always" && pending !== undefined) grantLater(pending.request, options);
  return outcome;
}

/** Waits for the call's end, because a changed grant would end the call. Grants nothing if the plugin has become another version by then. */
function grantLater(request: ConfirmationRequest, { host, onDefect }: AnswerOptions): void {
  const { plugin, callId, digest } = request;
  const permissions = grantForAlways(request);
  if (plugin === undefined || permissions === undefined) return;
  const stop = host.subscribe((event) => {
    if (event.callId !== callId || !TERMINAL.has(event.type)) return;
    stop();
    if (host.plugins().find(({ name }) => name === plugin)?.digest !== digest)
      return onDefect?.("An approval could not be stored as a grant", new Error(`Plugin "${plugin}" changed during the call`));
    host.grant(plugin, permissions).catch((error: unknown) => onDefect?.("An approval could not be stored as a grant", error));
  });
}
