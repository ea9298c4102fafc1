/** What the host told about the call: JSON text, read when somebody asks. Most calls never ask. */

import { jsonParse, objectFreeze, objectHasOwn, reflectOwnKeys } from "./primordials.ts";

/** JSON of an object (`protocol.ts`). */
let told = "{}";
let facts: Readonly<Record<string, unknown>> | undefined;

/** A call begins. */
export function tellOfCall(text: string): void {
  told = text;
  facts = undefined;
}

/** One of the things told about the call, frozen through and through; undefined if it was not told. */
export function callFact(name: string): unknown {
  facts ??= readFacts(told);
  return objectHasOwn(facts, name) ? facts[name] : undefined;
}

/** A limit of the call that the prelude keeps itself; undefined if it was not told. */
export function callLimit(name: "pendingOperations" | "timers"): number | undefined {
  const limits = callFact("limits");
  const told = typeof limits === "object" && limits !== null ? (limits as Readonly<Record<string, unknown>>)[name] : undefined;
  return typeof told === "number" && told >= 1 ? told : undefined;
}

function readFacts(text: string): Readonly<Record<string, unknown>> {
  // The engine sends what protocol.ts says.
  const made = jsonParse(text) as Readonly<Record<string, unknown>>;
  freezeMembers(made);
  return made;
}

/** The depth is bounded where the text was made. */
function freezeMembers(value: object): void {
  const keys = reflectOwnKeys(value);
  for (let index = 0; index < keys.length; index++) {
    const member: unknown = (value as Readonly<Record<PropertyKey, unknown>>)[keys[index] ?? ""];
    if (typeof member !== "object" || member === null) continue;
    freezeMembers(member);
    objectFreeze(member);
  }
}
