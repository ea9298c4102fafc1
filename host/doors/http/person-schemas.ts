/** Schemas of answers about plugins, undo and MCP servers. */

import { type TSchema, Type } from "@sinclair/typebox";
import { printable } from "../../primitives/text.ts";
import { changeWords, lengthText } from "../../plugins/consent/change-text.ts";
import { asks, type ConsentChange } from "../../plugins/consent/change.ts";
import { DRY_RUN } from "./call-schemas.ts";
import { ANY, OBJECT, oneOf, some, TEXT, TEXTS, TIME } from "./schema-parts.ts";
import { CHANGE_WORDS } from "./schemas.ts";

export const UNDOABLE: TSchema = some({ callId: TEXT, tool: TEXT, atMs: TIME });
export const UNDONE: TSchema = some({
  callId: TEXT,
  tool: TEXT,
  restored: TEXTS,
  left: Type.Array(some({ path: TEXT, reason: TEXT })),
  dryRun: Type.Optional(DRY_RUN),
});

export const MCP_SERVER: TSchema = some({
  name: TEXT,
  state: oneOf(["connecting", "connected", "waiting", "closed"]),
  problem: Type.Optional(TEXT),
  tools: TEXTS,
  refused: Type.Array(some({ tool: TEXT, reason: TEXT })),
  waiting: Type.Optional(some({ tools: TEXTS, digest: TEXT, changes: Type.Array(OBJECT), words: CHANGE_WORDS })),
});

/** Describes changes in the form of `CHANGE_WORDS`. They contain untrusted text, so characters that hide or reorder text are escaped. */
export function inWords(changes: readonly ConsentChange[]): readonly object[] {
  return changes.map((change) => {
    const { sign, what, from, to } = changeWords(change);
    const values = {
      ...(from !== undefined && { from: printable(from) }),
      ...(to !== undefined && { to: `${printable(to)}${lengthText(to)}` }),
    };
    return { sign, what: printable(what), ...values, widens: asks(change, "fluent") };
  });
}

const UNUSED: TSchema = Type.Array(some({ kind: TEXT, item: ANY }));
export const USED: TSchema = some({
  plugin: TEXT,
  calls: Type.Integer(),
  since: Type.Optional(TIME),
  until: Type.Optional(TIME),
  used: OBJECT,
  lines: Type.Array(OBJECT, { description: "The used permissions one by one, with counts and calls" }),
  leftOut: Type.Array(OBJECT, { description: "Acts that were done or tried and are not in `used`" }),
  unused: some({ manifest: UNUSED, grants: UNUSED }),
});

export const SETTINGS: TSchema = some({
  plugin: TEXT,
  file: TEXT,
  exists: Type.Boolean(),
  enabled: Type.Boolean(),
  disabledTools: TEXTS,
  config: OBJECT,
  fields: Type.Array(
    some({
      key: TEXT,
      value: Type.Optional(ANY),
      isSet: Type.Boolean(),
      type: Type.Optional(TEXT),
      description: Type.Optional(TEXT),
      schema: OBJECT,
    }),
  ),
  problems: Type.Array(OBJECT),
});
