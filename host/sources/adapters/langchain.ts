/** Tools of LangChain, by their shape (SPEC K2). */

import type { ToolFactory } from "../../tools/tool.ts";
import { foreignTool, type ForeignToolOptions } from "./foreign-tool.ts";
import type { SchemaLike } from "./schema-like.ts";

/** What a LangChain tool has; no more of it is used. */
export interface LangChainShaped {
  readonly name: string;
  readonly description?: string;
  readonly schema?: SchemaLike;
  invoke?(input: never, config?: never): unknown;
}

/**
 * Makes a tool of a LangChain tool. Register it with `{ source: "langchain" }`.
 *
 * @throws {TypeError} if its schema cannot be read.
 * @example
 * ```ts
 * import { createHost, langChainTool } from "bascule";
 * const tool = { name: "add", schema: { type: "object" }, invoke: ({ a, b }: { a: number; b: number }) => a + b };
 * await using host = await createHost({ config: false });
 * host.register(langChainTool(tool, { sideEffects: [] }), { source: "langchain" });
 * console.log((await host.call("add", { a: 1, b: 2 })).output); // 3
 * ```
 */
export function langChainTool(tool: LangChainShaped, options: ForeignToolOptions): ToolFactory {
  const { name, description, schema } = tool;
  // What the schema describes is what `invoke` takes, and the configuration is all optional.
  const invoke = tool.invoke as ((input: unknown, config: unknown) => unknown) | undefined;
  const run = invoke && ((args: unknown, { signal }: { signal: AbortSignal }) => Reflect.apply(invoke, tool, [args, { signal }]));
  return foreignTool({ name, description, schema, run }, options);
}
