/**
 * Sends random requests made from the OpenAPI document to a server in memory. Every request must be answered, without a defect, and as
 * the document describes.
 */

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import fc from "fast-check";
import { openApiDocument } from "../../host/doors/http/openapi.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../manifests/mod.ts";
import { httpDoor, type HttpDoorUnderTest, TOKENS } from "../support/http-door.ts";
import { hostTool } from "../support/tools.ts";

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: JsonObject | undefined;
  readonly responses: JsonObject;
}

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly schema: JsonObject;
}

interface Sent {
  readonly path: string;
  readonly token: string | undefined;
  readonly method: string;
  readonly body: unknown;
  readonly fields: Readonly<Record<string, string>>;
}

const document = openApiDocument();
const operations = operationsOf(document);
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ $id: "doc:", ...document });
const validators = new Map<string, ValidateFunction>();

/** Placeholder for an id from an earlier answer. */
const SEEN = "id-seen-before";
/** Existing names, so that some of the requests get far. */
const KNOWN = ["echo", "look", "fail", "nothing", "built-in", "tool", "tool.completed", "read", "/workspace", "-"];
const HOSTILE = [
  "",
  "__proto__",
  "constructor",
  "../../etc/passwd",
  "%2e%2e%2f",
  "\u0000",
  "\u202e",
  "'; --",
  "x".repeat(5_000),
  "💣",
  " ",
  "*",
];
const TEXT = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...KNOWN) },
  { weight: 3, arbitrary: fc.constant(SEEN) },
  fc.constantFrom(...HOSTILE),
  fc.string(),
);

/** Sends `count` requests, one after the other. @returns the problem, if any */
export async function checkHttpRequests(seed: number, count: number): Promise<readonly string[]> {
  const tools = [hostTool("look", { sideEffects: ["read"] }), hostTool("fail", {}, () => Promise.reject(new Error("x")))];
  await using door = await httpDoor({ tools });
  const log: string[] = [];
  const written = door.platform.log.write.bind(door.platform.log);
  door.platform.log.write = (level, message, fields) => {
    if (message === "A request failed" || message === "An HTTP answer failed") log.push(JSON.stringify(fields));
    written(level, message, fields);
  };
  const problems: string[] = [];
  const ids: string[] = [];
  for (const [index, [operation, made]] of fc.sample(REQUEST, { seed, numRuns: count }).entries()) {
    const sent = withId(made, ids[(seed + index) % Math.max(1, ids.length)] ?? SEEN);
    const problem = await checkOne(door, operation, sent, ids);
    if (problem !== undefined) problems.push(`${problem}: ${JSON.stringify(sent)}`);
  }
  return [...problems, ...log];
}

/** Sends one request to a path without parameters. @returns the problem, if any */
export async function checkHttpRequest(sent: Sent): Promise<string | undefined> {
  const operation = operations.find(({ method, path }) => method === sent.method && path === sent.path);
  if (operation === undefined) throw new Error(`Not in the document: ${sent.method} ${sent.path}`);
  await using door = await httpDoor({ tools: [hostTool("look", { sideEffects: ["read"] })] });
  return await checkOne(door, operation, sent, []);
}

/** Returns the same request for an existing or earlier object. */
function withId({ path, body, ...sent }: Sent, id: string): Sent {
  const text = body === undefined ? undefined : JSON.stringify(body).replaceAll(SEEN, id);
  return { ...sent, path: path.replaceAll(SEEN, id), body: text };
}

async function checkOne(door: HttpDoorUnderTest, operation: Operation, sent: Sent, ids: string[]): Promise<string | undefined> {
  const response = await door.request(sent.path, sent);
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("text/event-stream")) {
    await response.body?.cancel();
    return undefined;
  }
  const text = await response.text();
  for (const [, id = ""] of text.matchAll(/"(?:callId|sessionId|turnId|requestId)":"([^"]+)"/g)) if (!ids.includes(id)) ids.push(id);
  if (response.status === 500) return `500 ${text}`;
  if (!type.includes("json")) return type.startsWith("text/plain") ? undefined : `an answer of type ${type}`;
  const described = operation.responses[String(response.status)] ?? operation.responses["default"];
  const schema = described === undefined ? undefined : placeOf(described, type);
  if (schema === undefined) return `${response.status} ${type} is not described`;
  const validate = validatorOf(schema);
  return validate(JSON.parse(text)) ? undefined : `${response.status} is not as described: ${ajv.errorsText(validate.errors)}`;
}

function placeOf(described: JsonValue, type: string): JsonValue | undefined {
  const content = isJsonObject(described) ? described["content"] : undefined;
  const media = content !== undefined && isJsonObject(content) ? content[type.split(";")[0] ?? ""] : undefined;
  return media !== undefined && isJsonObject(media) ? media["schema"] : undefined;
}

function validatorOf(schema: JsonValue): ValidateFunction {
  const key = JSON.stringify(schema);
  const known = validators.get(key) ?? ajv.compile(JSON.parse(key.replaceAll('"#/', '"doc:#/')) as object);
  validators.set(key, known);
  return known;
}

const FIELDS = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  fc.constantFrom<Record<string, string>>(
    { accept: "text/event-stream" },
    { prefer: "respond-async" },
    { "last-event-id": "018cc251-f400-7000-8000-000000000000" },
    { "last-event-id": "x" },
    { "content-type": "text/plain" },
    { traceparent: "00-x" },
  ),
);

const REQUEST: fc.Arbitrary<readonly [Operation, Sent]> = fc.constantFrom(...operations).chain((operation) => {
  const { method, path, parameters, body } = operation;
  return fc
    .record({
      values: fc.tuple(...parameters.map(({ schema }) => fc.oneof({ weight: 4, arbitrary: valueOf(schema) }, TEXT))),
      present: fc.array(fc.boolean(), { minLength: parameters.length, maxLength: parameters.length }),
      extra: fc.oneof({ weight: 9, arbitrary: fc.constant("") }, fc.constant("&x=1")),
      token: fc.oneof(
        { weight: 9, arbitrary: fc.constant(TOKENS.admin) },
        fc.constantFrom<string | undefined>(TOKENS.call, TOKENS.metrics, undefined),
      ),
      given: body === undefined ? fc.constant(undefined) : fc.oneof({ weight: 6, arbitrary: valueOf(body) }, fc.jsonValue(), TEXT),
      fields: FIELDS,
    })
    .map(({ values, present, extra, token, given, fields }): readonly [Operation, Sent] => {
      let place = path;
      const query = new URLSearchParams();
      for (const [index, { name, in: where }] of parameters.entries()) {
        const value = values[index];
        const text = typeof value === "string" ? value : JSON.stringify(value);
        if (where === "path") place = place.replace(`{${name}}`, encodeURIComponent(text.replaceAll(/\p{Cs}/gu, "")));
        else if (present[index] === true) query.append(name, text);
      }
      const search = `${query.toString()}${extra}`;
      const sent = { path: search === "" ? place : `${place}?${search}`, token, method, fields };
      return [operation, { ...sent, ...(method === "POST" ? { body: given ?? {} } : { body: undefined }) }];
    });
});

/** Returns values that mostly match the schema, as far as the schemas of requests go. */
function valueOf(schema: JsonObject): fc.Arbitrary<JsonValue> {
  const { type, properties, items, enum: values, minimum, maximum } = schema;
  if (values !== undefined && isJsonArray(values)) return fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...values) }, TEXT);
  if (properties !== undefined && isJsonObject(properties)) {
    const members = Object.fromEntries(
      Object.entries(properties).map(([name, member]) => [name, valueOf(isJsonObject(member) ? member : {})]),
    );
    const required = isJsonArray(schema["required"]) ? schema["required"].filter((name) => typeof name === "string") : [];
    const wanted = recordOf(members, required);
    return fc.oneof(
      { weight: 8, arbitrary: wanted },
      recordOf(members, []),
      wanted.map((value) => ({ ...value, x: 1 })),
    );
  }
  if (type === "array") return fc.array(valueOf(items !== undefined && isJsonObject(items) ? items : {}), { maxLength: 3 });
  if (type === "boolean") return fc.boolean();
  if (type === "integer" || type === "number") {
    const bounds = {
      min: typeof minimum === "number" ? minimum : -10,
      max: Math.min(typeof maximum === "number" ? maximum : 20_000, 2 ** 31 - 1),
    };
    return fc.oneof({ weight: 8, arbitrary: fc.integer(bounds) }, fc.constantFrom(0, -1, 1e300, 1.5));
  }
  if (type === "string") {
    const least = typeof schema["minLength"] === "number" ? schema["minLength"] : 0;
    return least > 1 ? fc.oneof({ weight: 3, arbitrary: fc.string({ minLength: least, maxLength: 64 }) }, TEXT) : TEXT;
  }
  // For arbitrary values. Normalized through text, like any JSON.
  return fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as JsonValue);
}

function recordOf(members: Readonly<Record<string, fc.Arbitrary<JsonValue>>>, requiredKeys: string[]): fc.Arbitrary<JsonObject> {
  return fc.record(members, { requiredKeys }).map((made) => JSON.parse(JSON.stringify(made)) as JsonObject);
}

function operationsOf({ paths }: JsonObject): readonly Operation[] {
  // The shape of our own document, made by `openapi.ts`.
  const all = Object.entries(paths as Readonly<Record<string, Readonly<Record<string, JsonObject>>>>);
  return all.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Operation => {
      const content = operation["requestBody"] as
        | { readonly content: Readonly<Record<string, { readonly schema: JsonObject }>> }
        | undefined;
      return {
        method: method.toUpperCase(),
        path,
        parameters: (operation["parameters"] ?? []) as unknown as readonly Parameter[],
        body: content?.content["application/json"]?.schema,
        responses: operation["responses"] as JsonObject,
      };
    }),
  );
}
