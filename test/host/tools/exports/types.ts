/** Type tests: the exported formats are assignable to the types of the real packages. Compiled by `tsc` in the gate and never run. */

import type Anthropic from "@anthropic-ai/sdk";
import type { FunctionDeclaration, Tool as GeminiTools } from "@google/genai";
import type { BindToolsInput } from "@langchain/core/language_models/chat_models";
import type { DynamicStructuredToolInput, StructuredToolParams } from "@langchain/core/tools";
import type { Tool as McpTool } from "@modelcontextprotocol/client";
import type { ToolSet } from "ai";
import type OpenAI from "openai";
import type { Host } from "../../../../host/mod.ts";

export function toOpenAi(host: Host): OpenAI.Chat.Completions.ChatCompletionTool[] {
  return host.definitions("openai").tools;
}

export function toOpenAiResponses(host: Host): OpenAI.Responses.Tool[] {
  return host.definitions("openai-responses").tools;
}

export function toAnthropic(host: Host): Anthropic.Messages.ToolUnion[] {
  return host.definitions("anthropic").tools;
}

export function toGemini(host: Host): GeminiTools {
  const functionDeclarations: FunctionDeclaration[] = host.definitions("gemini").tools;
  return { functionDeclarations };
}

export function toAiSdk(host: Host): ToolSet {
  return host.definitions("ai-sdk").tools;
}

export function toLangChain(host: Host): readonly [BindToolsInput[], StructuredToolParams[], DynamicStructuredToolInput[]] {
  const { tools } = host.definitions("langchain");
  return [tools, tools, tools];
}

export function toMcp(host: Host): McpTool[] {
  return host.definitions("mcp").tools;
}
