import type { McpTool } from "./exported.ts";
import type { ToolFormat } from "./format.ts";
import { wordsForClients } from "./mcp-annotations.ts";
import { isObjectSchema, toObjectSchema, wholeRules } from "./schema-rules.ts";

/** MCP can express the whole tool, except for an output that is not an object. */
export const mcpFormat: ToolFormat<McpTool> = {
  title: "MCP",
  says: ["outputSchema", "title"],
  convert({ name, description, listing, lose }) {
    const { title, inputSchema, outputSchema } = listing;
    const hasObject = outputSchema !== undefined && isObjectSchema(outputSchema);
    if (outputSchema !== undefined && !hasObject) lose("/outputSchema", "MCP supports output schemas of objects only");
    return {
      name,
      ...(title !== undefined && { title }),
      description,
      inputSchema: toObjectSchema(inputSchema, wholeRules(listing), () => {}),
      ...(hasObject && { outputSchema: toObjectSchema(outputSchema, wholeRules(listing), () => {}) }),
      ...wordsForClients(listing),
    };
  },
};
