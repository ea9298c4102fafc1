import type { AnthropicTool } from "./exported.ts";
import type { ToolFormat } from "./format.ts";
import { toObjectSchema } from "./schema-rules.ts";

/** JSON Schema as it is. */
export const anthropicFormat: ToolFormat<AnthropicTool> = {
  title: "Anthropic",
  convert: ({ name, description, listing }) => ({ name, description, input_schema: toObjectSchema(listing.inputSchema, {}, () => {}) }),
};
