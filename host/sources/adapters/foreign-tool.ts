/** Converts a tool of another framework. The schema is converted to the subset; the tool's own check and code stay in use (SPEC K2, S5). */

import type { ToolContext } from "../../call/context.ts";
import { copyJson } from "../../primitives/json/json.ts";
import type { JsonObject, JsonValue } from "../../../manifests/mod.ts";
import { ToolFailed } from "../../tools/tool-error.ts";
import type { ToolDeclaration, ToolFactory } from "../../tools/tool.ts";
import { declareSchema, type SchemaLike } from "./schema-like.ts";

/** Options that the framework does not supply. */
export interface ForeignToolOptions extends Omit<Partial<ToolDeclaration>, "inputSchema" | "sideEffects"> {
  /** Side effects of the tool; `[]` for none. */
  readonly sideEffects: ToolDeclaration["sideEffects"];
}

/** The facts read from the foreign tool. */
interface ForeignTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly schema?: SchemaLike | undefined;
  /** If absent, the tool is declared without an implementation. */
  readonly run?: ((args: JsonValue, context: ToolContext) => unknown) | undefined;
}

const BOUNDS = { maxBytes: 64 * 1024 * 1024, maxDepth: 512 } as const;

/** @throws {TypeError} if its schema cannot be read */
export function foreignTool(foreign: ForeignTool, options: ForeignToolOptions): ToolFactory {
  const { name, description = `Tool: ${foreign.name}`, schema, run } = foreign;
  const declared = schema === undefined ? undefined : declareSchema(schema, `tool "${name}"`);
  const { tags = [], ...rest } = options;
  const definition: ToolDeclaration = {
    name,
    description,
    ...rest,
    inputSchema: declared === undefined ? { type: "object", additionalProperties: false } : { ...declared.schema, type: "object" },
    tags: [...tags, ...(declared?.tags ?? [])],
  };
  const published = declared?.published && { inputSchema: declared.published };
  return () => ({
    definition,
    ...(published && { published }),
    async execute(args, context) {
      if (run === undefined) throw new ToolFailed(`Tool ${definition.name} has no bound callable`);
      return toJson(await run(args, context));
    },
  });
}

/** The route copies the output again, and reports values that are not JSON. `undefined` becomes null. */
function toJson(output: unknown): JsonValue | undefined {
  if (output === undefined) return undefined;
  const copy = copyJson(output, BOUNDS);
  // Passes an uncopyable value on unchanged, so that the route's error names the place.
  return copy.ok ? copy.value : (output as JsonObject);
}
