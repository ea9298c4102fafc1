/** Adapts tools of Vercel's AI SDK, by their shape (SPEC K2). */

import type { ToolContext } from "../../call/context.ts";
import { copyJson } from "../../primitives/json/json.ts";
import type { JsonValue } from "../../../manifests/mod.ts";
import type { ToolFactory } from "../../tools/tool.ts";
import { foreignTool, type ForeignToolOptions } from "./foreign-tool.ts";
import type { SchemaLike } from "./schema-like.ts";

/** The members of an AI SDK tool that are used. */
export interface AiSdkShaped {
  readonly description?: unknown;
  readonly inputSchema?: unknown;
  execute?(input: never, options: never): unknown;
}

/**
 * Converts AI SDK tools, by name. Register them with `{ source: "ai-sdk" }`.
 *
 * If a tool yields several values, the last one is the output, and the others are progress.
 *
 * @throws {TypeError} if a schema cannot be read.
 * @example
 * ```ts
 * import { aiSdkTools, createHost } from "bascule";
 * const add = { description: "Adds", inputSchema: { type: "object" }, execute: ({ a, b }: { a: number; b: number }) => a + b };
 * await using host = await createHost({ config: false });
 * for (const tool of aiSdkTools({ add }, { sideEffects: [] })) host.register(tool, { source: "ai-sdk" });
 * console.log((await host.call("add", { a: 1, b: 2 })).output); // 3
 * ```
 */
export function aiSdkTools(tools: Readonly<Record<string, AiSdkShaped>>, options: ForeignToolOptions): readonly ToolFactory[] {
  return Object.entries(tools).map(([name, tool]) => {
    const { description, inputSchema } = tool;
    // `execute` takes what the schema describes, and the options of an SDK call.
    const execute = tool.execute as ((input: unknown, options: unknown) => unknown) | undefined;
    return foreignTool(
      {
        name,
        description: typeof description === "string" ? description : undefined,
        schema: isSchemaLike(inputSchema) ? madeSchema(inputSchema) : undefined,
        run: execute && ((args, context) => lastOf(Reflect.apply(execute, tool, [args, optionsOf(context)]), context)),
      },
      options,
    );
  });
}

function isSchemaLike(value: unknown): value is SchemaLike {
  return (typeof value === "object" || typeof value === "function") && value !== null;
}

/** A schema may be a function that returns it. */
function madeSchema(schema: SchemaLike): SchemaLike {
  const made: unknown = typeof schema === "function" && !("~standard" in schema) ? Reflect.apply(schema, undefined, []) : schema;
  return isSchemaLike(made) ? made : schema;
}

function optionsOf({ callId, signal }: ToolContext): object {
  return { toolCallId: callId, messages: [], abortSignal: signal, context: {} };
}

const BOUNDS = { maxBytes: 1024 * 1024, maxDepth: 512 } as const;

async function lastOf(answer: unknown, { progress }: ToolContext): Promise<unknown> {
  const awaited = await answer;
  if (!isAsyncIterable(awaited)) return awaited;
  let last: { readonly value: unknown } | undefined;
  for await (const value of awaited) {
    const before = last && copyJson(last.value, BOUNDS);
    if (before?.ok === true) progress(before.value);
    last = { value };
  }
  return last?.value;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<JsonValue> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}
