import { itemsOf, type JsonSchema, pointerToken, schemaObject } from "../../../manifests/mod.ts";
import type { ObjectSchema, OpenAiResponsesTool, OpenAiTool } from "./exported.ts";
import type { ToolFormat, ToolToExport } from "./format.ts";
import { toObjectSchema, wholeRules } from "./schema-rules.ts";

/** Format of the chat completions API. */
export const openAiFormat: ToolFormat<OpenAiTool> = {
  title: "OpenAI",
  descriptionLength: 1_024,
  maxTools: 128,
  convert: (tool) => ({ type: "function", function: { name: tool.name, description: tool.description, ...parametersOf(tool) } }),
};

/** Format of the responses API: the same members without the `function` level. */
export const openAiResponsesFormat: ToolFormat<OpenAiResponsesTool> = {
  title: "OpenAI responses",
  maxTools: 128,
  convert: (tool) => ({ type: "function", name: tool.name, description: tool.description, ...parametersOf(tool) }),
};

/** Sets `strict` if the schema already satisfies strict mode; the schema is never changed for it. */
function parametersOf({ listing, lose }: ToolToExport): { readonly parameters: ObjectSchema; readonly strict: boolean } {
  const dropped = (pointer: string, keyword: string): void =>
    lose(`/inputSchema${pointer}`, `OpenAI does not support "${keyword}" at the top`);
  const parameters = toObjectSchema(listing.inputSchema, { ...wholeRules(listing), notAtTop: NOT_AT_TOP }, dropped);
  const reason = unstrict(listing.inputSchema, "/inputSchema");
  if (reason !== undefined) lose(reason.pointer, `not valid in strict mode: ${reason.why}`);
  return { parameters, strict: reason === undefined };
}

const NOT_AT_TOP: ReadonlySet<string> = new Set(["oneOf", "anyOf", "allOf", "enum", "not"]);
const STRICT_KEYWORDS: ReadonlySet<string> = new Set([
  ..."type enum const properties required items title description additionalProperties $schema $id".split(" "),
  ..."minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems".split(" "),
]);

/** Returns the first part of a schema that prevents strict mode. The schema may be a source's own, of any shape. */
function unstrict(schema: JsonSchema, pointer: string): { readonly pointer: string; readonly why: string } | undefined {
  const unknown = Object.keys(schema).find((keyword) => !STRICT_KEYWORDS.has(keyword));
  if (unknown !== undefined) return { pointer: `${pointer}/${unknown}`, why: `"${unknown}" is not supported` };
  const types = [schema.type ?? []].flat();
  if (types.length === 0 && schema.enum === undefined && schema.const === undefined)
    return { pointer, why: "every value must have a type" };
  if (types.includes("object")) {
    const names = Object.keys(schema.properties ?? {});
    if (schema.additionalProperties !== false) return { pointer, why: 'objects must have "additionalProperties": false' };
    const required: unknown = schema.required;
    const optional = names.find((name) => !Array.isArray(required) || !required.includes(name));
    if (optional !== undefined)
      return { pointer: `${pointer}/properties/${pointerToken(optional)}`, why: "every property must be required" };
  }
  if (types.includes("array") && schema.items === undefined) return { pointer, why: "items must have a schema" };
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    const found = unstrict(schemaObject(inner), `${pointer}/properties/${pointerToken(name)}`);
    if (found !== undefined) return found;
  }
  if (Array.isArray(schema.items)) return { pointer: `${pointer}/items`, why: "items must have one schema" };
  const items = itemsOf(schema);
  return items === undefined ? undefined : unstrict(schemaObject(items), `${pointer}/items`);
}
