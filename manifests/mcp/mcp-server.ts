/** An MCP server whose tools the host offers, from `mcpServers` of `bascule.json` (SPEC K3). The reader is `parse-mcp-servers.ts`. */

import type { BundleValue } from "./mcpb.ts";
import { printable } from "../text/names.ts";
import type { SideEffect } from "../permissions/side-effect.ts";

/** A program to start, an address, or a bundle; exactly one of `command`, `url` and `bundle`. */
export interface McpServerConfig {
  readonly command?: string;
  readonly args: readonly string[];
  /** The complete environment except `PATH`; a value is a string, or a variable of the host. */
  readonly env: Readonly<Record<string, string | { readonly fromEnv: string }>>;
  /** Relative to the folder of `bascule.json`, which is the default. */
  readonly cwd?: string;
  /** `http:` or `https:` URL of a server that speaks Streamable HTTP. */
  readonly url?: string;
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string | { readonly fromEnv: string }>>;
  /** Client data for the authorization server, if the server requires a login (RFC 6749). */
  readonly oauth?: McpOAuthConfig;
  /** Hash of a bundle that was added to the project (SPEC M10). */
  readonly bundle?: string;
  /** Values for the bundle's options, by its own keys. */
  readonly config: Readonly<Record<string, BundleValue>>;
  /** Whether the host connects to it. */
  readonly enabled: boolean;
  /** Side effects of its tools, as the user judges them. Default: network and execute. */
  readonly sideEffects?: readonly SideEffect[];
  /** Side effects of single tools, by the server's names for them. */
  readonly toolSideEffects: Readonly<Record<string, readonly SideEffect[]>>;
  /** The tools to offer. Default: all. */
  readonly tools?: readonly string[];
  /** Timeout of one call. Default 60,000. */
  readonly timeoutMs?: number;
}

/** Every member is optional: most authorization servers register a client automatically (RFC 7591). */
export interface McpOAuthConfig {
  /** Id of a client that was registered by hand. */
  readonly clientId?: string;
  /** Default: the scope that the server requests. */
  readonly scope?: string;
  /** Port of the redirect URL on this machine, if it was registered. Default: any free port. */
  readonly port?: number;
}

/** Returns why a text cannot name a server: the name is also part of its tools' names, `mcp__<name>.<tool>`. */
export function checkServerName(name: string): string | undefined {
  if (/^[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)*$/.test(name) && name.length <= MAX_NAME) return undefined;
  return `"${printable(name)}" cannot name an MCP server`;
}

const MAX_NAME = 40;

/** Maximum servers in one project. */
export const MAX_MCP_SERVERS = 32;
