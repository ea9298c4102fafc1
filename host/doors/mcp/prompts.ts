/** Prompts that an embedding program offers through the door. Plugins offer none: their text would speak as the user. Types only. */

import type { GetPromptResult, Prompt } from "@modelcontextprotocol/server";

/** A source of prompts. */
export interface McpPrompts {
  list(): readonly Prompt[];
  /** Undefined if there is no such prompt. */
  get(name: string, args: Readonly<Record<string, string>>): Promise<GetPromptResult | undefined> | GetPromptResult | undefined;
  /** What an argument that begins with `value` can be. */
  complete?(name: string, argument: string, value: string): Promise<readonly string[]> | readonly string[];
}
