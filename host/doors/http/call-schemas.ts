/** TypeBox schemas of sessions, calls, turns and results of `/v1`. */

import { type TSchema, Type } from "@sinclair/typebox";
import { CONFIRM_MODES, LIMIT_CEILINGS } from "../../../manifests/mod.ts";
import { ERROR_CODES } from "../../call/errors.ts";
import { LEAST_RESULT_BYTES } from "../../call/result-bytes.ts";
import { ANY, closed, ID, MILLISECONDS, NAME, OBJECT, oneOf, some, TEXT, TEXTS, TIME } from "./schema-parts.ts";

const CONTEXT: TSchema = closed({
  readOnly: Type.Optional(Type.Boolean({ description: "Excludes tools that write, execute or change system state" })),
  noWeb: Type.Optional(Type.Boolean({ description: "Excludes tools that use the network" })),
});

export const SESSION_WISH: TSchema = closed({
  role: Type.Optional(NAME),
  context: Type.Optional(CONTEXT),
  workspace: Type.Optional(
    Type.String({ minLength: 1, maxLength: 4_096, description: "A folder in the token's workspace, relative to it" }),
  ),
  concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 64, description: "Maximum concurrent calls" })),
  resultBytes: Type.Optional(
    Type.Integer({
      minimum: LEAST_RESULT_BYTES,
      description: "Maximum bytes of a result; cut parts can be read at /v1/results",
    }),
  ),
  confirmation: Type.Optional(
    closed(Object.fromEntries(["none", "read", "write", "network", "execute"].map((name) => [name, Type.Optional(oneOf(CONFIRM_MODES))]))),
  ),
  allow: Type.Optional(Type.Array(NAME, { maxItems: 256, description: "Only these tools: names, patterns or groups" })),
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
    Type.String({ minLength: 8, maxLength: 64, description: "A repeat with the same id, tool and arguments does not run the call again" }),
  ),
  timeoutMs: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMIT_CEILINGS.wallMs })),
};

export const CALL: TSchema = closed({
  ...CALL_MEMBERS,
  sessionId: Type.Optional(ID),
  dryRun: Type.Optional(Type.Boolean({ description: "Change nothing; the result's `dryRun` lists the changes the call would make" })),
  wait: Type.Optional(Type.Boolean({ description: "Wait for a confirmation instead of answering with status pending_approval" })),
});

export const TURN: TSchema = closed({
  calls: Type.Array(closed(CALL_MEMBERS), { minItems: 1, maxItems: 64 }),
  mode: Type.Optional(oneOf(["direct", "chain"], "Default `direct`")),
  sequential: Type.Optional(Type.Boolean({ description: "Run the calls one after the other" })),
  parallelMutations: Type.Optional(Type.Boolean({ description: "In a chain, also run steps with side effects in parallel" })),
  wait: Type.Optional(Type.Boolean({ description: "Wait for confirmations" })),
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
      diff: Type.Optional(Type.String({ description: "Unified diff" })),
    }),
  ),
  moreChanges: Type.Optional(Type.Integer()),
  held: Type.Array(some({ method: TEXT, url: TEXT, bytes: Type.Integer() }), { description: "Requests that were not sent" }),
  moreHeld: Type.Optional(Type.Integer()),
  hash: Type.String({ description: "Hash of the report, to be sent with a commit" }),
  canCommit: Type.Boolean(),
});

const STEP: TSchema = some({ index: Type.Integer(), callId: TEXT, tool: TEXT, depth: Type.Integer(), ok: Type.Boolean() });
/** How the calls of a chain ran. */
const TOOL_CHAIN: TSchema = some({
  chainId: TEXT,
  modeRequested: oneOf(["parallel", "sequential"]),
  modeUsed: oneOf(["parallel", "sequential"]),
  fallbackToSeq: Type.Boolean(),
  parallelMutationsEnabled: Type.Boolean(),
  waves: Type.Array(Type.Array(Type.Integer()), { description: "Indexes of the steps that ran in parallel, in order" }),
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
  unfinished: Type.Optional(Type.Array(TEXT, { description: "Operations that were still running 5 s after the call ended" })),
  route: Type.Optional(TEXT),
  durationMs: MILLISECONDS,
  limitsUsed: OBJECT,
  decision: Type.Optional({ ...OBJECT, description: "`grants` is present for admins only" }),
  metadata: OBJECT,
  dryRun: Type.Optional(DRY_RUN),
  truncated: Type.Optional(
    Type.Array(OBJECT, { description: "Parts that were too large for the session; read them at /v1/results/{handle}" }),
  ),
});

/** Range of a cut part of a result. */
export const RANGE_QUERY: TSchema = closed({
  offset: Type.Optional(Type.Integer({ minimum: 0, description: "Offset in bytes of UTF-8" })),
  length: Type.Optional(Type.Integer({ minimum: 1, maximum: 262_144, description: "Length in bytes of UTF-8; default 256 KiB" })),
});

export const RESULT_PART: TSchema = some({
  text: TEXT,
  offset: Type.Integer(),
  totalBytes: Type.Integer(),
  nextOffset: Type.Optional(Type.Integer({ description: "Offset of the next range; absent at the end" })),
});

export const COMMIT: TSchema = closed({
  hash: Type.String({ minLength: 1, maxLength: 256, description: "Hash of the dry run that was shown" }),
  wait: Type.Optional(Type.Boolean({ description: "If the user has to confirm, ask and wait for the answer" })),
});

/** Outcome of committing a dry run. */
export const COMMITTED: TSchema = some({
  ok: Type.Boolean(),
  callId: TEXT,
  filesModified: TEXTS,
  code: Type.Optional(oneOf(["failed"], "Only the changes in `filesModified` were made")),
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
  results: Type.Optional(Type.Array(RESULT, { description: "Results in the order of the calls, once the turn has ended" })),
  toolChains: Type.Optional(
    Type.Array(TOOL_CHAIN, { description: "The turn, if sent as a chain, and one chain for each call that made nested calls" }),
  ),
});
