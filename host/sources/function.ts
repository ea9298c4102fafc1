/** Registers functions of the embedding program as tools (SPEC K1). */

import type { JsonSchema } from "../../manifests/mod.ts";
import type { ToolContext } from "../call/context.ts";
import { ToolFailed } from "../tools/tool-error.ts";
import type { Tool, ToolDeclaration, ToolFactory } from "../tools/tool.ts";
import { type DeclaredSchema, declareSchema, isBeyondOurs, isTelling, type SchemaLike } from "./adapters/schema-like.ts";

/** Facts that a function does not supply itself: the schema of its arguments, its side effects and so on. */
export interface FunctionToolOptions extends Omit<ToolDeclaration, "name" | "inputSchema" | "outputSchema" | "description"> {
  /** Default: the function's name. */
  readonly name?: string;
  readonly description: string;
  /**
   * JSON Schema, TypeBox, or an object that supplies a JSON Schema, such as zod's. Default: an object without members. What the
   * host cannot check (a `$ref` to another document, a `pattern` with lookahead) is shown to models and left to the function.
   */
  readonly inputSchema?: JsonSchema | SchemaLike;
  /** JSON Schema or TypeBox, with the same extent as `inputSchema`. Default: none. */
  readonly outputSchema?: JsonSchema | SchemaLike;
}

/** Receives checked arguments. Its result is checked against `outputSchema`; an exception becomes the call's error. */
export type ToolFunction = (args: never, context: ToolContext) => ReturnType<Tool["execute"]>;

/**
 * Creates a tool from a function. Without a function the tool is declared, and every call fails.
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
      // The arguments have passed the input schema, which describes the function's parameter.
      return run(args as never, context);
    },
  });
}

/**
 * Schemas that the host cannot check whole are shown to models as they are, and the function checks the rest. An invalid JSON Schema is refused when the tool is
 * registered.
 */
function declared(schema: JsonSchema | SchemaLike): DeclaredSchema {
  return isTelling(schema) || isBeyondOurs(schema) ? declareSchema(schema, "the function") : { schema, tags: [] };
}
