/** Questions to clients of the revisions that are asked while their request is open: pushed to them one by one. */

import type { ServerContext } from "@modelcontextprotocol/server";
import type { Question } from "./open-call.ts";
import type { Caller } from "./parts.ts";

/** People are slow; how long the question stands is what the host says. */
const TIMEOUT_MS = 24 * 60 * 60 * 1_000;

/** Asks until it is answered, given up, or settled elsewhere. */
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
    // It was answered elsewhere, or the client is gone: both are known already.
    if (!signal.aborted) parts.onError(error);
    question.giveUp();
    return;
  }
  if (!question.answer(responses)) question.giveUp();
}
