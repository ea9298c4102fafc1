/** Converts a server's tools: names, schemas, and side effects as the user declares them, not as the server does (SPEC K3, S5). */

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
  /** The server's own wording, passed on at every door. */
  readonly published: PublishedWords;
  /** The server's definition, for calls. */
  readonly tool: Tool;
  /** The parts that are pinned. */
  readonly parts: JsonObject;
  /** Why it cannot be offered. */
  readonly refused?: string;
}

/** Plugin names cannot contain `__`, so owners cannot collide. */
export function ownerOf(server: string): string {
  return `mcp__${server}`;
}

const DEFAULT_EFFECTS: readonly SideEffect[] = ["network", "execute"];
const DEFAULT_TIMEOUT_MS = 60_000;
const MAX_DESCRIPTION = 16_384;
/** Maximum length of a name in the protocol's specification. Pins are stored by name. */
const MAX_NAME = 128;
const BOUNDS = { maxBytes: 128 * 1024, maxDepth: 64 } as const;

/**
 * Yields the tools that the configuration allows, each with a unique valid name. If the server lists a name twice, the tool is yielded as
 * refused.
 */
export function* toServerTools(
  server: string,
  config: Pick<McpServerConfig, "tools" | "sideEffects" | "toolSideEffects" | "timeoutMs">,
  tools: readonly Tool[],
): Generator<ServerTool, void> {
  const listed = Map.groupBy(
    tools.filter(({ name }) => config.tools?.includes(name) !== false),
    ({ name }) => name,
  );
  // Valid names are reserved first, in any order of the list, because policy rules refer to them.
  const taken = new Set([...listed.keys()].filter((name) => checkToolName(name) === undefined));
  for (const [own, [tool, twin]] of listed) {
    if (tool === undefined) continue;
    const name = taken.has(own) ? own : nameFor(server, own, taken);
    taken.add(name);
    yield toServerTool(server, config, { tool, name, isTwice: twin !== undefined });
  }
}

/** Returns the nearest valid name, with a hash if needed to make it unique. */
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
  /** The server lists another tool of the same name, so it is unknown which one a call would reach. */
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
    // A server's claim to be destructive does no harm; a claim to be harmless is not trusted.
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

/** Returns everything that the converted definition does not express the same way. */
function publishedOf(parts: JsonObject, definition: ToolDefinition, { execution }: Tool): PublishedWords {
  const { inputSchema, outputSchema, annotations, icons, _meta } = parts;
  // The schemas are JSON; their interface only lacks an index signature.
  const differs = (own: JsonValue | undefined, ours: JsonSchema | undefined): own is JsonObject =>
    own !== undefined && isJsonObject(own) && !equalJson(own, ours as unknown as JsonValue);
  const mcp = {
    ...(annotations !== undefined && isJsonObject(annotations) && { annotations }),
    ...(icons !== undefined && isJsonArray(icons) && { icons }),
    // `execution` is not pinned: no model reads it, and it is the same for all tools.
    ...(execution?.taskSupport === "forbidden" && { execution: { taskSupport: "forbidden" as const } }),
    ...(_meta !== undefined && isJsonObject(_meta) && { _meta }),
  };
  return {
    ...(differs(inputSchema, definition.inputSchema) && { inputSchema }),
    ...(differs(outputSchema, definition.outputSchema) && { outputSchema }),
    ...(Object.keys(mcp).length > 0 && { mcp }),
  };
}

/** Adds a tag that only the host can set. */
function tagged(definition: ToolDefinition, server: string): ToolDefinition {
  return { ...definition, tags: [...definition.tags, `mcp_server:${server}`] };
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
