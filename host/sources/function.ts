/** Functions of the embedding program as tools (SPEC K1). */

import type { JsonSchema, JsonValue } from "../../manifests/mod.ts";
import type { ToolContext } from "../call/context.ts";
import { ToolFailed } from "../tools/tool-error.ts";
import type { ToolOutput } from "../call/tool-output.ts";
import type { ToolDeclaration, ToolFactory } from "../tools/tool.ts";
import { type DeclaredSchema, declareSchema, isBeyondOurs, isTelling, type SchemaLike } from "./adapters/schema-like.ts";

/** What a function has to be told beside itself: the schema of its arguments, and what it does. */
export interface FunctionToolOptions extends Omit<ToolDeclaration, "name" | "inputSchema" | "outputSchema" | "description"> {
  /** Default: the function's own name. */
  readonly name?: string;
  readonly description: string;
  /**
   * JSON Schema, TypeBox, or what can tell a JSON Schema, such as zod's; default an object without members. What it says beyond tool
   * schemas (`$ref`, `anyOf`, `pattern`, …) is told to models, and checked by the function alone, as far as that is not the same in other words.
   */
  readonly inputSchema?: JsonSchema | SchemaLike;
  /** JSON Schema or TypeBox, as far as `inputSchema` may be. Default: none. */
  readonly outputSchema?: JsonSchema | SchemaLike;
}

/** Gets checked arguments. What it returns is checked against `outputSchema`, what it throws becomes the call's error. */
export type ToolFunction = (
  args: never,
  context: ToolContext,
) => Promise<JsonValue | ToolOutput | undefined> | JsonValue | ToolOutput | undefined;

/**
 * Makes a tool of a function. Without a function the tool is declared and every call fails.
 *
 * @example
 * ```ts
 * import { createHost, functionTool } from "bascule";
 * const double = functionTool(({ n }: { n: number }) => 2 * n, {
 *   name: "double",
 *   description: "Doubles a number",
 *   inputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
 *   sideEffects: [],
 * });
 * await using host = await createHost({ config: false, tools: [double] });
 * const result = await host.call("double", { n: 21 });
 * console.log(result.output); // 42
 * ```
 */
export function functionTool(run: ToolFunction | undefined, options: FunctionToolOptions): ToolFactory {
  const { outputSchema, ...rest } = options;
  const input = declared(options.inputSchema ?? { type: "object", additionalProperties: false });
  const output = outputSchema && declared(outputSchema);
  const tags = new Set([...input.tags, ...(output?.tags ?? [])]);
  const definition: ToolDeclaration = {
    ...rest,
    name: options.name ?? run?.name ?? "",
    inputSchema: input.schema,
    ...(output && { outputSchema: output.schema }),
    ...(tags.size > 0 && { tags: [...(options.tags ?? []), ...tags] }),
  };
  const published = {
    ...(input.published && { inputSchema: input.published }),
    ...(output?.published && { outputSchema: output.published }),
  };
  return () => ({
    definition,
    ...((input.published ?? output?.published) && { published }),
    execute(args, context) {
      if (run === undefined) throw new ToolFailed(`Tool ${definition.name} has no bound callable`);
      // The arguments have passed the input schema, which says what the function takes.
      return run(args as never, context);
    },
  });
}

/**
 * Models are told the parts of a schema that the subset has no words for, and the function checks them. A value that is no JSON Schema is
 * refused when the tool is registered.
 */
function declared(schema: JsonSchema | SchemaLike): DeclaredSchema {
  return isTelling(schema) || isBeyondOurs(schema) ? declareSchema(schema, "the function") : { schema, tags: [] };
}
