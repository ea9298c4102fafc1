/** A server's tools in our words: names, schemas, and what they may do in the person's judgment, not the server's (SPEC K3, S5). */

import type { Tool } from "@modelcontextprotocol/client";
import { completeDefinition } from "../../tools/definition.ts";
import {
  checkToolName,
  exportName,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type McpServerConfig,
  printable,
  problemToText,
  type SideEffect,
  type ToolDefinition,
} from "../../../manifests/mod.ts";
import { copyJson } from "../../primitives/json/json.ts";
import { equalJson } from "../../primitives/json/equal-json.ts";
import type { PublishedWords, ToolDeclaration } from "../../tools/tool.ts";
import { ToolRegistrationError } from "../../tools/tool-error.ts";
import { downConvert } from "../adapters/down-convert.ts";
import { OPAQUE_TAG } from "../adapters/schema-like.ts";

/** One tool of a server, as it is registered. */
export interface ServerTool {
  readonly definition: ToolDefinition;
  /** In the server's words, which every door hands on. */
  readonly published: PublishedWords;
  /** As the server has it, for calls. */
  readonly tool: Tool;
  /** The parts that a pin is made of. */
  readonly parts: JsonObject;
  /** Why it cannot be offered. */
  readonly refused?: string;
}

/** No plugin's name holds `__`. */
export function ownerOf(server: string): string {
  return `mcp__${server}`;
}

const DEFAULT_EFFECTS: readonly SideEffect[] = ["network", "execute"];
const DEFAULT_TIMEOUT_MS = 60_000;
const MAX_DESCRIPTION = 16_384;
/** What the protocol's specification says names are to have at most. Pins are kept under them. */
const MAX_NAME = 128;
const BOUNDS = { maxBytes: 128 * 1024, maxDepth: 64 } as const;

/** One at a time: those that the configuration lets through; each has a name of its own in our grammar. Of a name that is listed twice, the first is named and refused. */
export function* toServerTools(
  server: string,
  config: Pick<McpServerConfig, "tools" | "sideEffects" | "toolSideEffects" | "timeoutMs">,
  tools: readonly Tool[],
): Generator<ServerTool, void> {
  const listed = Map.groupBy(
    tools.filter(({ name }) => config.tools?.includes(name) !== false),
    ({ name }) => name,
  );
  // A name that fits is nobody else's, whatever the order of the list: rules are about it.
  const taken = new Set([...listed.keys()].filter((name) => checkToolName(name) === undefined));
  for (const [own, [tool, twin]] of listed) {
    if (tool === undefined) continue;
    const name = taken.has(own) ? own : nameFor(server, own, taken);
    taken.add(name);
    yield toServerTool(server, config, { tool, name, isTwice: twin !== undefined });
  }
}

/** The nearest that fits, told apart by a hash. */
function nameFor(server: string, name: string, taken: ReadonlySet<string>): string {
  const fitting = name.replaceAll(/[^A-Za-z0-9_-]/g, "_");
  const plain = /^[A-Za-z]/.test(fitting) ? fitting : `tool_${fitting}`;
  if (checkToolName(plain) === undefined && !taken.has(plain)) return plain;
  const hashed = exportName(`${"x".repeat(64)}${server}`, name).slice(16);
  return `${plain.slice(0, 20)}${hashed.slice(0, 30)}`;
}

interface NamedTool {
  readonly tool: Tool;
  readonly name: string;
  /** The server lists another of its name: which of them a call would reach, only the server knows. */
  readonly isTwice: boolean;
}

function toServerTool(server: string, config: Parameters<typeof toServerTools>[1], { tool, name, isTwice }: NamedTool): ServerTool {
  const copy = copyJson(
    {
      name: tool.name,
      title: tool.title,
      description: tool.description,
      inputSchema: tool.inputSchema,
      outputSchema: tool.outputSchema,
      annotations: tool.annotations,
      icons: tool.icons,
      _meta: tool._meta,
    },
    BOUNDS,
  );
  const parts = copy.ok && isJsonObject(copy.value) ? copy.value : { name: tool.name };
  const base = {
    name,
    sideEffects: Object.hasOwn(config.toolSideEffects, tool.name)
      ? (config.toolSideEffects[tool.name] ?? [])
      : (config.sideEffects ?? DEFAULT_EFFECTS),
    // Being called more careful than it is harms nobody; being called harmless is not believed.
    destructive: tool.annotations?.destructiveHint === true,
    permissions: { mcp: [server] },
    timeoutMs: config.timeoutMs ?? DEFAULT_TIMEOUT_MS,
  };
  try {
    if (isTwice) throw new TypeError("the server lists more than one tool of its name");
    if (tool.name.length > MAX_NAME) throw new TypeError(`its name is longer than ${MAX_NAME} characters`);
    if (!copy.ok) throw new TypeError(copy.problem.message);
    const definition = tagged(completeDefinition(declare(base, tool, parts, server)), server);
    return { definition, published: publishedOf(parts, definition, tool), tool, parts };
  } catch (error) {
    const why = error instanceof ToolRegistrationError ? error.problems.map(problemToText).join("; ") : String(error);
    const definition = tagged(
      completeDefinition({
        ...base,
        description: `A tool of the MCP server ${server} that is not offered`,
        inputSchema: { type: "object" },
      }),
      server,
    );
    return { definition, published: {}, tool, parts, refused: `its definition is refused: ${printable(why)}` };
  }
}

type Base = Pick<ToolDeclaration, "name" | "sideEffects" | "destructive" | "permissions" | "timeoutMs">;

function declare(base: Base, tool: Tool, parts: JsonObject, server: string): ToolDeclaration {
  const { description = `Tool "${printable(tool.name)}" of the MCP server ${server}`, title } = tool;
  if (description.length > MAX_DESCRIPTION) throw new TypeError(`its description is longer than ${MAX_DESCRIPTION} characters`);
  const input = downConvert(objectOf(parts["inputSchema"]));
  const output = isJsonObject(parts["outputSchema"]) ? downConvert(parts["outputSchema"]) : undefined;
  return {
    ...base,
    ...(title !== undefined && title !== "" && { title }),
    description: description === "" ? `Tool of the MCP server ${server}` : description,
    inputSchema: { ...input.schema, type: "object" },
    ...(output && { outputSchema: output.schema }),
    tags: input.lost.length > 0 ? [OPAQUE_TAG] : [],
  };
}

/** All that it says and that ours does not say in the same words. */
function publishedOf(parts: JsonObject, definition: ToolDefinition, { execution }: Tool): PublishedWords {
  const { inputSchema, outputSchema, annotations, icons, _meta } = parts;
  // Our schemas are JSON; their interface just has no index signature.
  const differs = (own: JsonValue | undefined, ours: JsonSchema | undefined): own is JsonObject =>
    own !== undefined && isJsonObject(own) && !equalJson(own, ours as unknown as JsonValue);
  const mcp = {
    ...(annotations !== undefined && isJsonObject(annotations) && { annotations }),
    ...(icons !== undefined && isJsonArray(icons) && { icons }),
    // `execution` is no part of a pin: no model reads it, and it is the same for all tools.
    ...(execution?.taskSupport === "forbidden" && { execution: { taskSupport: "forbidden" as const } }),
    ...(_meta !== undefined && isJsonObject(_meta) && { _meta }),
  };
  return {
    ...(differs(inputSchema, definition.inputSchema) && { inputSchema }),
    ...(differs(outputSchema, definition.outputSchema) && { outputSchema }),
    ...(Object.keys(mcp).length > 0 && { mcp }),
  };
}

/** A tag that nobody but the host can set. */
function tagged(definition: ToolDefinition, server: string): ToolDefinition {
  return { ...definition, tags: [...definition.tags, `mcp_server:${server}`] };
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
