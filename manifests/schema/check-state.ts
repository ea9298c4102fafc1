/** State of one check of a value: its budget, what is still open, and where errors go. */

import type { JsonValue } from "../text/json.ts";
import { indexOf, type Resource, type SchemaIndex } from "./schema-index.ts";
import type { JsonSchema, SubSchema } from "./json-schema.ts";

/** One difference between a value and its schema. */
export interface ValueError {
  /** RFC 6901, `""` for the value itself. For a missing or an unexpected property it names that property. */
  readonly pointer: string;
  readonly message: string;
  /** The schema keyword that failed, or `limit` if the check stopped early. */
  readonly keyword: string;
}

/** Members of a value that its schema has described so far; only kept for `unevaluatedProperties` and `unevaluatedItems`. */
export interface Evaluated {
  names: Set<string> | "all";
  /** Count of evaluated items from the first. */
  items: number;
  readonly indices: Set<number>;
}

/** Resources entered so far, innermost first: `$dynamicRef` takes the outermost. */
export interface DynamicScope {
  readonly resource: Resource;
  readonly outer?: DynamicScope;
}

/** Where the results of a schema go: those of a branch of `anyOf` are its own. */
export interface Scope {
  readonly check: Check;
  readonly errors: ValueError[];
  readonly evaluated?: Evaluated;
  readonly dynamic: DynamicScope;
  /** Schemas of the same value above this one. */
  readonly level: number;
  /** Steps that one node costs. */
  readonly weight: number;
}

export interface Check {
  /** Remaining steps. */
  steps: number;
  /** Open containers and branches, innermost last. Each function checks the next part and returns whether there was one. */
  readonly open: (() => boolean)[];
  readonly index: SchemaIndex;
  /** Checks a value; opens its parts. */
  readonly node: (schema: SubSchema, value: JsonValue, pointer: string, scope: Scope) => void;
}

export const MAX_ERRORS = 100;
/** Weight below keywords like `allOf` and `$ref`, which can check the same value any number of times. */
export const IN_PLACE_WEIGHT = 8;
const MAX_LEVEL = 256;

export function createCheck(root: JsonSchema, steps: number, node: Check["node"]): Scope {
  const index = indexOf(root);
  const check: Check = { steps, open: [], index, node };
  return { check, errors: [], dynamic: { resource: index.root }, level: 0, weight: 1 };
}

/** Counts one step; returns true if the check must stop. */
export function isSpent(scope: Scope): boolean {
  const { check } = scope;
  check.steps -= scope.weight;
  if (scope.level > MAX_LEVEL) check.steps = 0;
  return check.steps <= 0 || scope.errors.length >= MAX_ERRORS;
}

/** Returns the scope of a value's members. */
export function inValue(scope: Scope): Scope {
  if (scope.evaluated === undefined && scope.level === 0) return scope;
  const { check, errors, dynamic, weight } = scope;
  return { check, errors, dynamic, weight, level: 0 };
}

/** Begins to check a value with a schema whose result is decided later. @returns where its result will be */
export function beginBranch(schema: SubSchema, value: JsonValue, pointer: string, outer: Scope): Scope {
  const scope: Scope = {
    check: outer.check,
    errors: [],
    dynamic: outer.dynamic,
    level: outer.level + 1,
    weight: IN_PLACE_WEIGHT,
    ...(outer.evaluated !== undefined && { evaluated: { names: new Set(), items: 0, indices: new Set() } }),
  };
  outer.check.node(schema, value, pointer, scope);
  return scope;
}

/** Adds what a branch evaluated to its surroundings. */
export function addEvaluated(from: Evaluated | undefined, to: Evaluated | undefined): void {
  if (from === undefined || to === undefined) return;
  if (from.names === "all") to.names = "all";
  else if (to.names !== "all") for (const name of from.names) to.names.add(name);
  to.items = Math.max(to.items, from.items);
  for (const index of from.indices) to.indices.add(index);
}
