/** Prompts that an embedding program offers through the door. Plugins offer none: their text would speak as the user. Types only. */

import type { GetPromptResult, InputRequiredResult, Prompt } from "@modelcontextprotocol/server";

/** A prompt, or what is to be known before; undefined if there is none. */
export type PromptAnswer = GetPromptResult | InputRequiredResult | undefined;

/** A source of prompts. */
export interface McpPrompts {
  list(): readonly Prompt[];
  /** Calls `listener` when the list is another; clients are told so then. Returns unsubscribe. Absent: the list stays as it is. */
  onChange?(listener: () => void): () => void;
  /**
   * Undefined if there is no such prompt.
   *
   * @param responses what the client answered to what an `InputRequiredResult` asked for; its own words
   */
  get(
    name: string,
    args: Readonly<Record<string, string>>,
    responses: Readonly<Record<string, unknown>> | undefined,
  ): Promise<PromptAnswer> | PromptAnswer;
  /** What an argument that begins with `value` can be. */
  complete?(name: string, argument: string, value: string): Promise<readonly string[]> | readonly string[];
}
