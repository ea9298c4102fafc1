/** Mounts of a server beside `/v1`: MCP and the console. Types only. */

import type { TokenScope } from "../../../manifests/mod.ts";
import type { HttpCaller } from "./tokens.ts";

/** A handler of all requests below a path. They have passed the gate: `Host`, `Origin`, token and request limits. */
export interface HttpMount {
  /** `/mcp` matches that path and all below it; `/` matches every path without another mount. */
  readonly path: string;
  /** Scope that the token needs. If absent, no token is needed and `caller` may be undefined. */
  readonly scope?: TokenScope;
  /** Handles a request. The server bounds its body (`BodyTooLarge`) and aborts its signal when the client disconnects. */
  readonly fetch: (request: Request, caller: HttpCaller | undefined) => Response | Promise<Response>;
  /** Ends open streams; called when the server closes. */
  readonly close?: () => Promise<void>;
}
