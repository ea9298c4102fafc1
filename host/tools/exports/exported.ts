/** Tools in the shapes that models' APIs and frameworks take (SPEC R5). Types only, written by hand: no package is needed for them. */

import type { ToolResult } from "../../call/call.ts";
import type { JsonValue, ToolAnnotations } from "../../../manifests/mod.ts";

/** JSON that its new owner may change, as the packages' types have it. */
export type PlainJson = string | number | boolean | null | PlainJson[] | { [name: string]: PlainJson };

/** A JSON Schema of an object, as the packages' types have it. */
export type ObjectSchema = {
  type: "object";
  properties?: Record<string, PlainJson>;
  required?: string[];
  [keyword: string]: unknown;
};

/** A tool of the Model Context Protocol. */
export type McpTool = {
  name: string;
  title?: string;
  description: string;
  inputSchema: ObjectSchema;
  outputSchema?: ObjectSchema;
  annotations: ToolAnnotations;
  /** The icons that the tool's own MCP server gives it, if it has one. */
  icons?: McpIcon[];
  execution?: { taskSupport: "forbidden" };
  _meta?: Record<string, unknown>;
};

/** A picture of a tool. */
export type McpIcon = { src: string; mimeType?: string; sizes?: string[]; theme?: "light" | "dark" };

/** A tool of OpenAI's chat completions. */
export type OpenAiTool = { type: "function"; function: { name: string; description: string; parameters: ObjectSchema; strict: boolean } };
/** A tool of OpenAI's responses. */
export type OpenAiResponsesTool = { type: "function"; name: string; description: string; parameters: ObjectSchema; strict: boolean };
/** A tool of Anthropic's messages. */
export type AnthropicTool = { name: string; description: string; input_schema: ObjectSchema };
/** A function declaration of Gemini; they go together into one `{ functionDeclarations }`. */
export type GeminiTool = { name: string; description: string; parametersJsonSchema: ObjectSchema };

/** A schema that brings its own check (https://standardschema.dev). */
export type StandardSchema = {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: "bascule";
    readonly validate: (value: unknown) => { readonly value: JsonValue } | { readonly issues: readonly { readonly message: string }[] };
    readonly jsonSchema: { readonly input: () => Record<string, unknown>; readonly output: () => Record<string, unknown> };
  };
};

/** A tool of Vercel's AI SDK; `execute` calls the host. */
export type AiSdkTool = {
  description: string;
  inputSchema: StandardSchema;
  outputSchema?: StandardSchema;
  /** @throws {ToolError} what the host answered, if the call failed. */
  execute: (input: JsonValue, options?: { readonly abortSignal?: AbortSignal }) => Promise<JsonValue>;
};

/**
 * A tool of LangChain: `bindTools` takes it as it is, `new DynamicStructuredTool(…)` makes one of LangChain's own classes of it, and
 * `invoke` calls the host.
 */
export type LangChainTool = {
  name: string;
  description: string;
  schema: ObjectSchema;
  lc_namespace: string[];
  /** Takes arguments, or a call of a model. @throws {ToolError} what the host answered, if the call failed. */
  invoke: (input: unknown, config?: { readonly signal?: AbortSignal }) => Promise<string>;
  /** What LangChain's own classes call. */
  func: (input: unknown, runManager?: unknown, config?: { readonly signal?: AbortSignal }) => Promise<string>;
};

/** What each format is a list of. */
export interface ExportedTools {
  readonly mcp: McpTool[];
  readonly openai: OpenAiTool[];
  readonly "openai-responses": OpenAiResponsesTool[];
  readonly anthropic: AnthropicTool[];
  readonly gemini: GeminiTool[];
  readonly "ai-sdk": Record<string, AiSdkTool>;
  readonly langchain: LangChainTool[];
}
/** One of the formats. */
export type ExportFormat = keyof ExportedTools;

/** Something that the target has no way to say. */
export interface Lossy {
  /** Qualified name. */
  readonly tool: string;
  /** Where in the tool: `/inputSchema/properties/path/minLength`. */
  readonly pointer: string;
  readonly message: string;
}

/** Tools of one format, and how to come back from it. */
export interface Exported<F extends ExportFormat> {
  readonly tools: ExportedTools[F];
  /** What is lost; the host still checks all of it at each call. */
  readonly lossy: readonly Lossy[];
  /** Qualified names by exported name. */
  readonly names: ReadonlyMap<string, string>;
  /** Calls a tool by the name that a model knows. Never rejects. */
  call(name: string, args: JsonValue | string, options?: { readonly signal?: AbortSignal }): Promise<ToolResult>;
}
