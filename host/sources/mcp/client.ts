/** A connection to one MCP server through the official SDK, which is loaded when the first one is made (SPEC K3). */

import type { AuthProvider, CallToolResult, Client, InputRequiredResult, Tool, Transport } from "@modelcontextprotocol/client";
import { ToolFailed } from "../../tools/tool-error.ts";
import { VERSION } from "../../primitives/version.ts";

/** What the source needs of a client; the SDK's `Client` is one. */
export type McpClient = Pick<Client, "listTools" | "callTool" | "close"> & Partial<Pick<Client, "onclose" | "setNotificationHandler">>;

export interface ConnectOptions {
  readonly transport: Transport;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** The server says that its tools are others now. */
  readonly onChanged: () => void;
  readonly onClosed: () => void;
  /** The server asked for something that no server gets: the method. */
  readonly onRefused: (method: string) => void;
}

/** A day: a call's own deadline and signal end it, never the SDK's clock. */
const NEVER_MS = 86_400_000;
const QUIET_MS = 300;

/**
 * Connects, in whichever revision of the protocol the server speaks.
 *
 * No capability is offered, so that what a server asks of its client (sampling, elicitation, roots) is refused.
 *
 * @throws {Error} if the server is not there, or is no MCP server.
 */
export async function connectClient({ transport, signal, timeoutMs, onChanged, onClosed, onRefused }: ConnectOptions): Promise<McpClient> {
  const sdk = await import("@modelcontextprotocol/client");
  const client = new sdk.Client(
    { name: "bascule", version: VERSION },
    {
      capabilities: {},
      versionNegotiation: { mode: "auto" },
      listMaxPages: MAX_PAGES,
      inputRequired: { autoFulfill: false },
      // The SDK's own checks compile a server's schemas into code; ours are interpreted, and bounded.
      jsonSchemaValidator: { getValidator: () => (value) => ({ valid: true, data: value as never, errorMessage: undefined }) },
      listChanged: { tools: { autoRefresh: false, debounceMs: QUIET_MS, onChanged } },
    },
  );
  const state = { isConnected: false, isClosed: false };
  client.onclose = () => {
    state.isClosed = true;
    // Until then what `connect` says of it is the reason.
    if (state.isConnected) onClosed();
  };
  client.fallbackRequestHandler = ({ method }) => {
    if (!REFUSED.has(method)) return Promise.reject(new sdk.ProtocolError(sdk.ProtocolErrorCode.MethodNotFound, "Method not found"));
    onRefused(method);
    return Promise.reject(new sdk.ProtocolError(sdk.ProtocolErrorCode.MethodNotFound, `bascule refuses ${method} to MCP servers`));
  };
  // A server's mistakes are told where they matter: by the call that fails.
  client.onerror = () => {};
  await client.connect(transport, { signal, timeout: timeoutMs });
  if (state.isClosed) throw new Error("The connection was closed");
  state.isConnected = true;
  return client;
}

/** Methods that servers may call on clients that offer them; ours offers none of them. */
const REFUSED: ReadonlySet<string> = new Set(["elicitation/create", "sampling/createMessage", "roots/list"]);

/** HTTP, with the platform's own `fetch`. */
export async function httpTransport(
  url: string,
  options: { readonly fetch: typeof fetch; readonly headers: Readonly<Record<string, string>>; readonly tokens?: AuthProvider },
): Promise<Transport> {
  const sdk = await import("@modelcontextprotocol/client");
  return new sdk.StreamableHTTPClientTransport(new URL(url), {
    fetch: options.fetch,
    ...(options.tokens && { authProvider: options.tokens }),
    requestInit: { headers: options.headers },
    reconnectionOptions: { initialReconnectionDelay: 1_000, maxReconnectionDelay: 30_000, reconnectionDelayGrowFactor: 2, maxRetries: 2 },
  });
}

/** Pages of a list; a server whose list has more is not listened to. */
const MAX_PAGES = 20;

/** @throws {Error} if the server does not answer, or its list does not end. */
export async function listServerTools(client: McpClient, signal: AbortSignal, timeoutMs: number): Promise<readonly Tool[]> {
  const { tools } = await client.listTools(undefined, { signal, timeout: timeoutMs, cacheMode: "refresh" });
  return tools;
}

/** What a server says of a call that is under way. */
export interface CallProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** @throws {ToolFailed} if the server wants something of its client first. @throws {Error} what the server, or the way to it, answered instead of a result. */
export async function callServerTool(
  client: McpClient,
  tool: Tool,
  args: Record<string, unknown>,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (progress: CallProgress) => void },
): Promise<CallToolResult> {
  const options = { signal, timeout: NEVER_MS, onprogress: onProgress, toolDefinition: tool, allowInputRequired: true };
  const answer: CallToolResult | InputRequiredResult = await client.callTool({ name: tool.name, arguments: args }, options);
  if (!isInputRequired(answer)) return answer;
  const wanted = Object.values(answer.inputRequests ?? {}).map(({ method }) => method);
  const known = [...REFUSED].filter((method) => wanted.some((one) => one === method));
  throw new ToolFailed(
    `The MCP server answers this call only after ${known.join(", ") || "more input"} of its client, which bascule refuses`,
    {
      details: { refused: known },
    },
  );
}

function isInputRequired(answer: CallToolResult | InputRequiredResult): answer is InputRequiredResult {
  return answer["resultType"] === "input_required";
}
