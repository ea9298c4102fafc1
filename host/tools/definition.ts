/** Validates a host tool's definition like a manifest's: reports every problem at once and fills in defaults (SPEC R2, M3). */

import {
  type JsonObject,
  isJsonObject,
  parseToolDefinition,
  type Problem,
  SIDE_EFFECTS,
  type ToolDefinition,
} from "../../manifests/mod.ts";
import { copyJson } from "../primitives/json/json.ts";
import { ToolRegistrationError } from "./tool-error.ts";
import type { PublishedWords, ToolDeclaration } from "./tool.ts";

const DEFINITION_BOUNDS = { maxBytes: 256 * 1024, maxDepth: 64 };

/** @throws {ToolRegistrationError} with every problem; `field` is the place of the first one. */
export function completeDefinition(declaration: ToolDeclaration): ToolDefinition {
  const name = typeof declaration?.name === "string" ? declaration.name : "?";
  // Only a JSON copy is kept: TypeBox schemas carry symbols, and the program may change its object later.
  const copy = copyJson(declaration, DEFINITION_BOUNDS);
  if (!copy.ok) throw new ToolRegistrationError(name, [{ severity: "error", ...copy.problem }]);

  const missing = isJsonObject(copy.value) ? missingFields(copy.value) : [];
  if (missing.length > 0) throw new ToolRegistrationError(name, missing);
  const parsed = parseToolDefinition(copy.value);
  if (!parsed.ok) throw new ToolRegistrationError(name, parsed.problems);
  return parsed.value;
}

/**
 * Copies the source's own words about a tool, with the bounds of a definition. @throws {ToolRegistrationError} if they exceed the bounds or
 * are not JSON.
 */
export function completePublished(name: string, published: PublishedWords | undefined): PublishedWords | undefined {
  if (published === undefined) return undefined;
  const copy = copyJson(published, DEFINITION_BOUNDS);
  // A copy has the shape of the original.
  if (copy.ok) return copy.value as unknown as PublishedWords;
  const { pointer, message } = copy.problem;
  throw new ToolRegistrationError(name, [{ severity: "error", pointer: `/published${pointer}`, message }]);
}

const REQUIRED: ReadonlyMap<string, string> = new Map([
  ["name", "name the tool"],
  ["description", "describe the tool"],
  ["inputSchema", 'write {"type": "object"} for a tool without arguments'],
  ["sideEffects", `write a list of ${SIDE_EFFECTS.join(", ")}; [] for none`],
]);

/** Reports missing fields at their own pointers; a document reader would report the object that lacks them. */
function missingFields(declared: JsonObject): readonly Problem[] {
  const missing = [...REQUIRED].filter(([field]) => !Object.hasOwn(declared, field));
  return missing.map(([field, fix]) => ({ severity: "error", pointer: `/${field}`, message: `The definition has no "${field}"`, fix }));
}
