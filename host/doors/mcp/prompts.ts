/** Prompts that an embedding program offers through the door. Plugins cannot offer any, because prompts speak as the user. Types only. */

import type { GetPromptResult, InputRequiredResult, Prompt } from "@modelcontextprotocol/server";

/** A prompt, or the input it needs first; undefined if the prompt is unknown. */
type PromptAnswer = GetPromptResult | InputRequiredResult | undefined;

/** A source of prompts. */
export interface McpPrompts {
  list(): readonly Prompt[];
  /** Calls `listener` when the list changes, to notify clients. Returns a function that unsubscribes. Absent if the list never changes. */
  onChange?(listener: () => void): () => void;
  /**
   * Returns a prompt; undefined if it is unknown.
   *
   * @param responses the client's answers to an `InputRequiredResult`, unchecked
   */
  get(
    name: string,
    args: Readonly<Record<string, string>>,
    responses: Readonly<Record<string, unknown>> | undefined,
  ): Promise<PromptAnswer> | PromptAnswer;
  /** Returns values of an argument that begin with `value`. */
  complete?(name: string, argument: string, value: string): Promise<readonly string[]> | readonly string[];
}
