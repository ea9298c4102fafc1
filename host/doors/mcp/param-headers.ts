/**
 * Checks arguments that clients of the current revision repeat in headers, as the tool's schema requires with `x-mcp-header`
 * (SEP-2243). Proxies read the headers, so header and argument must agree.
 */

import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "../../../manifests/mod.ts";

import type { McpClient } from "./client.ts";
import { failure } from "./http-sessions.ts";
import type { LargeInputs } from "./large-inputs.ts";

/** A repeated argument: its path of names and its header. */
interface Repeated {
  readonly path: readonly string[];
  readonly header: string;
}

const TYPES: ReadonlySet<unknown> = new Set(["string", "integer", "number", "boolean"]);
/** A token of RFC 9110 §5.6.2. */
const TOKEN = /^[\w!#$%&'*+\-.^`|~]+$/;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;
const WRAPPED = /^=\?base64\?(.*)\?=$/s;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Error code of the protocol's specification. */
const HEADER_MISMATCH = -32_020;

const KNOWN = new WeakMap<JsonSchema, readonly Repeated[]>();

/** Returns an error answer if the headers of a call differ from its arguments; undefined if they agree, and for other requests. */
export async function refuseMismatch(
  request: Request,
  client: McpClient,
  inputs: Pick<LargeInputs, "look">,
): Promise<Response | undefined> {
  // The SDK refuses a call whose headers lack its method and name.
  const name = request.headers.get("mcp-method") === "tools/call" ? decodeHeader(request.headers.get("mcp-name") ?? "") : undefined;
  if (name === undefined) return undefined;
  const known = await client.known();
  const qualified = await client.qualifiedName(name);
  const listing = known.get(name) ?? [...known.values()].find(({ qualifiedName }) => qualifiedName === qualified);
  const repeated = listing === undefined ? [] : repeatedIn(listing.inputSchema);
  if (repeated.length === 0) return undefined;
  const message = await readMessage(request);
  const args = message && isJsonObject(message["params"]) ? message["params"]["arguments"] : undefined;
  const wrong = isJsonObject(args) ? checkParamHeaders(repeated, inputs.look(args), request.headers) : undefined;
  return wrong === undefined ? undefined : failure(400, HEADER_MISMATCH, wrong, message?.["id"]);
}

/** Reads a message. Returns undefined if the body is not one; the SDK then refuses it. */
async function readMessage(request: Request): Promise<JsonObject | undefined> {
  try {
    // The value came from JSON.parse, so it is JSON.
    const message = (await request.clone().json()) as JsonValue;
    return isJsonObject(message) ? message : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Returns the repeated arguments of a tool: properties and nested properties. Cached per schema. */
function repeatedIn(schema: JsonSchema): readonly Repeated[] {
  const known = KNOWN.get(schema);
  if (known !== undefined) return known;
  // A listed schema may go beyond the supported subset, but it is JSON.
  const found = [...repeatedBelow(schema as JsonObject, [])];
  KNOWN.set(schema, found);
  return found;
}

function* repeatedBelow(schema: JsonObject, path: readonly string[]): Generator<Repeated, void> {
  const { properties } = schema;
  if (properties === undefined || !isJsonObject(properties)) return;
  for (const [name, property] of Object.entries(properties)) {
    if (!isJsonObject(property)) continue;
    const header = property["x-mcp-header"];
    if (typeof header === "string" && TOKEN.test(header) && TYPES.has(property["type"]))
      yield { path: [...path, name], header: `Mcp-Param-${header}` };
    yield* repeatedBelow(property, [...path, name]);
  }
}

/** Returns why the headers differ from the arguments; undefined if they agree. Absent arguments need no header. */
function checkParamHeaders(repeated: readonly Repeated[], args: JsonObject, headers: Headers): string | undefined {
  for (const { path, header } of repeated) {
    const value = path.reduce<JsonValue | undefined>(
      (at, name) => (at !== undefined && isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined),
      args,
    );
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") continue;
    const said = headers.get(header);
    if (said === null) return `Missing header ${header} for the argument "${path.join(".")}"`;
    const decoded = decodeHeader(said);
    if (decoded === undefined) return `The header ${header} is not valid Base64`;
    const isSame = typeof value === "number" && DECIMAL.test(decoded) ? Number(decoded) === value : decoded === String(value);
    if (!isSame) return `The header ${header} differs from the argument "${path.join(".")}"`;
  }
  return undefined;
}

/** Decodes a header's value, which may be `=?base64?…?=` of UTF-8. Returns undefined if the Base64 or UTF-8 is invalid. */
function decodeHeader(value: string): string | undefined {
  const wrapped = WRAPPED.exec(value)?.[1];
  if (wrapped === undefined) return value;
  if (!BASE64.test(wrapped)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(atob(wrapped), (char) => char.charCodeAt(0)));
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
