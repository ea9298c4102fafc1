/** Resources, prompts and host tools that an embedding program adds to the door for the suite; plugins offer no resources and prompts. */

import { acceptedContent, inputRequired } from "@modelcontextprotocol/server";
import type { McpPrompts, McpResources } from "../../../host/doors/mcp/mod.ts";
import type { Host } from "../../../host/host/host-interface.ts";
import { functionTool } from "../../../host/mod.ts";
import type { ToolFactory } from "../../../host/tools/tool.ts";
import type { JsonObject } from "../../../manifests/mod.ts";

const IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const TEXTS: Readonly<Record<string, string>> = {
  "test://static-text": "This is the content of the static text resource.",
  "test://watched-resource": "Watched resource content",
};
const TEMPLATE = /^test:\/\/template\/([^/]+)\/data$/;

export const FIXTURE_RESOURCES: McpResources = {
  prefix: "test://",
  list: () => [
    ...Object.keys(TEXTS).map((uri) => ({ uri, name: uri.slice("test://".length), mimeType: "text/plain" })),
    { uri: "test://static-binary", name: "static-binary", mimeType: "image/png" },
  ],
  templates: () => [{ uriTemplate: "test://template/{id}/data", name: "template", mimeType: "application/json" }],
  read(uri) {
    const text = TEXTS[uri];
    if (text !== undefined) return { contents: [{ uri, mimeType: "text/plain", text }] };
    if (uri === "test://static-binary") return { contents: [{ uri, mimeType: "image/png", blob: IMAGE }] };
    const id = TEMPLATE.exec(uri)?.[1];
    if (id === undefined) return undefined;
    return {
      contents: [{ uri, mimeType: "application/json", text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) }],
    };
  },
};

const ARGUMENTS = [
  { name: "arg1", description: "First test argument", required: true },
  { name: "arg2", description: "Second test argument", required: true },
];

const ADDED_PROMPTS: string[] = [];
let onPromptsChange = (): void => undefined;

export const FIXTURE_PROMPTS: McpPrompts = {
  onChange(listener) {
    onPromptsChange = listener;
    return () => void (onPromptsChange = (): void => undefined);
  },
  list: () => [
    ...ADDED_PROMPTS.map((name) => ({ name, description: "Was added" })),
    { name: "test_simple_prompt", description: "Without arguments" },
    { name: "test_prompt_with_arguments", description: "With arguments", arguments: ARGUMENTS },
    {
      name: "test_prompt_with_embedded_resource",
      description: "With a resource",
      arguments: [{ name: "resourceUri", description: "Which", required: true }],
    },
    { name: "test_prompt_with_image", description: "With an image" },
    { name: "test_input_required_result_prompt", description: "Asks first" },
  ],
  get(name, args, responses) {
    const says = (content: object): { role: "user"; content: never } => ({ role: "user", content: content as never });
    switch (name) {
      case "test_simple_prompt":
        return { messages: [says({ type: "text", text: "This is a simple prompt for testing." })] };
      case "test_prompt_with_arguments":
        return { messages: [says({ type: "text", text: `Prompt with arguments: arg1='${args["arg1"]}', arg2='${args["arg2"]}'` })] };
      case "test_prompt_with_embedded_resource":
        return {
          messages: [
            says({
              type: "resource",
              resource: { uri: args["resourceUri"], mimeType: "text/plain", text: "Embedded resource content for testing." },
            }),
            says({ type: "text", text: "Please process the embedded resource above." }),
          ],
        };
      case "test_prompt_with_image":
        return {
          messages: [
            says({ type: "image", data: IMAGE, mimeType: "image/png" }),
            says({ type: "text", text: "Please analyze the image above." }),
          ],
        };
      case "test_input_required_result_prompt": {
        const context = acceptedContent<{ readonly context?: unknown }>(
          responses === undefined ? undefined : { ...responses },
          "user_context",
        )?.context;
        if (typeof context === "string") return { messages: [says({ type: "text", text: `Use the following context: ${context}` })] };
        const requestedSchema = { type: "object" as const, properties: { context: { type: "string" as const } }, required: ["context"] };
        return inputRequired({
          inputRequests: {
            user_context: inputRequired.elicit({ mode: "form", message: "What context should the prompt use?", requestedSchema }),
          },
        });
      }
      default:
        return undefined;
    }
  },
  complete: (_name, _argument, value) => ["test one", "test two"].filter((text) => text.startsWith(value)),
};

/** Changes the list of tools; the door has to notice. */
export function triggerToolChange(host: () => Host): ToolFactory {
  let changes = 0;
  return () => ({
    definition: {
      name: "test_trigger_tool_change",
      description: "Adds a tool",
      inputSchema: { type: "object" },
      sideEffects: [],
    },
    execute() {
      changes += 1;
      const name = `added_${String(changes)}`;
      host().register(() => ({
        definition: { name, description: "Was added", inputSchema: { type: "object" }, sideEffects: [] },
        execute: () => null,
      }));
      return "changed";
    },
  });
}

/** Changes the list of prompts. */
const triggerPromptChange = functionTool(
  () => {
    ADDED_PROMPTS.push(`added_${String(ADDED_PROMPTS.length + 1)}`);
    onPromptsChange();
    return "changed";
  },
  { name: "test_trigger_prompt_change", description: "Adds a prompt", sideEffects: [] },
);

/** The suite's own bytes. */
const SCHEMA_2020_12 = JSON.parse(`{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "$defs": {
    "address": { "$anchor": "addressDef", "type": "object", "properties": { "street": { "type": "string" }, "city": { "type": "string" } } }
  },
  "properties": {
    "name": { "type": "string" },
    "address": { "$ref": "#/$defs/address" },
    "contactMethod": { "type": "string", "enum": ["phone", "email"] },
    "phone": { "type": "string" },
    "email": { "type": "string" }
  },
  "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
  "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
  "then": { "required": ["phone"] },
  "else": { "required": ["email"] },
  "additionalProperties": false
}`) as JsonObject;

const REGION = { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" }, level: { type: "integer" } } };

/** Tools whose schemas use more of JSON Schema than tool schemas allow. */
export const SCHEMA_TOOLS: readonly ToolFactory[] = [
  functionTool((args: JsonObject) => args, {
    name: "json_schema_2020_12_tool",
    description: "Has a schema of JSON Schema 2020-12",
    inputSchema: SCHEMA_2020_12,
    sideEffects: [],
  }),
  functionTool(({ region = "none" }: { readonly region?: string }) => region, {
    name: "test_x_mcp_header",
    description: "Has an argument that clients repeat in a header",
    inputSchema: REGION,
    sideEffects: [],
  }),
  triggerPromptChange,
  // For the scenarios about tasks: a tool that creates none.
  functionTool(({ name = "you" }: { readonly name?: string }) => `Hello, ${name}!`, {
    name: "greet",
    description: "Greets",
    inputSchema: { type: "object", properties: { name: { type: "string" } } },
    sideEffects: [],
  }),
];

/** Answers after its client has reconnected for the answer. */
export function reconnection(): { readonly tool: ToolFactory; readonly cameBack: () => void } {
  const waiting = new Set<() => void>();
  const run = (): Promise<string> => new Promise((resolve) => waiting.add(() => resolve("Reconnection test completed successfully")));
  return {
    tool: functionTool(run, { name: "test_reconnection", description: "Waits for its client to come back", sideEffects: [] }),
    cameBack() {
      for (const answer of waiting) answer();
      waiting.clear();
    },
  };
}
