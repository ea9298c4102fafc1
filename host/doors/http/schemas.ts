/** TypeBox schemas of the requests and answers of `/v1`. Requests are checked with them, and the OpenAPI document contains them. */

import { type TSchema, Type } from "@sinclair/typebox";
import { PERMISSION_KINDS } from "../../../manifests/mod.ts";
import { ANSWER_SCOPES, MAX_REASON_LENGTH } from "../../confirmations/pending.ts";
import { PROBLEM_CODES } from "./problem.ts";
import { ANY, closed, ID, NAME, OBJECT, oneOf, some, TEXT, TEXTS, TIME } from "./schema-parts.ts";

export const PROBLEM: TSchema = some({
  type: TEXT,
  title: TEXT,
  status: Type.Integer(),
  code: oneOf(PROBLEM_CODES),
  detail: Type.String({ description: "What is wrong and what to do" }),
  errors: Type.Optional(Type.Array(some({ pointer: TEXT, message: TEXT, keyword: Type.Optional(TEXT) }))),
});

export const CONFIRMATION: TSchema = some({
  sessionId: TEXT,
  turnId: Type.Optional(TEXT),
  owner: Type.Optional(TEXT),
  askedAt: TIME,
  expiresAt: TIME,
  scopes: Type.Array(oneOf(ANSWER_SCOPES), { description: "Scopes that an approval can have" }),
  request: some({
    requestId: TEXT,
    callId: TEXT,
    tool: TEXT,
    plugin: Type.Optional(TEXT),
    digest: Type.Optional(TEXT),
    args: ANY,
    largeArguments: Type.Optional(
      some({
        bytes: Type.Integer({
          description: "Size of the arguments as canonical JSON; `args` and `projectedModifications` are only an outline",
        }),
        sha256: TEXT,
      }),
    ),
    class: TEXT,
    destructive: Type.Boolean(),
    projectedModifications: TEXTS,
    hash: Type.String({ description: "Hash of the confirmation, to be sent with the answer" }),
  }),
});

export const ANSWER: TSchema = closed({
  approve: Type.Boolean(),
  hash: Type.String({ minLength: 1, maxLength: 256, description: "Hash of the confirmation that was shown" }),
  scope: Type.Optional(
    oneOf(
      ANSWER_SCOPES,
      "How long an approval holds: for this call (default), for the session, or always, which stores a grant for exactly the shown permission when the call has ended",
    ),
  ),
  reason: Type.Optional(
    Type.String({ minLength: 1, maxLength: MAX_REASON_LENGTH, description: "Reason for a denial, which the caller is told" }),
  ),
});

export const TOOL: TSchema = some({
  name: TEXT,
  qualifiedName: TEXT,
  yieldsTo: Type.Optional(Type.String({ description: "Owner of the bare name, if it is another plugin or source" })),
  source: TEXT,
  title: Type.Optional(TEXT),
  description: TEXT,
  class: TEXT,
  sideEffects: TEXTS,
  assumed: Type.Optional(Type.Literal(true, { description: "The manifest declares no side effects; these are assumed" })),
  destructive: Type.Boolean(),
  inputSchema: OBJECT,
  outputSchema: Type.Optional(OBJECT),
  checks: Type.Optional(
    Type.Object(
      { inputSchema: OBJECT, outputSchema: Type.Optional(OBJECT) },
      { description: "Schemas that the host checks, if the source's own schemas go beyond the supported subset" },
    ),
  ),
  mcp: Type.Optional(
    Type.Record(TEXT, Type.Unknown(), { description: "Further members of an MCP server's tool definition: annotations, icons, _meta" }),
  ),
  unavailable: Type.Optional(TEXT),
});

/** Changes that wait for the user, as text. */
export const CHANGE_WORDS: TSchema = Type.Array(
  some({
    sign: oneOf(["+", "-", "~", "…"]),
    what: TEXT,
    from: Type.Optional(TEXT),
    to: Type.Optional(TEXT),
    widens: Type.Boolean({ description: "The change lets the plugin do more than before" }),
  }),
  { description: "The changes as text for the user, in the same order" },
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
    { description: "Limits requested above the defaults; `by` tells what can raise them: accepting the plugin, or a policy rule" },
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
  before: Type.Optional(Type.Integer({ minimum: 0, description: "Only events with a lower `number`, to page back" })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
  brief: Type.Optional(Type.Boolean({ description: "Leave out arguments, outputs and decisions, for lists of calls" })),
});
