/** Asks the user at the terminal of `dev` about calls that wait for a confirmation, one at a time (SPEC E2, E5). */

import type { HostEvent } from "../../audit/events.ts";
import type { PendingConfirmation } from "../../confirmations/pending.ts";
import type { Permissions } from "../../../manifests/mod.ts";
import { errorText } from "../../platform/error-text.ts";
import { printable } from "../../primitives/text.ts";
import type { Operations } from "../operations.ts";
import { grantForAlways } from "../../confirmations/always-grant.ts";
import { alwaysLines, answerOf, promptText, questionLines } from "./confirm.ts";
import type { CommandContext } from "./command.ts";
import { grantedLine } from "./grant-advice.ts";
import type { LiveRegion } from "./live-region.ts";
import type { ReaderPlace } from "./plugin-text.ts";

/** Confirmation prompts while a host runs. */
interface CallPrompts {
  /** Handles an event: a call may begin to wait, or be answered elsewhere. */
  hear(event: HostEvent): void;
  /** Resolves when no prompt is open. The context's signal aborts prompts. */
  ended(): Promise<void>;
}

interface Parts {
  readonly operations: Pick<Operations, "pending" | "resolve" | "grant">;
  readonly region: LiveRegion;
  readonly place: ReaderPlace;
}

/** Creates the prompts; undefined if the terminal is not interactive. */
export function createCallPrompts({ platform, output, signal }: CommandContext, parts: Parts): CallPrompts | undefined {
  const { operations, region, place } = parts;
  if (!platform.terminal.interactive || output.json) return undefined;
  /** The confirmations that are open, by id, each with the end of its prompt. */
  const open = new Map<string, AbortController>();
  /** Grants that the user gave with an approval. */
  const toGrant = new Map<string, { readonly plugin: string; readonly permissions: Permissions }>();
  let asking: Promise<void> = Promise.resolve();
  // Not behind the prompts: the next one may wait for minutes.
  let granting: Promise<void> = Promise.resolve();

  async function ask(requestId: string, over: AbortController): Promise<void> {
    const until = AbortSignal.any([signal, over.signal]);
    const pending = (await operations.pending()).find(({ request }) => request.requestId === requestId);
    if (pending !== undefined && !until.aborted) await answer(pending, until);
    open.delete(requestId);
  }

  async function answer({ request }: PendingConfirmation, until: AbortSignal): Promise<void> {
    const { requestId, hash, plugin = "" } = request;
    const permissions = grantForAlways(request);
    for (const line of questionLines(request, output)) output.line(line);
    for (const line of alwaysLines(request, output, place)) output.line(line);
    const decision = answerOf(await region.ask(promptText(request, output.style), until), request);
    if (decision === undefined) return;
    const isAlways = decision === "always" && permissions !== undefined;
    // A grant before the answer would change the call's permissions, and the call would be refused.
    if (isAlways) toGrant.set(requestId, { plugin, permissions });
    const outcome = await operations.resolve(requestId, { approve: decision !== "no", hash });
    if (outcome === "answered") return;
    toGrant.delete(requestId);
    output.line(`Too late: the confirmation was already answered, or the call has changed (${output.program} approve lists what waits)`);
  }

  async function grant(requestId: string): Promise<void> {
    const wanted = toGrant.get(requestId);
    if (wanted === undefined) return;
    toGrant.delete(requestId);
    await operations.grant(wanted.plugin, wanted.permissions);
    output.line(grantedLine(wanted.plugin, wanted.permissions, { ...place, program: output.program }));
  }

  function tellProblem(error: unknown): void {
    output.note(`Cannot answer the confirmation: ${printable(errorText(error))}`);
  }

  return {
    hear({ type, payload }) {
      if (type === "tool.confirmation_requested") {
        const over = new AbortController();
        open.set(payload.requestId, over);
        asking = asking.then(() => ask(payload.requestId, over)).catch(tellProblem);
      }
      if (type !== "tool.confirmation_resolved") return;
      const { requestId, decision } = payload;
      open.get(requestId)?.abort();
      open.delete(requestId);
      if (decision === "allowed") granting = granting.then(() => grant(requestId)).catch(tellProblem);
      else toGrant.delete(requestId);
    },
    async ended() {
      await asking;
      await granting;
    },
  };
}
