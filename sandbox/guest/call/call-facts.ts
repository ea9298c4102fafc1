/** Facts that the host sent about the call: JSON text, parsed on first use because most calls never read it. */

import { jsonParse, objectFreeze, objectHasOwn, reflectOwnKeys } from "../language/primordials.ts";

/** JSON of an object (`protocol.ts`). */
let told = "{}";
let facts: Readonly<Record<string, unknown>> | undefined;

/** Stores the facts when a call begins. */
export function tellOfCall(text: string): void {
  told = text;
  facts = undefined;
}

/** Returns one fact about the call, deeply frozen, or undefined if the host did not send it. */
export function callFact(name: string): unknown {
  facts ??= readFacts(told);
  return objectHasOwn(facts, name) ? facts[name] : undefined;
}

/** Returns a limit of the call that the prelude enforces, or undefined if the host did not send it. */
export function callLimit(name: "pendingOperations" | "timers"): number | undefined {
  const limits = callFact("limits");
  const told = typeof limits === "object" && limits !== null ? (limits as Readonly<Record<string, unknown>>)[name] : undefined;
  return typeof told === "number" && told >= 1 ? told : undefined;
}

function readFacts(text: string): Readonly<Record<string, unknown>> {
  // The engine sends the shape that protocol.ts describes.
  const made = jsonParse(text) as Readonly<Record<string, unknown>>;
  freezeMembers(made);
  return made;
}

/** The engine bounded the depth when it made the text. */
function freezeMembers(value: object): void {
  const keys = reflectOwnKeys(value);
  for (let index = 0; index < keys.length; index++) {
    const member: unknown = (value as Readonly<Record<PropertyKey, unknown>>)[keys[index] ?? ""];
    if (typeof member !== "object" || member === null) continue;
    freezeMembers(member);
    objectFreeze(member);
  }
}
