/** What can be read through the door, beside calling tools. A source of resources is one file and one entry in `door.ts`. */

import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from "@modelcontextprotocol/server";
import type { McpClient } from "./client.ts";

/** A source of resources, read-only. Lists may be in any order; the door makes pages of them. */
export interface McpResources {
  /** What its URIs begin with. */
  readonly prefix: string;
  list(client: McpClient): Promise<readonly Resource[]> | readonly Resource[];
  templates(): readonly ResourceTemplateType[];
  /** Undefined if there is no such resource. */
  read(uri: string, client: McpClient): Promise<ReadResourceResult | undefined> | ReadResourceResult | undefined;
  /** What an argument of its templates can begin with `value` to be. */
  complete?(template: string, argument: string, value: string, client: McpClient): Promise<readonly string[]> | readonly string[];
}

/** @throws {ProtocolError} if there is none. */
export async function readResource(sources: readonly McpResources[], uri: string, client: McpClient): Promise<ReadResourceResult> {
  const found = await sources.find(({ prefix }) => uri.startsWith(prefix))?.read(uri, client);
  if (found === undefined) throw new ResourceNotFoundError(uri.slice(0, 200));
  return found;
}

/** JSON as the one content of a resource. */
export function jsonResource(uri: string, value: unknown): ReadResourceResult {
  return { contents: [{ uri, mimeType: "application/json", text: JSON.stringify(value, null, 2) }] };
}

/** @throws {ProtocolError} where a query says something else than the resource's template. */
export function queryOf(uri: string, known: readonly string[]): ReadonlyMap<string, string> {
  const given = new Map(new URL(uri).searchParams);
  const unknown = [...given.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `There is no parameter "${unknown.slice(0, 80)}" here (it takes ${known.join(", ")})`,
    );
  return given;
}
