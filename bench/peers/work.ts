/** The work of every peer: two tools of the 2 KB plugin that the other benchmarks use. */

import { PLUGIN_2KB } from "../plugin-2kb.ts";

export const TOOLS = ["echo", "words"] as const;
export type ToolName = (typeof TOOLS)[number];

/** The plugin as a script, for hosts that evaluate text: its functions are global. */
export const SCRIPT: string = PLUGIN_2KB.replaceAll("export ", "");

/** Arguments as JSON text, which every peer takes. */
export const ARGS: Readonly<Record<ToolName, string>> = {
  echo: JSON.stringify({ a: 1, b: "x" }),
  words: JSON.stringify({ text: textOf(1_024), limit: 5 }),
};

/** Expected answers as JSON text, from running the tools directly. */
export async function wantedAnswers(): Promise<Readonly<Record<ToolName, string>>> {
  const module = (await import(`data:text/javascript,${encodeURIComponent(PLUGIN_2KB)}`)) as Readonly<
    Record<ToolName, (args: unknown) => unknown>
  >;
  const answerOf = (tool: ToolName): string => JSON.stringify(module[tool](JSON.parse(ARGS[tool])));
  return { echo: answerOf("echo"), words: answerOf("words") };
}

/** An expression whose value is the answer as JSON text. */
export function expressionOf(tool: ToolName, argsText: string): string {
  return `JSON.stringify(${tool}(${argsText}))`;
}

/** Returns the same prose of `length` characters each time. */
function textOf(length: number): string {
  const vocabulary = "the quick brown fox and a lazy dog met for tea in the garden of an old house it was late that day".split(" ");
  let text = "";
  for (let index = 0; text.length < length; index++) text += `${vocabulary[(index * index + 3 * index) % vocabulary.length] ?? ""} `;
  return text.slice(0, length).trimEnd();
}
