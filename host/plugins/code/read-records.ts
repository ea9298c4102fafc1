/** Reads the records of `defineTool`: loads the plugin in the sandbox, without any permission, and asks the loaded module (SPEC AX1). */

import {
  DEFAULT_LIMITS,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  MANIFEST_BOUNDS,
  parseJson,
} from "../../../manifests/mod.ts";
import type { InvocationOutput, Sandbox } from "../../../sandbox/mod.ts";
import { digestFiles } from "../../primitives/digest.ts";
import { type Candidate, type CodeTool, RECORD_FIELDS } from "./code-tool.ts";
import type { CodePlace, CodeProblem } from "./syntax.ts";
import { nearestName } from "../../tools/nearest.ts";

/** Tools of the loaded module, or why they cannot be read. */
interface RecordReading {
  readonly tools: readonly CodeTool[];
  readonly problems: readonly CodeProblem[];
}

interface RecordRequest {
  readonly sandbox: Sandbox;
  /** Every file of the plugin, by path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly main: string;
  readonly candidates: readonly Candidate[];
  readonly signal: AbortSignal;
}

const PROBE = "bascule-read-tools.js";

/** Runs in the guest. What it returns is the plugin's claim, and is read as such. */
const PROBE_SOURCE = (main: string): string => `import * as main from ${JSON.stringify(`./${main}`)};

export const read = (names) => names.map((name) => {
  const value = main[name];
  const tool = typeof value === "function" ? value.tool : undefined;
  if (typeof tool !== "object" || tool === null) return { kind: typeof value === "function" ? "function" : "other" };
  const { input, output, run, ...fields } = tool;
  return { kind: "tool", fields: plain(fields), input: describe(input, "input"), output: describe(output, "output") };
});

function describe(schema, way) {
  if (schema === undefined || schema === null) return {};
  const standard = schema["~standard"];
  try {
    const converter = standard?.jsonSchema?.[way];
    if (typeof converter === "function") return { schema: plain(converter.call(standard.jsonSchema, { target: "draft-2020-12" })) };
    const method = schema.toJSONSchema ?? schema.toJsonSchema;
    if (typeof method === "function") return { schema: plain(method.call(schema, { io: way })) };
  } catch (error) {
    return { reason: String(error?.message ?? error) };
  }
  return standard === undefined ? { schema: plain(schema) } : { library: String(standard.vendor) };
}

function plain(value) {
  return JSON.parse(JSON.stringify(value) ?? "null");
}
`;

/** Reads the tools among the candidates. A plugin that does not load is a problem at the line of its error. */
export async function readRecords(request: RecordRequest): Promise<RecordReading> {
  const { candidates } = request;
  const told = await ask(request);
  if ("message" in told) return { tools: [], problems: [told] };
  const read = candidates.map((candidate, index) => readOne(candidate, told[index]));
  return { tools: read.flatMap(({ tool }) => tool ?? []), problems: read.flatMap(({ problems }) => problems) };
}

async function ask({ sandbox, files, main, candidates, signal }: RecordRequest): Promise<readonly JsonValue[] | CodeProblem> {
  const source = PROBE_SOURCE(main);
  const all = new Map([...files, [PROBE, new TextEncoder().encode(source)]]);
  const digest = await digestFiles(all);
  const loaded = await sandbox.load({
    name: "code",
    digest,
    files: all,
    modules: new Map([[PROBE, ["read"]]]),
    memoryBytes: DEFAULT_LIMITS.memoryBytes,
    loadMs: DEFAULT_LIMITS.loadMs,
  });
  const inMain: CodePlace = { file: main, line: 1, column: 1 };
  if (!loaded.ok) {
    const { message, file, line, column } = loaded.fault;
    const place = file === undefined || file === PROBE || line === undefined ? inMain : { file, line, column: column ?? 1 };
    return {
      ...place,
      message: `The code does not load: ${message}`,
      fix: "correct it; tools of defineTool are read from the loaded module",
    };
  }
  const outcome = await sandbox.invoke({
    callId: "code",
    digest,
    module: PROBE,
    export: "read",
    args: candidates.map((candidate) => candidate.export),
    contextText: "{}",
    limits: DEFAULT_LIMITS,
    hostCall: () => Promise.resolve({ ok: false, error: { name: "NotCapable", message: "Tools are read without permissions" } }),
    onLogs: () => {},
    signal,
  });
  sandbox.unload(digest);
  if (!outcome.ok)
    return {
      ...inMain,
      message: `The tools cannot be read: ${"message" in outcome.fault ? outcome.fault.message : outcome.fault.kind}`,
      fix: "correct the schemas",
    };
  const told = toldBy(outcome);
  return isJsonArray(told) ? told : { ...inMain, message: "The tools' schemas are too large", fix: "make them smaller" };
}

/** Returns what the probe returned; a large value crosses as bytes. */
function toldBy({ output, parts }: InvocationOutput): JsonValue | undefined {
  const whole = parts?.find(({ at }) => at === "output");
  if (whole === undefined) return isJsonObject(output) ? output["o"] : undefined;
  const parsed = parseJson(new TextDecoder().decode(whole.bytes.subarray(0, MANIFEST_BOUNDS.maxBytes + 1)), MANIFEST_BOUNDS);
  return parsed.ok ? parsed.value.value : undefined;
}

interface ReadRecord {
  readonly tool?: CodeTool;
  readonly problems: readonly CodeProblem[];
}

function readOne(candidate: Candidate, told: JsonValue | undefined): ReadRecord {
  const { places, export: name } = candidate;
  const problems: CodeProblem[] = [];
  const refuse = (pointer: string, message: string, fix: string): void => {
    const place = places.get(pointer) ?? places.get("") ?? { file: "", line: 1, column: 1 };
    problems.push({ ...place, message, fix });
  };
  const record = isJsonObject(told) ? told : {};
  if (record["kind"] === "function")
    refuse(
      "",
      `The types of the exported function "${name}" cannot be read`,
      "write a function, or defineTool({ … }), or @internal in a doc comment",
    );
  if (record["kind"] !== "tool") return { problems };
  const fields = fieldsOf(record["fields"], refuse);
  for (const [key, field] of RECORD_FIELDS) {
    const schema = schemaOf(record[key], (message, fix) => refuse(`/${field}`, message, fix));
    if (schema !== undefined) fields.set(field, schema);
  }
  if (!fields.has("description") && candidate.description !== "") fields.set("description", candidate.description);
  if (!fields.has("description")) refuse("", `The tool "${name}" has no description`, 'write "description" in defineTool({ … })');
  if (!fields.has("inputSchema") && problems.length === 0)
    refuse("", `The tool "${name}" has no schema of its arguments`, 'write "input" in defineTool({ … })');
  const { name: tool, ...rest } = Object.fromEntries(fields);
  if (problems.length > 0) return { problems };
  return { problems, tool: { export: name, ...(typeof tool === "string" && tool !== name && { name: tool }), fields: rest, places } };
}

/** Fields of the manifest's tool that a record may declare. Permissions are not among them: only the manifest requests them. */
const FIELDS: readonly string[] = [
  "name",
  "title",
  "description",
  "category",
  "tags",
  "sideEffects",
  "destructive",
  "determinism",
  "idempotent",
  "requires",
  "timeoutMs",
  "callers",
  "visibility",
  "annotations",
];

/** Unknown members that are reported of one tool: a name like each is searched on the host's thread. */
const MAX_UNKNOWN = 10;

function fieldsOf(value: JsonValue | undefined, refuse: (pointer: string, message: string, fix: string) => void): Map<string, JsonValue> {
  const fields = new Map(Object.entries(isJsonObject(value) ? value : {}));
  const unknown = [...fields.keys()].filter((key) => !FIELDS.includes(key));
  for (const key of unknown) fields.delete(key);
  for (const key of unknown.slice(0, MAX_UNKNOWN)) {
    if (key === "permissions") refuse(`/${key}`, "Permissions are not written from code", "request them in manifest.json");
    else {
      const near = nearestName(key, [...FIELDS, "input", "output", "run"]);
      refuse(`/${key}`, `Unknown member "${key.slice(0, 64)}"`, near === undefined ? "remove it" : `did you mean "${near}"?`);
    }
  }
  return fields;
}

function schemaOf(value: JsonValue | undefined, refuse: (message: string, fix: string) => void): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined;
  const { schema, reason, library } = value;
  if (typeof reason === "string") refuse(`The schema has no JSON Schema: ${reason}`, "use only types that JSON has");
  else if (typeof library === "string")
    refuse(
      `The schema of "${library}" offers no JSON Schema`,
      LIBRARIES.get(library) ?? "write a JSON Schema, or use a library with Standard JSON Schema",
    );
  else if (schema !== undefined && !isJsonObject(schema))
    refuse("The schema is not an object", 'write an object such as { type: "object", properties: {} }');
  if (!isJsonObject(schema)) return undefined;
  const { $schema: _draft, ...rest } = schema;
  return rest;
}

const LIBRARIES: ReadonlyMap<string, string> = new Map([
  ["zod", "update zod to 4.2 or later"],
  ["valibot", 'wrap it in toStandardJsonSchema( ) of "@valibot/to-json-schema"'],
  ["arktype", "update arktype to 2.2 or later"],
]);
