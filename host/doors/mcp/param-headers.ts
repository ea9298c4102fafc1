/**
 * Arguments that clients of the current revision repeat in headers, because the tool's schema says so with `x-mcp-header` (SEP-2243): what
 * stands between reads the headers, so both have to say the same.
 */

import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from "../../../manifests/mod.ts";

import type { McpClient } from "./client.ts";
import { failure } from "./http-sessions.ts";
import type { LargeInputs } from "./large-inputs.ts";

/** An argument, by the names that lead to it. */
interface Repeated {
  readonly path: readonly string[];
  readonly header: string;
}

const TYPES: ReadonlySet<unknown> = new Set(["string", "integer", "number", "boolean"]);
/** RFC 9110 §5.6.2. */
const TOKEN = /^[\w!#$%&'*+\-.^`|~]+$/;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;
const WRAPPED = /^=\?base64\?(.*)\?=$/s;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The error's code in the protocol's specification. */
const HEADER_MISMATCH = -32_020;

const KNOWN = new WeakMap<JsonSchema, readonly Repeated[]>();

/** The answer to a call whose headers do not go with its arguments; undefined if they do, and for any other request. */
export async function refuseMismatch(
  request: Request,
  client: McpClient,
  inputs: Pick<LargeInputs, "look">,
): Promise<Response | undefined> {
  // The SDK refuses a call whose method and name its headers do not say.
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

/** Undefined for what is no message: the SDK says so. */
async function readMessage(request: Request): Promise<JsonObject | undefined> {
  try {
    // The value comes out of JSON.parse, so it is JSON.
    const message = (await request.clone().json()) as JsonValue;
    return isJsonObject(message) ? message : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A tool's arguments that are repeated: properties, and properties of these. Found once for each schema. */
function repeatedIn(schema: JsonSchema): readonly Repeated[] {
  const known = KNOWN.get(schema);
  if (known !== undefined) return known;
  // A listed schema may be in words of its own; it is JSON.
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

/** Why a request's headers do not go with its arguments; undefined if they do. Only what is an argument has to be a header. */
function checkParamHeaders(repeated: readonly Repeated[], args: JsonObject, headers: Headers): string | undefined {
  for (const { path, header } of repeated) {
    const value = path.reduce<JsonValue | undefined>(
      (at, name) => (at !== undefined && isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined),
      args,
    );
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") continue;
    const said = headers.get(header);
    if (said === null) return `The argument "${path.join(".")}" is there, and the header ${header} is missing`;
    const decoded = decodeHeader(said);
    if (decoded === undefined) return `The header ${header} is not valid Base64`;
    const isSame = typeof value === "number" && DECIMAL.test(decoded) ? Number(decoded) === value : decoded === String(value);
    if (!isSame) return `The header ${header} says something other than the argument "${path.join(".")}"`;
  }
  return undefined;
}

/** A header's value, which may be `=?base64?…?=` of UTF-8; undefined if it says so and is none. */
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
