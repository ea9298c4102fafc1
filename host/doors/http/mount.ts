/** What else a server serves, besides `/v1`: MCP, the console. Types only. */

import type { TokenScope } from "../../../manifests/mod.ts";
import type { HttpCaller } from "./tokens.ts";

/** Everything below a path. Its requests have passed the gate: `Host`, `Origin`, token, how many there are. */
export interface HttpMount {
  /** `/mcp` is that path and all below it; `/` is all that nobody else serves. */
  readonly path: string;
  /** What a token must be good for. Absent: anybody may ask, and `caller` may be absent too. */
  readonly scope?: TokenScope;
  /** The request's body is bounded by the server (`BodyTooLarge`); its signal is aborted when the client goes. */
  readonly fetch: (request: Request, caller: HttpCaller | undefined) => Response | Promise<Response>;
  /** When the server closes: streams end. */
  readonly close?: () => Promise<void>;
}
