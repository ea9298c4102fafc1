/** Resolves TypeScript types to the members of objects and the parts of unions. */

import type { JsonValue } from "../../../manifests/mod.ts";
import { constantOf, isAsConst, keysOf, unwrapped } from "./constants.ts";
import { type Doc, NO_DOC, readDoc } from "./doc-tags.ts";
import type { Declared, Modules } from "./modules.ts";
import { docBefore, isTrue, nameOf, nodeAt, nodesAt, type SourceFile, type SyntaxNode, textAt } from "./syntax.ts";

/** A type where it is used. */
export interface TypeUse {
  readonly node: SyntaxNode;
  readonly source: SourceFile;
  /** Types that the type parameters in scope stand for. */
  readonly params: ReadonlyMap<string, TypeUse>;
}

/** One member of an object type. */
export interface Member {
  readonly type: TypeUse;
  readonly optional: boolean;
  readonly doc: MemberDoc;
}

/** A doc comment and where it begins. */
export interface MemberDoc extends Doc {
  readonly source: SourceFile;
  readonly start: number;
}

/** An object type: its members, and the type of all others. */
export interface Shape {
  readonly members: ReadonlyMap<string, Member>;
  readonly others?: TypeUse;
}

/** A part of a union: a literal value, or any other type. */
export interface Part {
  readonly type: TypeUse;
  readonly value?: JsonValue;
}

/** Deeper types are not resolved, which ends types that contain themselves. */
const MAX_DEPTH = 64;

/** Returns the object that a type describes; undefined if it is something else. */
export function shapeOf(type: TypeUse, modules: Modules, depth = 0): Shape | undefined {
  const shape = depth > MAX_DEPTH ? undefined : resolvedShape(type, modules, depth);
  modules.spend(1 + (shape?.members.size ?? 0));
  return shape;
}

function resolvedShape(type: TypeUse, modules: Modules, depth: number): Shape | undefined {
  const { node } = type;
  const shape = (inner: TypeUse | undefined): Shape | undefined => (inner === undefined ? undefined : shapeOf(inner, modules, depth + 1));
  switch (node.type) {
    case "TSParenthesizedType":
      return shape(inside(type, "typeAnnotation"));
    case "TSTypeLiteral":
      return membersOf(nodesAt(node, "members"), type);
    case "TSInterfaceDeclaration": {
      const bases = nodesAt(node, "extends").map((base) => shape({ ...type, node: base }));
      return merged([...bases, membersOf(nodesAt(nodeAt(node, "body"), "body"), type)]);
    }
    case "TSIntersectionType":
      return merged(nodesAt(node, "types").map((part) => shape({ ...type, node: part })));
    case "TSIndexedAccessType":
      return shape(accessed(type, modules, depth));
    case "TSExpressionWithTypeArguments":
    case "TSTypeReference": {
      const found = reference(type, modules);
      if (found?.declared !== undefined && found.declared.length > 1)
        return merged(found.declared.map((part) => shape({ ...found.type, node: part.node })));
      return found === undefined ? utilityShape(type, modules, depth) : shape(found.type);
    }
    default:
      return undefined;
  }
}

/** Returns the parts of a union, with aliases and `keyof` resolved; one part for any other type. */
export function partsOf(type: TypeUse, modules: Modules, depth = 0): readonly Part[] {
  const parts = depth > MAX_DEPTH ? [{ type }] : resolvedParts(type, modules, depth);
  modules.spend(1 + parts.length);
  return parts;
}

function resolvedParts(type: TypeUse, modules: Modules, depth: number): readonly Part[] {
  const { node } = type;
  const parts = (inner: TypeUse | undefined): readonly Part[] => (inner === undefined ? [{ type }] : partsOf(inner, modules, depth + 1));
  switch (node.type) {
    case "TSParenthesizedType":
      return parts(inside(type, "typeAnnotation"));
    case "TSUnionType":
      return nodesAt(node, "types").flatMap((part) => parts({ ...type, node: part }));
    case "TSLiteralType": {
      const literal = nodeAt(node, "literal");
      const value = literal && constantOf(literal, type.source, modules);
      return [value === undefined ? { type } : { type, value }];
    }
    case "TSTypeOperator": {
      const keys = textAt(node, "operator") === "keyof" ? keysOfType(inside(type, "typeAnnotation"), modules, depth) : undefined;
      return keys === undefined ? [{ type }] : keys.map((value) => ({ type, value }));
    }
    case "TSTypeQuery":
    case "TSIndexedAccessType": {
      const values = constantsOf(type, modules);
      if (values !== undefined) return values.map((value) => ({ type, value }));
      const inner = node.type === "TSTypeQuery" ? undefined : accessed(type, modules, depth);
      return parts(inner);
    }
    case "TSTypeReference": {
      const found = reference(type, modules);
      if (found !== undefined) return found.type.node.type === "TSInterfaceDeclaration" ? [{ type }] : parts(found.type);
      return utilityParts(type, modules, depth) ?? [{ type }];
    }
    default:
      return [{ type }];
  }
}

/** A name's meaning, with its type parameters bound; `declared` is absent if it is a type parameter. */
interface Reference {
  readonly type: TypeUse;
  readonly declared?: readonly Declared[];
}

/** Returns the type that a name stands for; undefined unless the plugin's own files declare it as an alias or an interface. */
export function reference(type: TypeUse, modules: Modules): Reference | undefined {
  const name = referred(type);
  if (name === undefined) return undefined;
  const bound = type.params.get(name);
  if (bound !== undefined) return { type: bound };
  const found = modules.find(type.source, name);
  if ("kind" in found) return undefined;
  const types = found.filter(({ node }) => node.type === "TSTypeAliasDeclaration" || node.type === "TSInterfaceDeclaration");
  const [first] = types;
  if (first === undefined) return undefined;
  const params = boundParams(first, argumentsOf(type));
  const node = first.node.type === "TSTypeAliasDeclaration" ? nodeAt(first.node, "typeAnnotation") : first.node;
  return { type: { node: node ?? first.node, source: first.source, params }, declared: types };
}

/** Returns the name in a reference; the bases of an interface have a node of their own. */
export function referred({ node }: TypeUse): string | undefined {
  return nameOf(nodeAt(node, "typeName") ?? nodeAt(node, "expression"));
}

/** Returns the type arguments: `string` in `Box<string>`. */
function argumentsOf(type: TypeUse): readonly TypeUse[] {
  const list = nodeAt(type.node, "typeArguments") ?? nodeAt(type.node, "typeParameters");
  return nodesAt(list, "params").map((node) => ({ ...type, node }));
}

/** Returns the doc comment of a declaration or a member. */
export function docOf(source: SourceFile, offset: number): MemberDoc {
  const block = docBefore(source, offset);
  return block === undefined ? { ...NO_DOC, source, start: offset } : { ...readDoc(block.text), source, start: block.start + "/**".length };
}

function boundParams({ node, source }: Declared, given: readonly TypeUse[]): ReadonlyMap<string, TypeUse> {
  const params = new Map<string, TypeUse>();
  for (const [index, param] of nodesAt(nodeAt(node, "typeParameters"), "params").entries()) {
    const preset = nodeAt(param, "default");
    const type = given[index] ?? (preset && { node: preset, source, params: new Map(params) });
    const name = textAt(param, "name") ?? nameOf(nodeAt(param, "name"));
    if (type !== undefined && name !== undefined) params.set(name, type);
  }
  return params;
}

function membersOf(nodes: readonly SyntaxNode[], type: TypeUse): Shape {
  const members = new Map<string, Member>();
  let others: TypeUse | undefined;
  for (const node of nodes) {
    const annotation = nodeAt(nodeAt(node, "typeAnnotation") ?? node, "typeAnnotation");
    if (node.type === "TSIndexSignature" && annotation !== undefined) others = { ...type, node: annotation };
    const name = node.type === "TSIndexSignature" || isTrue(node, "computed") ? undefined : nameOf(nodeAt(node, "key"));
    // Other members, such as methods, stay as they are, and are refused where they are used.
    const own = node.type === "TSPropertySignature" ? annotation : node;
    const member = { type: { ...type, node: own ?? node }, optional: isTrue(node, "optional"), doc: docOf(type.source, node.start) };
    if (name !== undefined) members.set(name, member);
    else if (node.type !== "TSIndexSignature")
      members.set(type.source.text.slice(node.start, node.end), { ...member, type: { ...type, node } });
  }
  return { members, ...(others && { others }) };
}

function merged(shapes: readonly (Shape | undefined)[]): Shape | undefined {
  const all = shapes.filter((shape) => shape !== undefined);
  if (all.length < shapes.length || all.length === 0) return undefined;
  const others = all.findLast((shape) => shape.others !== undefined)?.others;
  return { members: new Map(all.flatMap(({ members }) => [...members])), ...(others && { others }) };
}

/** `Partial`, `Required`, `Readonly`, `Pick`, `Omit` and `Record`. */
function utilityShape(type: TypeUse, modules: Modules, depth: number): Shape | undefined {
  const name = referred(type);
  const [first, second] = argumentsOf(type);
  if (first === undefined) return undefined;
  if (name === "Record" && second !== undefined) return recordShape(first, second, modules);
  const base = shapeOf(first, modules, depth + 1);
  if (base === undefined || name === "Readonly") return name === "Readonly" ? base : undefined;
  const { members } = base;
  if (name === "Partial" || name === "Required") {
    const optional = name === "Partial";
    return { ...base, members: new Map([...members].map(([key, member]) => [key, { ...member, optional }])) };
  }
  const keys = second === undefined || (name !== "Pick" && name !== "Omit") ? undefined : namesOf(second, modules);
  if (keys === undefined) return undefined;
  return { ...base, members: new Map([...members].filter(([key]) => keys.includes(key) === (name === "Pick"))) };
}

function recordShape(keys: TypeUse, value: TypeUse, modules: Modules): Shape | undefined {
  if (keys.node.type === "TSStringKeyword") return { members: new Map(), others: value };
  const names = namesOf(keys, modules);
  if (names === undefined) return undefined;
  const doc: MemberDoc = { ...NO_DOC, source: value.source, start: value.node.start };
  return { members: new Map(names.map((name) => [name, { type: value, optional: false, doc }])) };
}

/** Returns a union of string literals as its strings. */
function namesOf(type: TypeUse, modules: Modules): readonly string[] | undefined {
  const names = partsOf(type, modules).map(({ value }) => (typeof value === "string" ? value : undefined));
  return names.every((name) => name !== undefined) ? names : undefined;
}

/** `Exclude`, `Extract` and `NonNullable`. */
function utilityParts(type: TypeUse, modules: Modules, depth: number): readonly Part[] | undefined {
  const name = referred(type);
  const [first, second] = argumentsOf(type);
  if (first === undefined) return undefined;
  const parts = partsOf(first, modules, depth + 1);
  if (name === "NonNullable") return parts.filter((part) => !/^TS(?:Null|Undefined)Keyword$/u.test(part.type.node.type));
  if (second === undefined || (name !== "Exclude" && name !== "Extract")) return undefined;
  const listed = partsOf(second, modules, depth + 1).map((part) => part.value);
  if (listed.includes(undefined) || parts.some((part) => part.value === undefined)) return undefined;
  return parts.filter((part) => listed.includes(part.value) === (name === "Extract"));
}

function keysOfType(type: TypeUse | undefined, modules: Modules, depth: number): readonly string[] | undefined {
  if (type === undefined) return undefined;
  const shape = shapeOf(type, modules, depth + 1);
  if (shape !== undefined) return shape.others === undefined ? [...shape.members.keys()] : undefined;
  const constant = type.node.type === "TSTypeQuery" ? constantNamed(nodeAt(type.node, "exprName"), type.source, modules) : undefined;
  return constant && keysOf(unwrapped(constant.init));
}

/** Returns the values of `typeof LIST[number]` and `typeof VALUE`. */
function constantsOf({ node, source }: TypeUse, modules: Modules): readonly JsonValue[] | undefined {
  const isList = node.type === "TSIndexedAccessType";
  let query = isList ? nodeAt(node, "objectType") : node;
  while (query?.type === "TSParenthesizedType") query = nodeAt(query, "typeAnnotation");
  if (query?.type !== "TSTypeQuery" || (isList && nodeAt(node, "indexType")?.type !== "TSNumberKeyword")) return undefined;
  const constant = constantNamed(nodeAt(query, "exprName"), source, modules);
  const value = constant && constantOf(constant.init, constant.source, modules);
  if (constant === undefined || value === undefined) return undefined;
  if (isList) return Array.isArray(value) && isAsConst(constant.init) ? value : undefined;
  return typeof value === "object" && value !== null ? undefined : [value];
}

function constantNamed(
  name: SyntaxNode | undefined,
  source: SourceFile,
  modules: Modules,
): { readonly init: SyntaxNode; readonly source: SourceFile } | undefined {
  const found = modules.find(source, nameOf(name) ?? "");
  const [declared] = "kind" in found ? [] : found;
  const init = declared?.node.type === "VariableDeclarator" ? nodeAt(declared.node, "init") : undefined;
  return init === undefined || declared === undefined ? undefined : { init, source: declared.source };
}

/** Returns the type in `Type["member"]` and `List[number]`. */
function accessed(type: TypeUse, modules: Modules, depth: number): TypeUse | undefined {
  const object = inside(type, "objectType");
  const index = inside(type, "indexType");
  if (object === undefined || index === undefined || depth > MAX_DEPTH) return undefined;
  if (index.node.type === "TSNumberKeyword") return elementOf(object, modules, depth);
  const [name] = namesOf(index, modules) ?? [];
  return name === undefined ? undefined : shapeOf(object, modules, depth + 1)?.members.get(name)?.type;
}

/** Returns the type of the elements of a list. */
export function elementOf(type: TypeUse, modules: Modules, depth = 0): TypeUse | undefined {
  if (depth > MAX_DEPTH) return undefined;
  const { node } = type;
  const again = (inner: TypeUse | undefined): TypeUse | undefined => inner && elementOf(inner, modules, depth + 1);
  if (node.type === "TSArrayType") return inside(type, "elementType");
  if (node.type === "TSParenthesizedType") return again(inside(type, "typeAnnotation"));
  if (node.type === "TSTypeOperator" && textAt(node, "operator") === "readonly") return again(inside(type, "typeAnnotation"));
  if (node.type !== "TSTypeReference") return undefined;
  const found = reference(type, modules);
  if (found !== undefined) return again(found.type);
  return /^(?:Readonly)?Array$/u.test(nameOf(nodeAt(node, "typeName")) ?? "") ? argumentsOf(type)[0] : undefined;
}

/** Returns the type in a member of a type's node. */
export function inside(type: TypeUse, key: string): TypeUse | undefined {
  const node = nodeAt(type.node, key);
  return node === undefined ? undefined : { ...type, node };
}
