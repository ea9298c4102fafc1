/** Asks the user at the terminal of `dev` to accept waiting versions, one at a time (SPEC H6). */

import type { HostEvent } from "../../audit/events.ts";
import { errorText } from "../../platform/error-text.ts";
import type { Operations } from "../operations.ts";
import type { HeldVersion } from "../../plugins/folder/status.ts";
import type { CommandContext } from "./command.ts";
import type { LiveRegion } from "./live-region.ts";
import { shortDigest } from "./consent-text.ts";
import { printable } from "../../primitives/text.ts";

/** Acceptance prompts while a host runs. */
interface ConsentPrompts {
  /** Asks about a waiting version. Replaces a prompt for an earlier version of the plugin. */
  ask(plugin: string, held: Pick<HeldVersion, "version" | "digest">): void;
  /** Handles an event of the host: a version may start to wait, or be decided elsewhere. */
  hear(event: HostEvent): void;
  /** Resolves when no prompt is open. The context's signal aborts prompts. */
  ended(): Promise<void>;
}

type Question = Pick<HeldVersion, "version" | "digest">;

/** Creates the prompts; undefined if the terminal is not interactive. */
export function createConsentPrompts(
  { platform, output, signal }: CommandContext,
  { operations, region }: { readonly operations: Pick<Operations, "accept">; readonly region: LiveRegion },
): ConsentPrompts | undefined {
  if (!platform.terminal.interactive || output.json) return undefined;
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
    const answer = await region.ask(`${output.style.bold(text)} [y/N] `, until);
    if (answer === undefined) return;
    if (!/^\s*y(es)?\s*$/iu.test(answer)) return output.line(`Not accepted yet: ${output.program} accept ${printable(plugin)}`);
    const outcome = await operations.accept(plugin, digest);
    if (outcome.kind === "changed") output.line("The plugin changed in the meantime, and waits again");
    if (outcome.kind === "failed") output.line(`The plugin does not load: ${printable(outcome.reason)}`);
  }

  const prompts: ConsentPrompts = {
    ask(plugin, { version, digest }) {
      drop(plugin);
      waiting.set(plugin, { version, digest });
      asking = asking.then(askAll).catch((error: unknown) => output.note(`Cannot accept the plugin: ${printable(errorText(error))}`));
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
