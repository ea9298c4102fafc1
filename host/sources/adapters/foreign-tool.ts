/** A tool of another framework as one of ours: its schema in our words, its check and its code its own (SPEC K2, S5). */

import type { ToolContext } from "../../call/context.ts";
import { copyJson } from "../../primitives/json/json.ts";
import type { JsonObject, JsonValue } from "../../../manifests/mod.ts";
import { ToolFailed } from "../../tools/tool-error.ts";
import type { ToolDeclaration, ToolFactory } from "../../tools/tool.ts";
import { declareSchema, type SchemaLike } from "./schema-like.ts";

/** What the framework does not say. */
export interface ForeignToolOptions extends Omit<Partial<ToolDeclaration>, "inputSchema" | "sideEffects"> {
  /** What the tool does beside computing; `[]` is nothing. */
  readonly sideEffects: ToolDeclaration["sideEffects"];
}

/** What was read off the foreign tool. */
export interface ForeignTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly schema?: SchemaLike | undefined;
  /** Absent: declared, with nothing bound. */
  readonly run?: ((args: JsonValue, context: ToolContext) => unknown) | undefined;
}

const BOUNDS = { maxBytes: 64 * 1024 * 1024, maxDepth: 512 } as const;

/** @throws {TypeError} if its schema cannot be read. */
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

/** The route copies it again, and says where it is no JSON; `undefined` is null. */
function toJson(output: unknown): JsonValue | undefined {
  if (output === undefined) return undefined;
  const copy = copyJson(output, BOUNDS);
  // What cannot be copied is handed on as it is, so that the route's own message names the place.
  return copy.ok ? copy.value : (output as JsonObject);
}
