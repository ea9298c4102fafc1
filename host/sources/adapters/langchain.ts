/** Adapts tools of LangChain, by their shape (SPEC K2). */

import type { ToolFactory } from "../../tools/tool.ts";
import { foreignTool, type ForeignToolOptions } from "./foreign-tool.ts";
import type { SchemaLike } from "./schema-like.ts";

/** The members of a LangChain tool that are used. */
export interface LangChainShaped {
  readonly name: string;
  readonly description?: string;
  readonly schema?: SchemaLike;
  invoke?(input: never, config?: never): unknown;
}

/**
 * Converts a LangChain tool. Register it with `{ source: "langchain" }`.
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
  // `invoke` takes what the schema describes; all of its configuration is optional.
  const invoke = tool.invoke as ((input: unknown, config: unknown) => unknown) | undefined;
  const run = invoke && ((args: unknown, { signal }: { signal: AbortSignal }) => Reflect.apply(invoke, tool, [args, { signal }]));
  return foreignTool({ name, description, schema, run }, options);
}
