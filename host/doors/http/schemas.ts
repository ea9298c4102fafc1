/** What requests and answers of `/v1` hold, as TypeBox schemas: requests are checked with them, the OpenAPI document shows them all. */

import { type TObject, type TProperties, type TSchema, type TUnsafe, Type } from "@sinclair/typebox";
import { CONFIRM_MODES, type JsonValue, LIMIT_CEILINGS, PERMISSION_KINDS } from "../../../manifests/mod.ts";
import { ERROR_CODES } from "../../call/errors.ts";
import { LEAST_RESULT_BYTES } from "../../call/result-bytes.ts";
import { PROBLEM_CODES } from "./problem.ts";

/** What answers hold is described, and more may be in it: clients are to ignore what they do not know. */
const some = (properties: TProperties): TObject => Type.Object(properties);
/** What requests hold: nothing else, so that no misspelling goes unnoticed. */
export const closed = (properties: TProperties): TObject => Type.Object(properties, { additionalProperties: false });
export const oneOf = (values: readonly string[], about?: string): TUnsafe<string> =>
  Type.Unsafe<string>({ type: "string", enum: values, ...(about !== undefined && { description: about }) });

export const ANY: TUnsafe<JsonValue> = Type.Unsafe<JsonValue>({});
export const OBJECT: TSchema = Type.Unsafe({ type: "object" });
export const NAME: TSchema = Type.String({ minLength: 1, maxLength: 256 });
export const ID: TSchema = Type.String({ minLength: 1, maxLength: 64 });
const TEXT: TSchema = Type.String();
export const TEXTS: TSchema = Type.Array(TEXT);
const MILLISECONDS: TSchema = Type.Number({ description: "Milliseconds" });
export const TIME: TSchema = Type.Number({ description: "Milliseconds since the epoch" });

export const PROBLEM: TSchema = some({
  type: TEXT,
  title: TEXT,
  status: Type.Integer(),
  code: oneOf(PROBLEM_CODES),
  detail: Type.String({ description: "What was wrong and what to do" }),
  errors: Type.Optional(Type.Array(some({ pointer: TEXT, message: TEXT, keyword: Type.Optional(TEXT) }))),
});

export const CONTEXT: TSchema = closed({
  readOnly: Type.Optional(Type.Boolean({ description: "Nothing that writes, executes or changes system state" })),
  noWeb: Type.Optional(Type.Boolean({ description: "Nothing that uses the network" })),
});

export const SESSION_WISH: TSchema = closed({
  role: Type.Optional(NAME),
  context: Type.Optional(CONTEXT),
  workspace: Type.Optional(Type.String({ minLength: 1, maxLength: 4_096, description: "In the token's workspace; relative to it" })),
  concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 64, description: "Calls at once" })),
  resultBytes: Type.Optional(
    Type.Integer({
      minimum: LEAST_RESULT_BYTES,
      description: "How much of a result the client takes at once; the rest is under /v1/results",
    }),
  ),
  confirmation: Type.Optional(
    closed(Object.fromEntries(["none", "read", "write", "network", "execute"].map((name) => [name, Type.Optional(oneOf(CONFIRM_MODES))]))),
  ),
  allow: Type.Optional(Type.Array(NAME, { maxItems: 256, description: "Only these tools: names, patterns, groups" })),
  deny: Type.Optional(Type.Array(NAME, { maxItems: 256 })),
});

export const SESSION: TSchema = some({
  sessionId: TEXT,
  role: Type.Optional(TEXT),
  workspace: TEXT,
  concurrency: Type.Integer(),
  openedAt: TIME,
  running: Type.Integer(),
  waiting: Type.Integer(),
});

const CALL_MEMBERS = {
  tool: NAME,
  args: Type.Optional(ANY),
  callId: Type.Optional(
    Type.String({ minLength: 8, maxLength: 64, description: "A repeat with the same id, tool and arguments runs nothing again" }),
  ),
  timeoutMs: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMIT_CEILINGS.wallMs })),
};

export const CALL: TSchema = closed({
  ...CALL_MEMBERS,
  sessionId: Type.Optional(ID),
  dryRun: Type.Optional(Type.Boolean({ description: "Change nothing: the result's `dryRun` says what would have changed" })),
  wait: Type.Optional(Type.Boolean({ description: "Wait while a person is asked, in place of an answer with status pending_approval" })),
});

export const TURN: TSchema = closed({
  calls: Type.Array(closed(CALL_MEMBERS), { minItems: 1, maxItems: 64 }),
  mode: Type.Optional(oneOf(["direct", "chain"], "Default `direct`")),
  sequential: Type.Optional(Type.Boolean({ description: "One after the other" })),
  parallelMutations: Type.Optional(Type.Boolean({ description: "Of a chain: steps that change something run beside others too" })),
  wait: Type.Optional(Type.Boolean({ description: "Wait while a person is asked" })),
});

const CONTENTS: TSchema = some({ bytes: Type.Integer(), sha256: Type.Optional(TEXT) });
export const DRY_RUN: TSchema = some({
  changes: Type.Array(
    some({
      kind: oneOf(["created", "modified", "deleted", "renamed"]),
      path: TEXT,
      type: oneOf(["file", "directory", "symlink", "other"]),
      from: Type.Optional(TEXT),
      before: Type.Optional(CONTENTS),
      after: Type.Optional(CONTENTS),
      mode: Type.Optional(TEXT),
      diff: Type.Optional(Type.String({ description: "Unified" })),
    }),
  ),
  moreChanges: Type.Optional(Type.Integer()),
  held: Type.Array(some({ method: TEXT, url: TEXT, bytes: Type.Integer() }), { description: "Requests that were not sent" }),
  moreHeld: Type.Optional(Type.Integer()),
  hash: Type.String({ description: "Of all of it; a commit repeats it" }),
  canCommit: Type.Boolean(),
});

const STEP: TSchema = some({ index: Type.Integer(), callId: TEXT, tool: TEXT, depth: Type.Integer(), ok: Type.Boolean() });
/** How the calls of a chain were run. */
export const TOOL_CHAIN: TSchema = some({
  chainId: TEXT,
  modeRequested: oneOf(["parallel", "sequential"]),
  modeUsed: oneOf(["parallel", "sequential"]),
  fallbackToSeq: Type.Boolean(),
  parallelMutationsEnabled: Type.Boolean(),
  waves: Type.Array(Type.Array(Type.Integer()), { description: "Indexes of the steps that ran together, in order" }),
  steps: Type.Array(STEP),
});

export const RESULT: TSchema = some({
  callId: TEXT,
  tool: TEXT,
  arguments: ANY,
  plugin: Type.Optional(TEXT),
  digest: Type.Optional(TEXT),
  ok: Type.Boolean(),
  requiresApproval: Type.Boolean(),
  status: oneOf(["success", "error", "pending_approval"]),
  output: ANY,
  content: Type.Array(OBJECT),
  error: Type.Optional(
    some({ code: oneOf(ERROR_CODES), message: TEXT, visible: Type.Boolean(), details: Type.Optional(OBJECT), hint: Type.Optional(OBJECT) }),
  ),
  sideEffects: TEXTS,
  filesModified: TEXTS,
  unfinished: Type.Optional(Type.Array(TEXT, { description: "Operations that had not ended 5 s after the call did" })),
  route: Type.Optional(TEXT),
  durationMs: MILLISECONDS,
  limitsUsed: OBJECT,
  decision: Type.Optional({ ...OBJECT, description: "Its `grants` are there for admins only" }),
  metadata: OBJECT,
  dryRun: Type.Optional(DRY_RUN),
  truncated: Type.Optional(
    Type.Array(OBJECT, { description: "Parts that were too large for the session; `handle` is for /v1/results/{handle}" }),
  ),
});

/** Of a result that was too large. */
export const RANGE_QUERY: TSchema = closed({
  offset: Type.Optional(Type.Integer({ minimum: 0, description: "Bytes of UTF-8" })),
  length: Type.Optional(Type.Integer({ minimum: 1, maximum: 262_144, description: "Bytes of UTF-8; default 256 KiB" })),
});

export const RESULT_PART: TSchema = some({
  text: TEXT,
  offset: Type.Integer(),
  totalBytes: Type.Integer(),
  nextOffset: Type.Optional(Type.Integer({ description: "Where to read on; absent at the end" })),
});

export const COMMIT: TSchema = closed({
  hash: Type.String({ minLength: 1, maxLength: 256, description: "Of the dry run that was shown" }),
  wait: Type.Optional(Type.Boolean({ description: "Where a person has to agree: ask, and wait for the answer" })),
});

/** What came of committing a dry run. */
export const COMMITTED: TSchema = some({
  ok: Type.Boolean(),
  callId: TEXT,
  filesModified: TEXTS,
  code: Type.Optional(oneOf(["failed"], "Not all of it was done: `filesModified` was")),
  message: Type.Optional(TEXT),
});

export const RUNNING: TSchema = some({
  callId: TEXT,
  sessionId: TEXT,
  turnId: Type.Optional(TEXT),
  tool: TEXT,
  status: oneOf(["running"]),
  startedAt: TIME,
});

export const TURN_STATE: TSchema = some({
  turnId: TEXT,
  sessionId: TEXT,
  status: oneOf(["running", "ended"]),
  callIds: TEXTS,
  results: Type.Optional(Type.Array(RESULT, { description: "In the order of the calls, when the turn has ended" })),
  toolChains: Type.Optional(
    Type.Array(TOOL_CHAIN, { description: "The turn itself, if it was sent as a chain, and one for each of its calls that called others" }),
  ),
});

export const CONFIRMATION: TSchema = some({
  sessionId: TEXT,
  turnId: Type.Optional(TEXT),
  owner: Type.Optional(TEXT),
  askedAt: TIME,
  expiresAt: TIME,
  request: some({
    requestId: TEXT,
    callId: TEXT,
    tool: TEXT,
    plugin: Type.Optional(TEXT),
    digest: Type.Optional(TEXT),
    args: ANY,
    largeArguments: Type.Optional(
      some({
        bytes: Type.Integer({ description: "Of the arguments as canonical JSON: `args` and `projectedModifications` are an outline" }),
        sha256: TEXT,
      }),
    ),
    class: TEXT,
    destructive: Type.Boolean(),
    projectedModifications: TEXTS,
    hash: Type.String({ description: "Of what is asked; the answer repeats it" }),
  }),
});

export const ANSWER: TSchema = closed({
  approve: Type.Boolean(),
  hash: Type.String({ minLength: 1, maxLength: 256, description: "Of the question that was shown" }),
});

export const TOOL: TSchema = some({
  name: TEXT,
  qualifiedName: TEXT,
  yieldsTo: Type.Optional(Type.String({ description: "Whose the bare name is, if that is another's" })),
  source: TEXT,
  title: Type.Optional(TEXT),
  description: TEXT,
  class: TEXT,
  sideEffects: TEXTS,
  assumed: Type.Optional(Type.Literal(true, { description: "The manifest declares no side effects: these are assumed" })),
  destructive: Type.Boolean(),
  inputSchema: OBJECT,
  outputSchema: Type.Optional(OBJECT),
  checks: Type.Optional(
    Type.Object(
      { inputSchema: OBJECT, outputSchema: Type.Optional(OBJECT) },
      { description: "What the host itself checks, where the schemas are the source's own and say more" },
    ),
  ),
  mcp: Type.Optional(
    Type.Record(TEXT, Type.Unknown(), { description: "What an MCP server says of its tool beside that: annotations, icons, _meta" }),
  ),
  unavailable: Type.Optional(TEXT),
});

/** Differences that wait for a person, in words. */
export const CHANGE_WORDS: TSchema = Type.Array(
  some({
    sign: oneOf(["+", "-", "~", "…"]),
    what: TEXT,
    from: Type.Optional(TEXT),
    to: Type.Optional(TEXT),
    widens: Type.Boolean({ description: "It can do more than before" }),
  }),
  { description: "The changes for a person, in the same order" },
);

export const PLUGIN: TSchema = some({
  name: TEXT,
  state: oneOf(["loaded", "stale", "disabled", "failed", "quarantined", "ignored"]),
  directory: Type.Optional(TEXT),
  version: Type.Optional(TEXT),
  description: Type.Optional(TEXT),
  digest: Type.Optional(TEXT),
  tools: Type.Array(TOOL),
  problems: Type.Array(OBJECT),
  requested: OBJECT,
  granted: OBJECT,
  missing: OBJECT,
  limits: Type.Array(
    some({
      limit: TEXT,
      asked: Type.Integer(),
      allowed: Type.Integer(),
      by: Type.Optional(oneOf(["consent", "policy"])),
      text: TEXT,
    }),
    { description: "Limits that it asks to be above the defaults; `by` says who can allow more: accepting the plugin, or a rule" },
  ),
  held: Type.Optional(
    some({
      version: TEXT,
      digest: TEXT,
      changes: Type.Array(OBJECT),
      words: Type.Optional(CHANGE_WORDS),
    }),
  ),
});

export const GRANT: TSchema = some({ plugin: TEXT, permissions: OBJECT });

export const WHY_QUERY: TSchema = closed({
  name: NAME,
  kind: Type.Optional(oneOf(PERMISSION_KINDS)),
  value: Type.Optional(Type.String({ maxLength: 4_096 })),
  role: Type.Optional(NAME),
  readOnly: Type.Optional(Type.Boolean()),
  noWeb: Type.Optional(Type.Boolean()),
});

export const AUDIT_QUERY: TSchema = closed({
  text: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
  type: Type.Optional(NAME),
  tool: Type.Optional(NAME),
  plugin: Type.Optional(NAME),
  callId: Type.Optional(ID),
  sessionId: Type.Optional(ID),
  since: Type.Optional(Type.Integer({ minimum: 0 })),
  until: Type.Optional(Type.Integer({ minimum: 0 })),
  before: Type.Optional(Type.Integer({ minimum: 0, description: "Only events with a lower `number`: to page back" })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
});

/** A list under a name. */
export const listed = (name: string, item: TSchema): TSchema => some({ [name]: Type.Array(item) });
export { some, TEXT };
