/** A host tool's definition: checked field by field and completed with the defaults of SPEC M3 (SPEC R2). */

import {
  annotate,
  CALLERS,
  checkSchema,
  checkToolName,
  findHiddenText,
  type JsonSchema,
  parsePermissions,
  type Problem,
  SIDE_EFFECTS,
  type ToolDefinition,
} from "../manifests/mod.ts";
import { copyJson } from "./json.ts";
import { ToolRegistrationError } from "./tool-error.ts";
import type { ToolDeclaration } from "./tool.ts";

const DEFINITION_BYTES = 256 * 1024;
const DEFINITION_DEPTH = 64;

/** @throws {ToolRegistrationError} with every problem at once. */
export function completeDefinition(declaration: ToolDeclaration): ToolDefinition {
  const name = typeof declaration?.name === "string" ? declaration.name : "?";
  // Schemas made by TypeBox carry symbols, and the program may change its object later: only a JSON copy is kept.
  const copy = copyJson(declaration, { maxBytes: DEFINITION_BYTES, maxDepth: DEFINITION_DEPTH });
  if (!copy.ok) throw new ToolRegistrationError(name, [{ severity: "error", ...copy.problem }]);

  // The checks below establish what the type claims.
  const declared = copy.value as unknown as ToolDeclaration;
  const problems = checkDeclaration(declared);
  if (problems.length > 0) throw new ToolRegistrationError(name, problems);

  const complete: ToolDefinition = {
    ...declared,
    tags: declared.tags ?? [],
    destructive: declared.destructive ?? false,
    determinism: declared.determinism ?? "nondeterministic",
    requires: declared.requires ?? [],
    callers: declared.callers ?? ["direct"],
    visibility: declared.visibility ?? {},
    annotations: annotate({ ...declared, destructive: declared.destructive ?? false }, declared.annotations),
  };
  return Object.freeze(complete);
}

function checkDeclaration(declared: ToolDeclaration): readonly Problem[] {
  const problems: Problem[] = [];
  const say = (pointer: string, message: string | undefined, fix?: string): void => {
    if (message !== undefined) problems.push({ severity: "error", pointer, message, ...(fix !== undefined && { fix }) });
  };
  if (typeof declared !== "object" || declared === null) return [{ severity: "error", pointer: "", message: "The definition is not an object" }];

  if (typeof declared.name === "string") say("/name", checkToolName(declared.name));
  else say("/name", "The name is missing");
  for (const field of ["description", "title"] as const) {
    const text: unknown = declared[field];
    if (text === undefined && field === "title") continue;
    if (typeof text !== "string" || text.trim() === "") say(`/${field}`, `The ${field} is missing`, "say what the tool does");
    else say(`/${field}`, hiddenTextIn(text));
  }
  problems.push(...checkObjectSchema(declared.inputSchema, "/inputSchema"));
  if (declared.outputSchema !== undefined) problems.push(...checkSchema(declared.outputSchema, "/outputSchema"));
  if (!Array.isArray(declared.sideEffects)) say("/sideEffects", "The side effects are not declared", `write a list of ${SIDE_EFFECTS.join(", ")}; [] is none`);
  else checkMembers(declared.sideEffects, SIDE_EFFECTS, "/sideEffects", say);
  checkMembers(declared.callers ?? [], CALLERS, "/callers", say);
  checkStrings(declared.tags ?? [], "/tags", say);
  checkRequires(declared, say);
  const { determinism, timeoutMs, destructive, category } = declared;
  if (determinism !== undefined && determinism !== "deterministic" && determinism !== "nondeterministic") {
    say("/determinism", `"${String(determinism)}" is no determinism`, "write deterministic or nondeterministic");
  }
  if (timeoutMs !== undefined && !(Number.isInteger(timeoutMs) && timeoutMs > 0)) say("/timeoutMs", "The timeout is not a positive whole number of milliseconds");
  if (destructive !== undefined && typeof destructive !== "boolean") say("/destructive", "The value is not true or false");
  if (category !== undefined && typeof category !== "string") say("/category", "The category is not text");
  checkStrings(declared.visibility?.roles ?? [], "/visibility/roles", say);
  checkStrings(declared.visibility?.notRoles ?? [], "/visibility/notRoles", say);
  if (declared.permissions !== undefined) {
    const permissions = parsePermissions(declared.permissions, "/permissions");
    if (!permissions.ok) problems.push(...permissions.problems);
  }
  return problems;
}

type Say = (pointer: string, message: string | undefined, fix?: string) => void;

function checkObjectSchema(schema: JsonSchema, pointer: string): readonly Problem[] {
  if (schema === undefined) return [{ severity: "error", pointer, message: "The input schema is missing", fix: 'write {"type": "object"} for a tool without arguments' }];
  return checkSchema(schema, pointer);
}

function checkMembers(values: readonly string[], allowed: readonly string[], pointer: string, say: Say): void {
  if (!Array.isArray(values)) return say(pointer, "The value is not a list");
  for (const [index, value] of values.entries()) {
    if (!allowed.includes(value)) say(`${pointer}/${index}`, `"${String(value)}" is not known`, `write one of ${allowed.join(", ")}`);
  }
}

function checkStrings(values: readonly string[], pointer: string, say: Say): void {
  if (!Array.isArray(values) || !values.every((value) => typeof value === "string")) say(pointer, "The value is not a list of texts");
}

function checkRequires(declared: ToolDeclaration, say: Say): void {
  const requires = declared.requires ?? [];
  if (!Array.isArray(requires)) return say("/requires", "The value is not a list");
  for (const [index, requirement] of requires.entries()) {
    if (!["read", "write", "net"].includes(requirement?.capability)) say(`/requires/${index}/capability`, "The capability is not known", "write read, write or net");
    if (!Object.hasOwn(declared.inputSchema?.properties ?? {}, requirement?.arg)) {
      say(`/requires/${index}/arg`, `"${String(requirement?.arg)}" is no property of the input schema`);
    }
  }
}

function hiddenTextIn(text: string): string | undefined {
  const hidden = findHiddenText(text);
  return hidden && `The text has ${hidden.description} at position ${hidden.index}`;
}
