/** `Deno.env`: the variables that the host grants, with the program's own changes on top; changes end with the call. */

import { ask, requireWholeText } from "../call/channel.ts";
import { isRevoked, requireNotRevoked } from "./deno-permissions.ts";
import {
  define,
  mapForEach,
  mapGet,
  mapHas,
  mapSet,
  PrimordialMap,
  PrimordialTypeError,
  reflectOwnKeys,
  stringIncludes,
} from "../language/primordials.ts";
import { requireArguments, toDomString } from "../web/webidl.ts";

/** Changes of the program; undefined marks a deleted variable. */
const overlay = new PrimordialMap<string, string | undefined>();

function toName(value: unknown): string {
  const name = requireWholeText(toDomString(value), "The name of the variable");
  if (name === "" || stringIncludes(name, "=")) throw new PrimordialTypeError(`Key is an invalid environment variable name: "${name}"`);
  return name;
}

function getVariable(key: unknown): string | undefined {
  requireArguments(arguments.length, 1, "execute 'Deno.env.get'");
  const name = toName(key);
  if (mapHas(overlay, name)) return mapGet(overlay, name);
  requireNotRevoked("env", name);
  return ask({ __proto__: null, operation: "env.get", args: { __proto__: null, name }, convert: toVariable });
}

function toVariable(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function hasVariable(key: unknown): boolean {
  requireArguments(arguments.length, 1, "execute 'Deno.env.has'");
  const name = toName(key);
  if (mapHas(overlay, name)) return mapGet(overlay, name) !== undefined;
  requireNotRevoked("env", name);
  return ask({ __proto__: null, operation: "env.has", args: { __proto__: null, name }, convert: (value) => value === true });
}

function setVariable(key: unknown, value: unknown): void {
  requireArguments(arguments.length, 2, "execute 'Deno.env.set'");
  mapSet(overlay, toName(key), requireWholeText(toDomString(value), "The value of the variable"));
}

function deleteVariable(key: unknown): void {
  requireArguments(arguments.length, 1, "execute 'Deno.env.delete'");
  mapSet(overlay, toName(key), undefined);
}

function toObject(): Record<string, string> {
  requireNotRevoked("env", undefined);
  // The host sends an object of strings.
  const given = ask({
    __proto__: null,
    operation: "env.toObject",
    args: { __proto__: null },
    convert: (value) => value as Readonly<Record<string, string>>,
  });
  const variables: Record<string, string> = {};
  const names = reflectOwnKeys(given);
  for (let index = 0; index < names.length; index++) {
    const name = names[index];
    if (typeof name === "string" && !mapHas(overlay, name) && !isRevoked("env", name)) define(variables, name, given[name], true);
  }
  mapForEach(overlay, (value, name) => {
    if (value !== undefined) define(variables, name, value, true);
  });
  return variables;
}

export function createDenoEnv(): object {
  return { get: getVariable, toObject, set: setVariable, has: hasVariable, delete: deleteVariable };
}
