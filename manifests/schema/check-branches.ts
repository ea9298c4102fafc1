/** Keywords whose schemas describe the value itself: references, `allOf`, `anyOf`, `oneOf`, `not`, `if`, `dependentSchemas` (SPEC AX5). */

import { isJsonObject, type JsonValue } from "../text/json.ts";
import { printable } from "../text/names.ts";
import { addEvaluated, beginBranch, type DynamicScope, IN_PLACE_WEIGHT, isSpent, type Scope, type ValueError } from "./check-state.ts";
import type { JsonSchema, SubSchema } from "./json-schema.ts";
import type { Target } from "./schema-index.ts";

/** One value under check. */
interface Subject {
  readonly value: JsonValue;
  readonly pointer: string;
  readonly scope: Scope;
}

/** Opens the checks of all such keywords of a schema. */
export function checkInPlace(schema: JsonSchema, subject: Subject): void {
  const { value, scope } = subject;
  const { index } = scope.check;
  if (schema.$ref !== undefined) checkReference("$ref", index.refs.get(schema), subject);
  if (index.isDraft7 && schema.$ref !== undefined) return;
  if (schema.$dynamicRef !== undefined) checkReference("$dynamicRef", index.dynamicRefs.get(schema), subject);
  if (schema.allOf !== undefined) checkAll(schema.allOf, subject);
  if (schema.anyOf !== undefined) checkChoice("anyOf", schema.anyOf, subject);
  if (schema.oneOf !== undefined) checkChoice("oneOf", schema.oneOf, subject);
  if (schema.not !== undefined) checkNot(schema.not, subject);
  if (schema.if !== undefined && (schema.then !== undefined || schema.else !== undefined || scope.evaluated !== undefined))
    checkIf(schema.if, schema, subject);
  if (isJsonObject(value)) {
    const dependent = [...Object.entries(schema.dependentSchemas ?? {}), ...Object.entries(schema.dependencies ?? {})];
    const present = dependent.filter(([name, one]) => !Array.isArray(one) && Object.hasOwn(value, name));
    // Lists are names, which `checkObject` checks.
    if (present.length > 0)
      checkAll(
        present.map(([, one]) => one as SubSchema),
        subject,
      );
  }
}

/** Checks schemas that must all fit; they share the errors and the account of their surroundings. */
function checkAll(schemas: readonly SubSchema[], { value, pointer, scope }: Subject): void {
  const { check } = scope;
  const inner = { ...scope, level: scope.level + 1, weight: IN_PLACE_WEIGHT };
  let index = 0;
  check.open.push(() => {
    const schema = schemas[index++];
    if (schema === undefined || isSpent(inner)) return false;
    check.node(schema, value, pointer, inner);
    return true;
  });
}

function checkReference(keyword: "$ref" | "$dynamicRef", target: Target | undefined, subject: Subject): void {
  const { scope, pointer } = subject;
  if (target === undefined) {
    // `checkSchema` refuses such a schema. A part of one, checked alone, has lost its definitions.
    scope.errors.push({ pointer, message: `Cannot be checked: "${keyword}" leads to no schema`, keyword });
    return;
  }
  const { schema, resource } = target.dynamicAnchor === undefined ? target : (outermost(target.dynamicAnchor, scope.dynamic) ?? target);
  checkAll([schema], { ...subject, scope: { ...scope, dynamic: { resource, outer: scope.dynamic } } });
}

function outermost(anchor: string, innermost: DynamicScope): Pick<Target, "schema" | "resource"> | undefined {
  let found: Pick<Target, "schema" | "resource"> | undefined;
  for (let at: DynamicScope | undefined = innermost; at !== undefined; at = at.outer) {
    const schema = at.resource.dynamicAnchors.get(anchor);
    if (schema !== undefined) found = { schema, resource: at.resource };
  }
  return found;
}

function checkNot(not: SubSchema, { value, pointer, scope }: Subject): void {
  const { check } = scope;
  let branch: Scope | undefined;
  check.open.push(() => {
    if (branch === undefined && !isSpent(scope)) {
      branch = beginBranch(not, value, pointer, scope);
      return true;
    }
    if (branch?.errors.length === 0 && check.steps > 0)
      scope.errors.push({ pointer, message: `Fits the schema in "not"${titleOf(not)}, and must not`, keyword: "not" });
    return false;
  });
}

function checkIf(condition: SubSchema, { then = true, else: otherwise = true }: JsonSchema, { value, pointer, scope }: Subject): void {
  const { check } = scope;
  let branch: Scope | undefined;
  let isDecided = false;
  check.open.push(() => {
    if (isDecided || isSpent(scope)) return false;
    if (branch === undefined) {
      branch = beginBranch(condition, value, pointer, scope);
      return true;
    }
    isDecided = true;
    const fits = branch.errors.length === 0;
    if (fits) addEvaluated(branch.evaluated, scope.evaluated);
    check.node(fits ? then : otherwise, value, pointer, { ...scope, level: scope.level + 1, weight: IN_PLACE_WEIGHT });
    return true;
  });
}

function checkChoice(keyword: "anyOf" | "oneOf", schemas: readonly SubSchema[], subject: Subject): void {
  const { value, pointer, scope } = subject;
  const { check } = scope;
  const branches: Scope[] = [];
  check.open.push(() => {
    const last = branches.at(-1);
    // All branches count where evaluated members do.
    const isDone = keyword === "anyOf" && last?.errors.length === 0 && scope.evaluated === undefined;
    const schema = schemas[branches.length];
    if (isDone) return false;
    if (schema !== undefined && !isSpent(scope)) {
      branches.push(beginBranch(schema, value, pointer, scope));
      return true;
    }
    if (check.steps > 0) decideChoice(keyword, schemas, branches, subject);
    return false;
  });
}

function decideChoice(keyword: "anyOf" | "oneOf", schemas: readonly SubSchema[], branches: readonly Scope[], subject: Subject): void {
  const { pointer, scope } = subject;
  const fitting = branches.flatMap((branch, index) => (branch.errors.length === 0 ? [index] : []));
  if (fitting.length === 0) {
    scope.errors.push(...closestErrors(keyword, schemas, branches, subject));
    return;
  }
  if (keyword === "oneOf" && fitting.length > 1) {
    const numbers = fitting
      .map((index) => `${index + 1}${titleOf(schemas[index] ?? true)}`)
      .slice(0, 5)
      .join(", ");
    scope.errors.push({ pointer, message: `Fits ${fitting.length} schemas of "oneOf" (${numbers}), but only one may fit`, keyword });
    return;
  }
  for (const index of fitting) addEvaluated(branches[index]?.evaluated, scope.evaluated);
}

/** Errors of the closest branch that are shown. */
const MAX_SHOWN = 10;

/**
 * Reports the branch that came closest, with its errors: a branch of the value's own type, whose fixed values fit, with the fewest errors.
 * Branches that only name a type or values are reported as one list.
 */
function closestErrors(
  keyword: string,
  schemas: readonly SubSchema[],
  branches: readonly Scope[],
  { pointer }: Subject,
): readonly ValueError[] {
  const simple = branches.map(({ errors }) => (errors.length === 1 && errors[0]?.pointer === pointer ? errors[0] : undefined));
  for (const [kind, start] of [
    ["type", "Is "],
    ["enum", "Is not one of "],
    ["const", "Is not "],
  ] as const) {
    if (!simple.every((error) => error?.keyword === kind && error.message.startsWith(start))) continue;
    const [first = "", ...others] = simple.map((error) => error?.message ?? "");
    const parts = others.map((message) => (kind === "type" ? message.slice(message.indexOf(", not ") + 6) : message.slice(start.length)));
    return [{ pointer, message: [...new Set([first, ...parts])].slice(0, MAX_SHOWN).join(kind === "enum" ? ", " : " or "), keyword }];
  }
  const ranked = branches.map(({ errors }, index) => ({ errors, index, distance: distanceOf(errors, pointer) }));
  const closest = ranked.toSorted((a, b) => a.distance - b.distance)[0];
  if (closest === undefined) return [];
  const which = `${closest.index + 1}${titleOf(schemas[closest.index] ?? true)}`;
  const message = `Fits none of the ${branches.length} schemas of "${keyword}"${branches.length === 1 ? "" : `; number ${which} is closest`}`;
  return [{ pointer, message, keyword }, ...closest.errors.slice(0, MAX_SHOWN)];
}

function distanceOf(errors: readonly ValueError[], pointer: string): number {
  const isOther = errors.some((error) => error.pointer === pointer && ["type", "const", "enum"].includes(error.keyword));
  const isOtherKind = errors.some(
    (error) =>
      ["const", "enum"].includes(error.keyword) &&
      error.pointer.startsWith(`${pointer}/`) &&
      !error.pointer.slice(pointer.length + 1).includes("/"),
  );
  return (isOther ? 10_000 : 0) + (isOtherKind ? 1_000 : 0) + errors.length;
}

function titleOf(schema: SubSchema): string {
  if (typeof schema === "boolean") return "";
  const name = schema.title ?? schema.$ref?.split("/").at(-1);
  return name === undefined ? "" : ` ("${printable(name)}")`;
}
