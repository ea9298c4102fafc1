import type { AnthropicTool } from "./exported.ts";
import type { ToolFormat } from "./format.ts";
import { toObjectSchema, wholeRules } from "./schema-rules.ts";

/** Passes JSON Schema on unchanged, except for keywords that the API refuses at the top of a schema. */
export const anthropicFormat: ToolFormat<AnthropicTool> = {
  title: "Anthropic",
  convert({ name, description, listing, lose }) {
    const dropped = (pointer: string, keyword: string): void =>
      lose(`/inputSchema${pointer}`, `Anthropic does not support "${keyword}" at the top`);
    const rules = { ...wholeRules(listing), notAtTop: NOT_AT_TOP };
    return { name, description, input_schema: toObjectSchema(listing.inputSchema, rules, dropped) };
  },
};

const NOT_AT_TOP: ReadonlySet<string> = new Set(["oneOf", "anyOf", "allOf"]);
