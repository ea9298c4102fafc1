/** Resources that clients can read. To add a source, add a file and an entry in `door.ts`. */

import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from "@modelcontextprotocol/server";
import type { McpClient } from "./client.ts";

/** A read-only source of resources. Lists may be in any order; the door sorts and pages them. */
export interface McpResources {
  /** Prefix of the source's URIs. */
  readonly prefix: string;
  list(client: McpClient): Promise<readonly Resource[]> | readonly Resource[];
  templates(): readonly ResourceTemplateType[];
  /** Reads a resource; undefined if it is unknown. */
  read(uri: string, client: McpClient): Promise<ReadResourceResult | undefined> | ReadResourceResult | undefined;
  /** Returns values of a template's argument that begin with `value`. */
  complete?(template: string, argument: string, value: string, client: McpClient): Promise<readonly string[]> | readonly string[];
}

/** Reads a resource. @throws {ProtocolError} if no source has it. */
export async function readResource(sources: readonly McpResources[], uri: string, client: McpClient): Promise<ReadResourceResult> {
  const found = await sources.find(({ prefix }) => uri.startsWith(prefix))?.read(uri, client);
  if (found === undefined) throw new ResourceNotFoundError(uri.slice(0, 200));
  return found;
}

/** Returns JSON as the only content of a resource. */
export function jsonResource(uri: string, value: unknown): ReadResourceResult {
  return { contents: [{ uri, mimeType: "application/json", text: JSON.stringify(value, null, 2) }] };
}

/** Reads the query of a resource's URI. @throws {ProtocolError} if it has a parameter that the template lacks. */
export function queryOf(uri: string, known: readonly string[]): ReadonlyMap<string, string> {
  const given = new Map(new URL(uri).searchParams);
  const unknown = [...given.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `Unknown parameter "${unknown.slice(0, 80)}" (choose from ${known.join(", ")})`,
    );
  return given;
}
