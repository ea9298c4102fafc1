import type { AnthropicTool } from "./exported.ts";
import type { ToolFormat } from "./format.ts";
import { toObjectSchema, wholeRules } from "./schema-rules.ts";

/** JSON Schema as it is, but for what the API refuses at the top of a schema. */
export const anthropicFormat: ToolFormat<AnthropicTool> = {
  title: "Anthropic",
  convert({ name, description, listing, lose }) {
    const dropped = (pointer: string, keyword: string): void =>
      lose(`/inputSchema${pointer}`, `Anthropic takes no "${keyword}" at the top`);
    const rules = { ...wholeRules(listing), notAtTop: NOT_AT_TOP };
    return { name, description, input_schema: toObjectSchema(listing.inputSchema, rules, dropped) };
  },
};

const NOT_AT_TOP: ReadonlySet<string> = new Set(["oneOf", "anyOf", "allOf"]);
