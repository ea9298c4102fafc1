/** Connects to one MCP server through the official SDK, which is imported at the first connection (SPEC K3). */

import type { AuthProvider, CallToolResult, Client, InputRequiredResult, Tool, Transport } from "@modelcontextprotocol/client";
import { ToolFailed } from "../../tools/tool-error.ts";
import { VERSION } from "../../primitives/version.ts";

/** The client methods that the source needs; the SDK's `Client` has them. */
export type McpClient = Pick<Client, "listTools" | "callTool" | "close"> & Partial<Pick<Client, "onclose" | "setNotificationHandler">>;

interface ConnectOptions {
  readonly transport: Transport;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Called when the server reports changed tools. */
  readonly onChanged: () => void;
  readonly onClosed: () => void;
  /** Called with the method when the server makes a request that is refused to every server. */
  readonly onRefused: (method: string) => void;
}

/** One day: the call's own deadline and signal end it, never the SDK's timeout. */
const NEVER_MS = 86_400_000;
const QUIET_MS = 300;

/**
 * Connects, in whichever protocol revision the server speaks.
 *
 * Offers no client capabilities, so a server's requests to its client (sampling, elicitation, roots) are refused.
 *
 * @throws {Error} if the server does not answer, or is not an MCP server
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
      // The SDK's validators compile a server's schemas into code; the host's are interpreted and bounded.
      jsonSchemaValidator: { getValidator: () => (value) => ({ valid: true, data: value as never, errorMessage: undefined }) },
      listChanged: { tools: { autoRefresh: false, debounceMs: QUIET_MS, onChanged } },
    },
  );
  const state = { isConnected: false, isClosed: false };
  client.onclose = () => {
    state.isClosed = true;
    // Before that, `connect` reports the reason.
    if (state.isConnected) onClosed();
  };
  client.fallbackRequestHandler = ({ method }) => {
    if (!REFUSED.has(method)) return Promise.reject(new sdk.ProtocolError(sdk.ProtocolErrorCode.MethodNotFound, "Method not found"));
    onRefused(method);
    return Promise.reject(new sdk.ProtocolError(sdk.ProtocolErrorCode.MethodNotFound, `bascule refuses ${method} to MCP servers`));
  };
  // A server's mistakes are reported by the call that fails.
  client.onerror = () => {};
  await client.connect(transport, { signal, timeout: timeoutMs });
  if (state.isClosed) throw new Error("The connection was closed");
  state.isConnected = true;
  return client;
}

/** Methods that servers may call on clients that offer them; this client offers none. */
const REFUSED: ReadonlySet<string> = new Set(["elicitation/create", "sampling/createMessage", "roots/list"]);

/** Creates an HTTP transport with the given `fetch`. */
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

/** Maximum pages of a list; a longer list is an error. */
const MAX_PAGES = 20;

/** @throws {Error} if the server does not answer, or its list does not end */
export async function listServerTools(client: McpClient, signal: AbortSignal, timeoutMs: number): Promise<readonly Tool[]> {
  const { tools } = await client.listTools(undefined, { signal, timeout: timeoutMs, cacheMode: "refresh" });
  return tools;
}

/** A server's progress report on a running call. */
interface CallProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/**
 * @throws {ToolFailed} if the server requires something of its client first
 * @throws {Error} an error answer of the server, or of the transport
 */
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
  throw new ToolFailed(`The MCP server requires ${known.join(", ") || "more input"} of its client for this call, which bascule refuses`, {
    details: { refused: known },
  });
}

function isInputRequired(answer: CallToolResult | InputRequiredResult): answer is InputRequiredResult {
  return answer["resultType"] === "input_required";
}
