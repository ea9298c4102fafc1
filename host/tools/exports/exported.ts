/** Tools in the formats of model APIs and frameworks (SPEC R5). Types only, written by hand, so that no package is needed. */

import type { ToolResult } from "../../call/call.ts";
import type { JsonValue, ToolAnnotations } from "../../../manifests/mod.ts";

/** Mutable JSON, as in the packages' types. */
export type PlainJson = string | number | boolean | null | PlainJson[] | { [name: string]: PlainJson };

/** A JSON Schema of an object, as in the packages' types. */
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
  /** Icons from the tool's MCP server, if it comes from one. */
  icons?: McpIcon[];
  execution?: { taskSupport: "forbidden" };
  _meta?: Record<string, unknown>;
};

/** An icon of a tool. */
export type McpIcon = { src: string; mimeType?: string; sizes?: string[]; theme?: "light" | "dark" };

/** A tool of OpenAI's chat completions API. */
export type OpenAiTool = { type: "function"; function: { name: string; description: string; parameters: ObjectSchema; strict: boolean } };
/** A tool of OpenAI's responses API. */
export type OpenAiResponsesTool = { type: "function"; name: string; description: string; parameters: ObjectSchema; strict: boolean };
/** A tool of Anthropic's messages API. */
export type AnthropicTool = { name: string; description: string; input_schema: ObjectSchema };
/** A function declaration of Gemini; all of them go into one `{ functionDeclarations }`. */
export type GeminiTool = { name: string; description: string; parametersJsonSchema: ObjectSchema };

/** A schema with its own validation (https://standardschema.dev). */
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
  /** @throws {ToolError} the host's error, if the call failed. */
  execute: (input: JsonValue, options?: { readonly abortSignal?: AbortSignal }) => Promise<JsonValue>;
};

/**
 * A tool of LangChain: `bindTools` accepts it unchanged, `new DynamicStructuredTool(…)` converts it to LangChain's own class, and `invoke`
 * calls the host.
 */
export type LangChainTool = {
  name: string;
  description: string;
  schema: ObjectSchema;
  lc_namespace: string[];
  /** Accepts arguments or a model's tool call. @throws {ToolError} the host's error, if the call failed. */
  invoke: (input: unknown, config?: { readonly signal?: AbortSignal }) => Promise<string>;
  /** Called by LangChain's own classes. */
  func: (input: unknown, runManager?: unknown, config?: { readonly signal?: AbortSignal }) => Promise<string>;
};

/** Element types of the formats. */
export interface ExportedTools {
  readonly mcp: McpTool[];
  readonly openai: OpenAiTool[];
  readonly "openai-responses": OpenAiResponsesTool[];
  readonly anthropic: AnthropicTool[];
  readonly gemini: GeminiTool[];
  readonly "ai-sdk": Record<string, AiSdkTool>;
  readonly langchain: LangChainTool[];
}
/** Name of a format. */
export type ExportFormat = keyof ExportedTools;

/** A part of a tool that the target format cannot express. */
export interface Lossy {
  /** Qualified name of the tool. */
  readonly tool: string;
  /** Place in the tool: `/inputSchema/properties/path/minLength`. */
  readonly pointer: string;
  readonly message: string;
}

/** The tools in one format, with the mapping of names back to the host. */
export interface Exported<F extends ExportFormat> {
  readonly tools: ExportedTools[F];
  /** Parts that are lost in the format; the host still validates them at each call. */
  readonly lossy: readonly Lossy[];
  /** Qualified names by exported name. */
  readonly names: ReadonlyMap<string, string>;
  /** Calls a tool by its exported name. Never rejects. */
  call(name: string, args: JsonValue | string, options?: { readonly signal?: AbortSignal }): Promise<ToolResult>;
}
