/** Sends input requests to clients of the legacy revisions, one by one while their request is open. */

import type { ServerContext } from "@modelcontextprotocol/server";
import type { Question } from "./open-call.ts";
import type { Caller } from "./parts.ts";

/** Longer than any confirmation: the host decides when an input request times out. */
const TIMEOUT_MS = 24 * 60 * 60 * 1_000;

/** Sends the input requests and passes the answers on. Gives up if one fails or the question is settled elsewhere. */
export async function answerQuestion(
  question: Question,
  ctx: ServerContext,
  { server, parts }: Pick<Caller, "server" | "parts">,
): Promise<void> {
  const { inputs, settled } = question;
  const signal = AbortSignal.any([settled, ctx.mcpReq.signal]);
  const options = { signal, timeout: TIMEOUT_MS, relatedRequestId: ctx.mcpReq.id };
  const responses: Record<string, unknown> = {};
  try {
    for (const [name, input] of Object.entries(inputs)) {
      if (input.method === "elicitation/create") responses[name] = await server.elicitInput(input.params, options);
      else if (input.method === "sampling/createMessage") responses[name] = await server.createMessage(input.params, options);
      else responses[name] = await server.listRoots(undefined, options);
    }
  } catch (error) {
    // An aborted signal is not an error: answered elsewhere, or the client has disconnected.
    if (!signal.aborted) parts.onError(error);
    question.giveUp();
    return;
  }
  if (!question.answer(responses)) question.giveUp();
}
