/** MCP servers in `bascule.lock`: the bundle of each, and its tools as they were accepted (SPEC H7, K3, M10). */

import { checkServerName, isJsonArray, isJsonObject, type JsonObject, type JsonValue, type Problem } from "../../../manifests/mod.ts";
import { sorted } from "./declared.ts";

/** One server as it was accepted. */
export interface LockedServer {
  /** The server's bundle; absent for a program or an address in `bascule.json`. */
  readonly bundle?: LockedBundle;
  /** The server's tools by their own names: name, title, description, schemas, hints. Absent until the server was first seen. */
  readonly tools?: ReadonlyMap<string, JsonObject>;
}

/** A bundle's hash, and the author's name for it. */
export interface LockedBundle {
  readonly name: string;
  readonly version: string;
  /** SHA-256 over all of its files (`digest.ts`). */
  readonly digest: string;
  /** Name of the bundle's file. */
  readonly from: string;
}

/** By the project's name for the server. */
export type LockedServers = ReadonlyMap<string, LockedServer>;

/** Sorts names and keys. Tools are a list, because a tool's name may be unsafe as a JSON key. */
export function serversToJson(servers: LockedServers): JsonObject {
  const names = [...servers.keys()].toSorted();
  return Object.fromEntries(names.map((name) => [name, serverToJson(servers.get(name) ?? {})]));
}

function serverToJson({ bundle, tools }: LockedServer): JsonObject {
  const list = tools && [...tools.keys()].toSorted().map((tool) => sorted(tools.get(tool) ?? {}));
  return { ...(bundle && { bundle: sorted({ ...bundle }) }), ...(list && { tools: list }) };
}

/** @param refuse called for each problem */
export function readServers(value: JsonValue | undefined, pointer: string, refuse: (problem: Problem) => void): LockedServers {
  const servers = new Map<string, LockedServer>();
  if (value === undefined) return servers;
  if (!isJsonObject(value)) {
    refuse(problem(pointer, "Expected an object of MCP servers"));
    return servers;
  }
  for (const [name, server] of Object.entries(value)) {
    const wrong = checkServerName(name);
    if (wrong !== undefined) refuse(problem(pointer, wrong));
    else servers.set(name, readServer(server, `${pointer}/${name}`, refuse));
  }
  return servers;
}

function readServer(value: JsonValue, pointer: string, refuse: (problem: Problem) => void): LockedServer {
  const { bundle, tools, ...rest } = isJsonObject(value) ? value : { no: null };
  if (Object.keys(rest).length > 0) refuse(problem(pointer, 'Expected {"bundle","tools"}'));
  const read = bundle === undefined ? undefined : readBundle(bundle);
  if (bundle !== undefined && read === undefined)
    refuse(problem(`${pointer}/bundle`, 'Expected {"name","version","digest","from"} of a bundle'));
  if (tools === undefined) return read === undefined ? {} : { bundle: read };
  const byName = new Map<string, JsonObject>();
  for (const tool of isJsonArray(tools) ? tools : [null]) {
    const name = isJsonObject(tool) ? tool["name"] : undefined;
    if (isJsonObject(tool) && typeof name === "string") byName.set(name, tool);
    else refuse(problem(`${pointer}/tools`, "Expected a list of tools, each with a name"));
  }
  return { ...(read && { bundle: read }), tools: byName };
}

function readBundle(value: JsonValue): LockedBundle | undefined {
  const { name, version, digest, from, ...rest } = isJsonObject(value) ? value : {};
  const isLine = (text: JsonValue | undefined): text is string => typeof text === "string" && /^[^\p{Cc}\p{Cs}]{1,8192}$/u.test(text);
  if (Object.keys(rest).length > 0 || !isLine(name) || !isLine(version) || !isLine(from)) return undefined;
  return typeof digest === "string" && /^[0-9a-f]{64}$/.test(digest) ? { name, version, digest, from } : undefined;
}

function problem(pointer: string, message: string): Problem {
  return {
    severity: "error",
    pointer,
    message,
    fix: "take the file from version control, or delete the server's entry and accept it again",
  };
}
