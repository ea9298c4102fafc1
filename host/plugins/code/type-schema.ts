/** Converts a TypeScript type to the JSON Schema of its values. What has no schema is a problem with its place, never an open schema. */

import { isJsonArray, type JsonValue, pointerToken } from "../../../manifests/mod.ts";
import { equalJson } from "../../primitives/json/equal-json.ts";
import { exampleOf, meantTag, tagValue, VALUE_TAGS } from "./doc-tags.ts";
import type { Modules } from "./modules.ts";
import { type CodePlace, type CodeProblem, nodeAt, nodesAt, placeIn, textAt } from "./syntax.ts";
import { refusalOf } from "./type-refusals.ts";
import {
  docOf,
  elementOf,
  inside,
  type MemberDoc,
  type Part,
  partsOf,
  reference,
  referred,
  type Shape,
  shapeOf,
  type TypeUse,
} from "./type-shapes.ts";

/** A schema under construction. */
export type Schema = Record<string, JsonValue>;

/** State shared by the schemas of one tool. */
export interface Mapping {
  readonly modules: Modules;
  readonly problems: CodeProblem[];
  /** Place of each part of the schemas, by its pointer. */
  readonly places: Map<string, CodePlace>;
  /** Objects allow only their own members: true for arguments, in which another name is a mistake. */
  readonly closed: boolean;
  /** Number of types seen; a kilobyte of a comment, or ten values, count as one more. */
  types: number;
}

/** Where a schema is placed, and the named types around it. */
interface At {
  readonly pointer: string;
  /** Pointer of the member that is being mapped: only there `undefined` means that it may be absent. */
  readonly member?: string;
  readonly open: readonly string[];
  /** Names of types that contain themselves; they become `$defs`. */
  readonly recursive: Map<string, TypeUse>;
}

/** Maximum number of types of one tool, each use of a named type counted. */
const MAX_TYPES = 5_000;

/** @param pointer where the schema is placed, such as `/inputSchema` */
export function typeSchema(type: TypeUse, pointer: string, map: Mapping): Schema {
  return rooted(pointer, map, (at) => schemaOf(type, at, map));
}

/** Returns the schema of an object with these members. @param pointer where the schema is placed */
export function shapeSchema(shape: Shape, pointer: string, map: Mapping): Schema {
  return rooted(pointer, map, (at) => objectSchema(shape, at, map));
}

function rooted(pointer: string, map: Mapping, make: (at: At) => Schema): Schema {
  const at: At = { pointer, open: [], recursive: new Map() };
  const schema = make(at);
  const definitions = new Map<string, Schema>();
  for (const [name, named] of at.recursive) {
    definitions.set(name, schemaOf(named, { ...at, pointer: `${pointer}/$defs/${pointerToken(name)}`, open: [] }, map));
  }
  return at.recursive.size === 0 ? schema : { ...schema, $defs: Object.fromEntries(definitions) };
}

function objectSchema({ members, others }: Shape, at: At, map: Mapping): Schema {
  const properties = new Map<string, Schema>();
  const required: string[] = [];
  for (const [name, member] of members) {
    const parts = partsOf(member.type, map.modules);
    const isOptional = member.optional || parts.some(isUndefined);
    const pointer = `${at.pointer}/properties/${pointerToken(name)}`;
    const schema = schemaOf(member.type, { ...at, pointer, member: pointer }, map);
    properties.set(name, described(schema, member.doc, member.type, map));
    if (!isOptional && !Object.hasOwn(schema, "default")) required.push(name);
  }
  return {
    type: "object",
    ...(members.size > 0 && { properties: Object.fromEntries(properties) }),
    ...(required.length > 0 && { required }),
    ...restOf(others, at, map),
  };
}

/** Adds a doc comment's description and the keywords of its tags. */
function described(schema: Schema, doc: MemberDoc, type: TypeUse, map: Mapping): Schema {
  if (isTooLarge(doc.description.length / 1_000, type, map)) return {};
  const result: Schema = { ...schema };
  if (doc.description !== "") result["description"] = doc.description;
  for (const { name, text, offset } of doc.tags) {
    const refuse = (message: string, fix: string): void =>
      void map.problems.push({ ...placeIn(doc.source.file, doc.source.text, doc.start + offset), message, fix });
    const target = Object.hasOwn(VALUE_TAGS, name) ? VALUE_TAGS[name] : undefined;
    const meant = meantTag(name, Object.keys(VALUE_TAGS));
    if (meant !== undefined) refuse(`Unknown tag "@${name}"`, `did you mean "@${meant}"?`);
    if (target === undefined) continue;
    const value = tagValue(name, text, result);
    if (target !== "any" && !typesOf(result).some((type) => type === target || (target === "number" && type === "integer")))
      refuse(`"@${name}" is for a ${target}`, "remove it, or change the type");
    else if (value === undefined) refuse(`"@${name}" has no valid value: "${text}"`, exampleOf(name));
    else if (name === "integer") result["type"] = integerType(result["type"]);
    else if (name === "example") result["examples"] = [...listOf(result["examples"]), value];
    else result[name] = value;
  }
  return result;
}

function schemaOf(type: TypeUse, at: At, map: Mapping): Schema {
  map.places.set(at.pointer, placeIn(type.source.file, type.source.text, type.node.start));
  if (isTooLarge(1, type, map)) return {};
  const { node } = type;
  switch (node.type) {
    case "TSStringKeyword":
      return { type: "string" };
    case "TSNumberKeyword":
      return { type: "number" };
    case "TSBooleanKeyword":
      return { type: "boolean" };
    case "TSNullKeyword":
      return { type: "null" };
    case "TSObjectKeyword":
      return { type: "object" };
    // The author says that any JSON value is meant.
    case "TSUnknownKeyword":
      return {};
    case "TSParenthesizedType":
      return schemaOf(inside(type, "typeAnnotation") ?? type, at, map);
    case "TSArrayType":
      return listSchema(elementOf(type, map.modules) ?? type, at, map);
    case "TSTupleType":
      return tupleSchema(type, at, map);
    case "TSTypeOperator":
      if (textAt(node, "operator") === "readonly") return schemaOf(inside(type, "typeAnnotation") ?? type, at, map);
      break;
    case "TSTypeReference": {
      const named = namedSchema(type, at, map);
      if (named !== undefined) return named;
    }
  }
  return structuralSchema(type, at, map);
}

function structuralSchema(type: TypeUse, at: At, map: Mapping): Schema {
  const shape = shapeOf(type, map.modules);
  if (shape !== undefined) return objectSchema(shape, at, map);
  const parts = partsOf(type, map.modules);
  const isAlone = parts.length === 1 && parts[0]?.value === undefined && parts[0]?.type.node === type.node;
  return isAlone ? refuse(type, map, refusalOf(type, map.modules)) : unionSchema(parts, at, map);
}

/** Maps a name: an alias or an interface of the plugin, or a list. Returns undefined for utility types. */
function namedSchema(type: TypeUse, at: At, map: Mapping): Schema | undefined {
  const name = referred(type) ?? "";
  const found = reference(type, map.modules);
  if (found === undefined) {
    const element = elementOf(type, map.modules);
    return element && listSchema(element, at, map);
  }
  const [declared] = found.declared ?? [];
  if (declared === undefined) return schemaOf(found.type, at, map);
  if (at.open.includes(name)) {
    if (found.type.params.size > 0)
      return refuse(type, map, [`"${name}" is generic and contains itself`, "write the type without type parameters"]);
    at.recursive.set(name, type);
    return { $ref: `#/$defs/${name}` };
  }
  const inner = { ...at, open: [...at.open, name] };
  const isWhole = declared.node.type === "TSInterfaceDeclaration";
  const schema = isWhole ? structuralSchema(type, inner, map) : schemaOf(found.type, inner, map);
  const doc = docOf(declared.source, declared.statement.start);
  // The description of a type gives way to that of the member that has it.
  return described(schema, doc, type, map);
}

function listSchema(element: TypeUse, at: At, map: Mapping): Schema {
  return { type: "array", items: schemaOf(element, { ...at, pointer: `${at.pointer}/items` }, map) };
}

function tupleSchema(type: TypeUse, at: At, map: Mapping): Schema {
  const elements = nodesAt(type.node, "elementTypes").map((node) => {
    const isRest = node.type === "TSRestType";
    const isOptional = node.type === "TSOptionalType" || (node.type === "TSNamedTupleMember" && isMarked(node));
    const inner = node.type === "TSNamedTupleMember" ? nodeAt(node, "elementType") : undefined;
    return {
      isRest,
      isOptional,
      type: { ...type, node: inner ?? (isRest || isOptional ? (nodeAt(node, "typeAnnotation") ?? node) : node) },
    };
  });
  const [last] = elements.slice(-1);
  const rest = last?.isRest === true ? elementOf(last.type, map.modules) : undefined;
  const fixed = elements.filter(({ isRest }) => !isRest);
  const counts = { minItems: fixed.filter(({ isOptional }) => !isOptional).length, ...(rest === undefined && { maxItems: fixed.length }) };
  const schemas = fixed.map((element, index) => schemaOf(element.type, { ...at, pointer: `${at.pointer}/prefixItems/${index}` }, map));
  const [first] = schemas;
  // Equal elements need no list of schemas, which fewer models understand.
  if (rest === undefined && first !== undefined && schemas.every((schema) => equalJson(schema, first)))
    return { type: "array", items: first, ...counts };
  const items = rest === undefined ? false : schemaOf(rest, { ...at, pointer: `${at.pointer}/items` }, map);
  return { type: "array", prefixItems: schemas, items, ...counts };
}

function isMarked(node: TypeUse["node"]): boolean {
  return "optional" in node && node.optional === true;
}

function unionSchema(all: readonly Part[], at: At, map: Mapping): Schema {
  const absent = all.find(isUndefined);
  if (absent !== undefined && at.member !== at.pointer) return refuse(absent.type, map, refusalOf(absent.type, map.modules));
  const parts = all.filter((part) => !isUndefined(part));
  if (parts.length === 1 && parts[0]?.value === undefined && parts[0] !== undefined) return schemaOf(parts[0].type, at, map);
  const values = [...new Map(parts.flatMap(({ value }) => (value === undefined ? [] : [[JSON.stringify(value), value]]))).values()];
  if (parts[0] !== undefined && isTooLarge(values.length / 10, parts[0].type, map)) return {};
  const types = parts.filter(({ value }) => value === undefined).map(({ type }) => type);
  const nulls = types.filter(({ node }) => node.type === "TSNullKeyword").length;
  if (types.length === nulls && values.length > 0) return valuesSchema(nulls > 0 ? [...values, null] : values);
  if (values.length === 0) {
    const simple = types.filter(({ node }) => SIMPLE.test(node.type));
    const others = types.filter(({ node }) => !SIMPLE.test(node.type));
    if (others.length <= 1) {
      const schemas = types.map((type) => schemaOf(type, at, map));
      const joined = joinedTypes(schemas);
      if (joined !== undefined) return joined;
    }
    return { anyOf: [...others, ...simple].map((type, index) => schemaOf(type, { ...at, pointer: `${at.pointer}/anyOf/${index}` }, map)) };
  }
  return {
    anyOf: [
      valuesSchema(values),
      ...types.map((type, index) => schemaOf(type, { ...at, pointer: `${at.pointer}/anyOf/${index + 1}` }, map)),
    ],
  };
}

const SIMPLE = /^TS(?:String|Number|Boolean|Null)Keyword$/u;

/** Joins schemas of different types, of which one has more keywords than `type` at most: `{ "type": ["string", "null"] }`. */
function joinedTypes(schemas: readonly Schema[]): Schema | undefined {
  const types = schemas.flatMap((schema) => typesOf(schema));
  const [detailed = {}, ...more] = schemas.filter((schema) => Object.keys(schema).length > 1);
  const { type: _type, ...rest } = detailed;
  const isPlain = schemas.every((schema) => schema["type"] !== undefined && !("enum" in schema) && !("const" in schema));
  if (!isPlain || more.length > 0 || new Set(types).size !== types.length) return undefined;
  return { type: types.length === 1 ? (types[0] ?? "") : types, ...rest };
}

function valuesSchema(values: readonly JsonValue[]): Schema {
  const booleans = values.filter((value) => typeof value === "boolean").length;
  if (booleans === 2 && values.length === 2) return { type: "boolean" };
  const types = [...new Set(values.map((value) => (value === null ? "null" : typeof value)))];
  const [type = "string"] = types;
  const [first = null] = values;
  return {
    ...(types.every((one) => one !== "object") && { type: types.length === 1 ? type : types }),
    ...(values.length === 1 ? { const: first } : { enum: values }),
  };
}

function restOf(others: TypeUse | undefined, at: At, map: Mapping): Schema {
  if (others === undefined) return map.closed ? { additionalProperties: false } : {};
  const schema = schemaOf(others, { ...at, pointer: `${at.pointer}/additionalProperties` }, map);
  return { additionalProperties: Object.keys(schema).length === 0 ? true : schema };
}

function isUndefined({ type: { node } }: Part): boolean {
  return node.type === "TSUndefinedKeyword" || node.type === "TSVoidKeyword";
}

function typesOf({ type, enum: values, const: value }: Schema): readonly string[] {
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((one) => typeof one === "string");
  const listed = value === undefined ? listOf(values) : [value];
  return [...new Set(listed.map((one) => (one === null ? "null" : Array.isArray(one) ? "array" : typeof one)))];
}

function integerType(type: JsonValue | undefined): JsonValue {
  return Array.isArray(type) ? type.map((one: JsonValue) => (one === "number" ? "integer" : one)) : "integer";
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return value !== undefined && isJsonArray(value) ? value : [];
}

/** Counts a part of a type: a small text can name the same long comment or list thousands of times. */
function isTooLarge(size: number, type: TypeUse, map: Mapping): boolean {
  const before = map.types;
  map.types += Math.floor(size);
  if (before <= MAX_TYPES && map.types > MAX_TYPES) refuse(type, map, ["The type is too large", "make it smaller"]);
  return map.types > MAX_TYPES;
}

function refuse(type: TypeUse, map: Mapping, [message, fix]: readonly [string, string]): Schema {
  map.problems.push({ ...placeIn(type.source.file, type.source.text, type.node.start), message, fix });
  return {};
}
