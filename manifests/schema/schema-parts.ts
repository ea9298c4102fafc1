/** TypeBox parts of bascule's documents: lists, records, JSON Schema itself and permission sets. */

import { Type, type Static, type TObject, type TProperties, type TSchema, type TUnsafe } from "@sinclair/typebox";

import { CHECKED_FORMATS } from "./format.ts";
import { SCHEMA_KEYWORDS, SCHEMA_TYPES, type JsonSchema } from "./json-schema.ts";
import { SYS_KINDS } from "../permissions/permission-parse.ts";
import { PERMISSION_KINDS, type PermissionKind, type Permissions } from "../permissions/permissions.ts";

/** Generated once, under `definitions`, because schemas nest. */
export const SCHEMA: TUnsafe<JsonSchema> = Type.Unsafe<JsonSchema>({ $ref: "#/definitions/schema" });
/** Generated once under `definitions`, because it is long. */
export const PERMISSIONS: TUnsafe<Permissions> = Type.Unsafe<Permissions>({ $ref: "#/definitions/permissions" });

const PATH_ITEM = Type.String({
  minLength: 1,
  description: "A path, with $plugin $workspace $data $tmp $home as a leading folder and the wildcards * ? **",
});
const HOST_ITEM = Type.String({ minLength: 1, description: "host[:port]: a name, *.name, an IPv4 address, a CIDR block or [IPv6]" });
const ITEMS: Readonly<Record<PermissionKind, TSchema>> = {
  read: PATH_ITEM,
  write: PATH_ITEM,
  net: Type.Union([
    HOST_ITEM,
    closed({
      host: HOST_ITEM,
      methods: Type.Optional(listOf(Type.String())),
      paths: Type.Optional(listOf(Type.String({ pattern: "^/" }))),
    }),
  ]),
  env: Type.Union([
    Type.String({ description: "NAME or PREFIX*" }),
    closed({ name: Type.String(), secret: Type.Literal(true), hosts: listOf(HOST_ITEM) }),
  ]),
  sys: oneOf(SYS_KINDS),
  run: Type.String({ minLength: 1 }),
  ffi: Type.String({ minLength: 1 }),
  import: HOST_ITEM,
  tools: Type.String({ description: "tool, plugin.tool or plugin.*" }),
  mcp: Type.String({ description: "Name of an MCP server" }),
};
/** The schema of JSON Schema itself (SPEC S1, AX5), which `SCHEMA` refers to. */
export function jsonSchemaSchema(): TSchema {
  const size = Type.Optional(Type.Integer({ minimum: 0 }));
  const number = Type.Optional(Type.Number());
  const flag = Type.Optional(Type.Boolean());
  const text = Type.Optional(Type.String());
  const any = Type.Optional(Type.Unknown());
  const names = Type.Array(Type.String(), { uniqueItems: true });
  const type = oneOf(SCHEMA_TYPES);
  const inner = Type.Union([Type.Boolean(), SCHEMA]);
  const list = Type.Array(inner, { minItems: 1 });
  const keywords = (all: readonly string[], schema: TSchema): TProperties =>
    Object.fromEntries(all.map((keyword) => [keyword, Type.Optional(schema)]));
  return closed({
    type: Type.Optional(Type.Union([type, Type.Array(type, { minItems: 1, uniqueItems: true })])),
    enum: Type.Optional(Type.Array(Type.Unknown(), { minItems: 1 })),
    const: any,
    title: text,
    description: text,
    default: any,
    examples: Type.Optional(Type.Array(Type.Unknown())),
    format: Type.Optional(Type.String({ examples: [...CHECKED_FORMATS] })),
    pattern: text,
    required: Type.Optional(names),
    ...keywords("minimum maximum exclusiveMinimum exclusiveMaximum multipleOf".split(" "), number),
    ...keywords("minLength maxLength minItems maxItems minContains maxContains minProperties maxProperties".split(" "), size),
    ...keywords("uniqueItems deprecated readOnly writeOnly".split(" "), flag),
    ...keywords("$schema $id $ref $dynamicRef $anchor $dynamicAnchor $comment contentEncoding contentMediaType".split(" "), text),
    ...keywords(SCHEMA_KEYWORDS.one, inner),
    ...keywords(SCHEMA_KEYWORDS.list, list),
    ...keywords(SCHEMA_KEYWORDS.members, recordOf(inner)),
    items: Type.Optional(Type.Union([inner, list])),
    dependencies: Type.Optional(recordOf(Type.Union([inner, names]))),
    dependentRequired: Type.Optional(recordOf(names)),
  });
}

/** The schema of a permission set (SPEC PA1), which `PERMISSIONS` refers to. */
export function permissionsSchema(): TSchema {
  return closed({
    all: Type.Optional(Type.Boolean({ description: "As in Deno: true for each of Deno's kinds that is not named" })),
    ...Object.fromEntries(PERMISSION_KINDS.map((kind) => [kind, Type.Optional(permissionValue(kind))])),
  });
}

function permissionValue(kind: PermissionKind): TSchema {
  const items = Type.Union([Type.Boolean(), Type.Array(ITEMS[kind], { maxItems: 256 })]);
  const ignore = kind === "read" || kind === "env" ? { ignore: Type.Optional(items) } : {};
  const entry = closed({
    allow: Type.Optional(items),
    deny: Type.Optional(items),
    ...ignore,
    reason: Type.Optional(Type.String({ maxLength: 500 })),
  });
  return Type.Union([Type.Boolean(), Type.Array(ITEMS[kind], { maxItems: 256 }), entry]);
}

/** Creates an object schema with these members and no others. */
export function closed<T extends TProperties>(properties: T): TObject<T> {
  return Type.Object(properties, { additionalProperties: false });
}

/** Creates the schema of a readonly list. */
export function listOf<S extends TSchema>(item: S, options: { readonly description?: string } = {}): TUnsafe<readonly Static<S>[]> {
  return Type.Unsafe<readonly Static<S>[]>(Type.Array(item, { maxItems: 1_024, ...options }));
}

/** Creates the schema of a readonly object with arbitrary keys. */
export function recordOf<S extends TSchema>(
  item: S,
  options: { readonly description?: string } = {},
): TUnsafe<Readonly<Record<string, Static<S>>>> {
  return Type.Unsafe<Readonly<Record<string, Static<S>>>>({ type: "object", additionalProperties: item, ...options });
}

/** Creates the schema of one of several strings. */
export function oneOf<const T extends string>(choices: readonly T[]): TUnsafe<T> {
  return Type.Unsafe<T>({ type: "string", enum: [...choices] });
}

/** Returns a copy of the schema with this description. */
export function describe<S extends TSchema>(schema: S, description: string): S {
  return { ...schema, description };
}
