/** An MCP server whose tools the host offers, as `mcpServers` of `bascule.json` lists it (SPEC K3). The reader is `parse-mcp-servers.ts`. */

import type { BundleValue } from "./mcpb.ts";
import { printable } from "./names.ts";
import type { SideEffect } from "./side-effect.ts";

/** A program that is started, an address, or a bundle; one of `command`, `url` and `bundle`. */
export interface McpServerConfig {
  readonly command?: string;
  readonly args: readonly string[];
  /** All of its environment but `PATH`; a value is a text, or a variable of the host's. */
  readonly env: Readonly<Record<string, string | { readonly fromEnv: string }>>;
  /** Relative to the folder of `bascule.json`, which is the default. */
  readonly cwd?: string;
  /** `http:` or `https:`, of a server that speaks Streamable HTTP. */
  readonly url?: string;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string | { readonly fromEnv: string }>>;
  /** Of a server that wants a login, what its authorization server has to be told (RFC 6749). */
  readonly oauth?: McpOAuthConfig;
  /** Digest of a bundle that was added here (SPEC M10). */
  readonly bundle?: string;
  /** What the bundle asks for, by its own keys. */
  readonly config: Readonly<Record<string, BundleValue>>;
  /** False: it is not connected to. */
  readonly enabled: boolean;
  /** What its tools do, in the person's own judgment. Default: network and execute. */
  readonly sideEffects?: readonly SideEffect[];
  /** The same for single tools, by the names that the server gives them. */
  readonly toolSideEffects: Readonly<Record<string, readonly SideEffect[]>>;
  /** Only these tools. Default: all. */
  readonly tools?: readonly string[];
  /** Of one call. Default 60,000. */
  readonly timeoutMs?: number;
}

/** All of it may be left out: most authorization servers register a client by themselves (RFC 7591). */
export interface McpOAuthConfig {
  /** Of a client that was registered there by hand. */
  readonly clientId?: string;
  /** Default: what the server asks for. */
  readonly scope?: string;
  /** Where the browser comes back to on this machine, where that was registered. Default: any that is free. */
  readonly port?: number;
}

/** Why a text cannot name a server: the name is also a part of its tools' names, `mcp__<name>.<tool>`. */
export function checkServerName(name: string): string | undefined {
  if (/^[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)*$/.test(name) && name.length <= MAX_NAME) return undefined;
  return `"${printable(name)}" cannot name an MCP server`;
}

const MAX_NAME = 40;

/** Most servers in one project. */
export const MAX_MCP_SERVERS = 32;
