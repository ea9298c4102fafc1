/** Asks the person at `dev`'s terminal about versions that wait, one at a time (SPEC H6). */

import type { HostEvent } from "../../audit/events.ts";
import type { Operations } from "../operations.ts";
import type { HeldVersion } from "../../plugins/folder/status.ts";
import type { CommandContext } from "./command.ts";
import { shortDigest } from "./consent-text.ts";
import { printable } from "../../primitives/text.ts";

/** Questions while a host runs. */
export interface ConsentPrompts {
  /** A version that waits; a question about an earlier one of the same plugin is over. */
  ask(plugin: string, held: Pick<HeldVersion, "version" | "digest">): void;
  /** What happens in the host: it may be an answer, or a question. */
  hear(event: HostEvent): void;
  /** Resolves when nobody is asked any more; the context's signal ends a question. */
  ended(): Promise<void>;
}

type Question = Pick<HeldVersion, "version" | "digest">;

/** Undefined where there is nobody to ask. */
export function createConsentPrompts(
  { platform, output, signal }: CommandContext,
  operations: Pick<Operations, "accept">,
): ConsentPrompts | undefined {
  const { terminal } = platform;
  if (!terminal.interactive || output.json) return undefined;
  const waiting = new Map<string, Question>();
  let current: { readonly plugin: string; readonly over: AbortController } | undefined;
  let asking: Promise<void> = Promise.resolve();

  function drop(plugin: string): void {
    waiting.delete(plugin);
    if (current?.plugin === plugin) current.over.abort();
  }

  async function askAll(): Promise<void> {
    for (const [plugin, question] of waiting) {
      waiting.delete(plugin);
      if (signal.aborted) return;
      const over = new AbortController();
      current = { plugin, over };
      await askOne(plugin, question, AbortSignal.any([signal, over.signal]));
      current = undefined;
    }
  }

  async function askOne(plugin: string, { version, digest }: Question, until: AbortSignal): Promise<void> {
    const text = `Accept ${printable(plugin)} ${printable(version)} (${shortDigest(digest)})?`;
    const answer = await terminal.ask(`${output.style.bold(text)} [y/N] `, until);
    // No answer left the cursor behind the question.
    if (answer === undefined) return terminal.error("\n");
    if (!/^\s*y(es)?\s*$/iu.test(answer)) return output.line(`It waits: ${output.program} accept ${printable(plugin)}`);
    const outcome = await operations.accept(plugin, digest);
    if (outcome.kind === "changed") output.line("It has changed since, and waits again");
    if (outcome.kind === "failed") output.line(`It does not run: ${printable(outcome.reason)}`);
  }

  const prompts: ConsentPrompts = {
    ask(plugin, { version, digest }) {
      drop(plugin);
      waiting.set(plugin, { version, digest });
      asking = asking
        .then(askAll)
        .catch((error: unknown) => output.note(`Cannot accept it: ${printable(error instanceof Error ? error.message : String(error))}`));
    },
    hear({ type, plugin, digest, payload }) {
      if (plugin === undefined) return;
      if (type === "plugin.loaded" || type === "plugin.reloaded" || type === "plugin.removed") drop(plugin);
      if (type !== "plugin.quarantined" || digest === undefined) return;
      const { version } = payload;
      prompts.ask(plugin, { version: typeof version === "string" ? version : "", digest });
    },
    ended: () => asking,
  };
  return prompts;
}
