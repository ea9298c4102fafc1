/**
 * Resolves the references of a schema within the schema itself (SPEC AX5).
 *
 * Nothing is ever fetched: a reference to anything outside is a problem at load.
 */

import { pointerToken } from "../text/json.ts";
import { printable } from "../text/names.ts";
import type { Problem } from "../text/problem.ts";
import { nearest } from "../text/suggest.ts";
import { innerSchemas, isDraft7, type JsonSchema, type SubSchema } from "./json-schema.ts";

/** A part of a schema with its own `$id`, or the whole schema. */
export interface Resource {
  readonly uri: string;
  readonly pointer: string;
  readonly anchors: Map<string, SubSchema>;
  /** Those of `$dynamicAnchor`. */
  readonly dynamicAnchors: Map<string, SubSchema>;
}

/** The schema that a reference leads to. */
export interface Target {
  readonly schema: SubSchema;
  readonly resource: Resource;
  /** Set if the outermost resource with this dynamic anchor replaces the schema. */
  readonly dynamicAnchor?: string;
}

export interface SchemaIndex {
  readonly isDraft7: boolean;
  readonly root: Resource;
  /** By the schema with the reference. */
  readonly refs: ReadonlyMap<JsonSchema, Target>;
  readonly dynamicRefs: ReadonlyMap<JsonSchema, Target>;
  /** Resources by their schema. */
  readonly resources: ReadonlyMap<JsonSchema, Resource>;
  readonly problems: readonly Problem[];
}

/** Base of references in a schema without `$id`. */
const NO_BASE = "schema:/";
const ANCHOR = /^[A-Za-z_][\w.-]*$/;

const INDEXES = new WeakMap<JsonSchema, SchemaIndex>();

/** Returns the index of a whole schema whose keywords `checkSchema` accepted; made once for each schema. */
export function indexOf(root: JsonSchema): SchemaIndex {
  const known = INDEXES.get(root);
  if (known !== undefined) return known;
  const index = createIndex(root);
  INDEXES.set(root, index);
  return index;
}

interface Place {
  readonly schema: JsonSchema;
  readonly pointer: string;
  readonly resource: Resource;
}

interface Building {
  readonly isDraft7: boolean;
  readonly problems: Problem[];
  readonly byPointer: Map<string, SubSchema>;
  readonly byUri: Map<string, Resource>;
  /** Resource that contains each pointer. */
  readonly resourceAt: Map<string, Resource>;
  readonly resources: Map<JsonSchema, Resource>;
  /** Schemas with references. */
  readonly referring: Place[];
}

function createIndex(schema: JsonSchema): SchemaIndex {
  const building: Building = {
    isDraft7: isDraft7(schema),
    problems: [],
    byPointer: new Map(),
    byUri: new Map(),
    resourceAt: new Map(),
    resources: new Map(),
    referring: [],
  };
  const root = addResource(schema.$id ?? "", schema, { pointer: "", base: NO_BASE }, building);
  walk(schema, "", root, building);
  const refs = new Map<JsonSchema, Target>();
  const dynamicRefs = new Map<JsonSchema, Target>();
  for (const place of building.referring) {
    for (const [keyword, targets] of [
      ["$ref", refs],
      ["$dynamicRef", dynamicRefs],
    ] as const) {
      const reference = place.schema[keyword];
      if (reference === undefined) continue;
      const target = resolve(reference, keyword, place, building);
      if (target !== undefined) targets.set(place.schema, target);
    }
  }
  const { problems, resources } = building;
  if (problems.length === 0) problems.push(...findCircles(schema, refs));
  return { isDraft7: building.isDraft7, root, refs, dynamicRefs, resources, problems };
}

function walk(schema: SubSchema, pointer: string, outer: Resource, building: Building): void {
  building.byPointer.set(pointer, schema);
  if (typeof schema === "boolean") {
    building.resourceAt.set(pointer, outer);
    return;
  }
  const resource = pointer === "" ? outer : ownResource(schema, pointer, outer, building);
  building.resourceAt.set(pointer, resource);
  addAnchors(schema, pointer, resource, building);
  if (schema.$ref !== undefined || schema.$dynamicRef !== undefined) building.referring.push({ schema, pointer, resource });
  for (const { path, schema: inner } of innerSchemas(schema))
    walk(inner, `${pointer}/${path.map(pointerToken).join("/")}`, resource, building);
}

/** Draft 7 ignores everything beside a reference, and names anchors by an `$id` that is only a fragment. */
function ownResource(schema: JsonSchema, pointer: string, outer: Resource, building: Building): Resource {
  const { $id } = schema;
  if ($id === undefined || (building.isDraft7 && (schema.$ref !== undefined || $id.startsWith("#")))) return outer;
  return addResource($id, schema, { pointer, base: outer.uri }, building);
}

function addResource(
  id: string,
  schema: JsonSchema,
  at: { readonly pointer: string; readonly base: string },
  building: Building,
): Resource {
  const url = URL.parse(id, at.base);
  if (url === null)
    report(building, `${at.pointer}/$id`, `"$id" is not a URI: "${printable(id)}"`, 'write one such as "https://example.com/schema"');
  if (url !== null) url.hash = "";
  const uri = url?.href ?? at.base;
  if (building.byUri.has(uri)) report(building, `${at.pointer}/$id`, `"$id" "${printable(id)}" names two schemas`, "rename one of them");
  const resource: Resource = { uri, pointer: at.pointer, anchors: new Map(), dynamicAnchors: new Map() };
  building.byUri.set(uri, resource);
  building.resources.set(schema, resource);
  return resource;
}

function addAnchors(schema: JsonSchema, pointer: string, resource: Resource, building: Building): void {
  const { $id, $anchor, $dynamicAnchor } = schema;
  const ofId = building.isDraft7 && $id !== undefined && $id.startsWith("#") && $id.length > 1 ? $id.slice(1) : undefined;
  for (const [keyword, anchor] of [
    ["$anchor", $anchor],
    ["$dynamicAnchor", $dynamicAnchor],
    ["$id", ofId],
  ] as const) {
    if (anchor === undefined) continue;
    if (!ANCHOR.test(anchor))
      report(building, `${pointer}/${keyword}`, `"${keyword}" is not a name: "${printable(anchor)}"`, "write letters, digits, - and _");
    else if (resource.anchors.has(anchor) && resource.anchors.get(anchor) !== schema)
      report(building, `${pointer}/${keyword}`, `"${keyword}" "${anchor}" names two schemas`, "rename one of them");
    resource.anchors.set(anchor, schema);
    if (keyword === "$dynamicAnchor") resource.dynamicAnchors.set(anchor, schema);
  }
}

function resolve(
  reference: string,
  keyword: "$ref" | "$dynamicRef",
  { pointer, resource: base }: Place,
  building: Building,
): Target | undefined {
  const at = `${pointer}/${keyword}`;
  const refuse = (message: string, fix: string): undefined => report(building, at, message, fix);
  const shown = `"${keyword}" to "${printable(reference)}"`;
  const url = URL.parse(reference, base.uri);
  const fragment = decoded(url?.hash.slice(1) ?? "");
  if (url === null || fragment === undefined) return refuse(`${shown} is not a URI`, 'write one such as "#/$defs/name"');
  url.hash = "";
  const resource = building.byUri.get(url.href);
  if (resource === undefined)
    return refuse(`${shown} leads out of this schema, and no schema is fetched`, 'copy it into "$defs", and refer to it as "#/$defs/name"');
  if (fragment === "" || fragment.startsWith("/")) {
    const full = resource.pointer + canonical(fragment);
    const schema = building.byPointer.get(full);
    if (schema !== undefined) return { schema, resource: building.resourceAt.get(full) ?? resource };
    const names = [...building.byPointer.keys()].filter((one) => /^\/(?:\$defs|definitions)\/[^/]+$/.test(one)).map((one) => `#${one}`);
    return refuse(`${shown} leads to no schema`, adviceOf(`#${fragment}`, names));
  }
  const schema = resource.anchors.get(fragment);
  if (schema === undefined) return refuse(`${shown} leads to no "$anchor"`, adviceOf(fragment, [...resource.anchors.keys()]));
  const isDynamic = keyword === "$dynamicRef" && resource.dynamicAnchors.get(fragment) === schema;
  return { schema, resource, ...(isDynamic && { dynamicAnchor: fragment }) };
}

const MAX_NAMES = 20;

function adviceOf(written: string, names: readonly string[]): string {
  return names.length === 0 ? 'define it in "$defs"' : nearest(written, names.slice(0, MAX_NAMES));
}

function decoded(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** Spells a pointer as `pointerToken` does: `~1` and `~0` only where needed. */
function canonical(pointer: string): string {
  return pointer
    .split("/")
    .map((token) => pointerToken(token.replaceAll("~1", "/").replaceAll("~0", "~")))
    .join("/");
}

/** Finds schemas that describe a value by themselves, which would never end. A reference below a property ends with the value. */
function findCircles(root: JsonSchema, refs: ReadonlyMap<JsonSchema, Target>): readonly Problem[] {
  const state = new Map<JsonSchema, "open" | "done">();
  const problems: Problem[] = [];
  const visit = (schema: SubSchema, pointer: string): void => {
    if (typeof schema === "boolean" || state.get(schema) === "done") return;
    if (state.get(schema) === "open") {
      problems.push({
        severity: "error",
        pointer,
        message: "Reference leads back to its own schema without going into the value",
        fix: 'refer to it below "properties" or "items" instead',
      });
      return;
    }
    state.set(schema, "open");
    const target = refs.get(schema);
    if (target !== undefined) visit(target.schema, `${pointer}/$ref`);
    for (const { path, schema: inner, isInPlace } of innerSchemas(schema))
      if (isInPlace) visit(inner, `${pointer}/${path.map(pointerToken).join("/")}`);
    state.set(schema, "done");
  };
  const visitAll = (schema: SubSchema, pointer: string): void => {
    visit(schema, pointer);
    if (typeof schema === "object")
      for (const { path, schema: inner } of innerSchemas(schema)) visitAll(inner, `${pointer}/${path.map(pointerToken).join("/")}`);
  };
  if (refs.size > 0) visitAll(root, "");
  return problems.slice(0, 1);
}

function report({ problems }: Building, pointer: string, message: string, fix: string): undefined {
  problems.push({ severity: "error", pointer, message, fix });
}
