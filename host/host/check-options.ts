/** Validates the options of `createHost` before anything is started, so that an invalid option fails there and not at its first use. */

import type { WarmWorkers } from "../../sandbox/mod.ts";
import { CONSENT_MODES } from "../plugins/consent/change.ts";
import type { HostOptions } from "./host-options.ts";
import { ISOLATION_KINDS } from "../../manifests/mod.ts";

type Key = keyof HostOptions;

const FLAGS: readonly Key[] = ["builtins", "undo", "watch", "settings", "scan", "resume"];
/** Methods that each object must have, if it is given. */
const METHODS: Readonly<Partial<Record<Key, readonly string[]>>> = {
  logger: ["write", "child"],
  sandbox: ["load", "invoke", "unload", "endSession", "close"],
  registry: ["register", "registerMany", "replaceOwner", "removeOwner", "list", "snapshot", "onChange", "keepNames", "reserve"],
};
/** Members that must be functions, if they are given. */
const CALLBACKS: Readonly<Partial<Record<Key, readonly string[]>>> = {
  hooks: ["onToolCall", "onToolStart", "onToolEnd"],
  events: ["publish", "redact"],
};
const STORE_METHODS = ["prepare", "append", "flush", "close"] as const;
const PLATFORM_PARTS = ["files", "clock", "random", "log", "environment"] as const;

/** @throws {TypeError} with the option and its expected value */
export function checkOptions(options: HostOptions): void {
  if (!isObject(options)) throw new TypeError("Cannot create a host: the options are not an object");
  for (const key of FLAGS) check(options[key], `"${key}"`, "true or false", (value) => typeof value === "boolean");
  const { mcpServers } = options;
  check(
    mcpServers,
    '"mcpServers"',
    "true, false or { only: a name }",
    () => typeof mcpServers === "boolean" || (isObject(mcpServers) && isText(mcpServers.only)),
  );
  for (const [key, methods] of Object.entries(METHODS)) {
    // `null` creates a host without a registry.
    if (key === "registry" && options.registry === null) continue;
    // The key comes from the table above. An absent option has no methods to check.
    if (options[key as Key] === undefined) continue;
    for (const method of methods) check(memberOf(options, key, method) ?? null, `"${key}.${method}"`, "a function", isFunction);
  }
  for (const [key, members] of Object.entries(CALLBACKS)) {
    for (const member of members) check(memberOf(options, key, member), `"${key}.${member}"`, "a function", isFunction);
  }
  check(options.loadsAtOnce, '"loadsAtOnce"', "a function", isFunction);
  check(options.warmWorkers, '"warmWorkers"', '"spare", "first" or "none"', (value) => WARM_WORKERS.includes(String(value)));
  checkItems(options.tools, '"tools"', "a function that makes a tool (see functionTool)", isFunction);
  checkItems(options.toolkits, '"toolkits"', "a toolkit, or a function that makes one", (one) => isObject(one) || isFunction(one));
  checkValues(options);
  const { store, bufferSize } = options.events ?? {};
  check(store, '"events.store"', "true, false or a store", (value) => typeof value === "boolean" || isObject(value));
  if (isObject(store)) {
    for (const method of STORE_METHODS) check(Reflect.get(store, method) ?? null, `"events.store.${method}"`, "a function", isFunction);
  }
  check(bufferSize, '"events.bufferSize"', "a whole number above 0", (value) => Number.isSafeInteger(value) && Number(value) > 0);
  if (options.platform === undefined) return;
  for (const part of PLATFORM_PARTS) check(memberOf(options, "platform", part) ?? null, `"platform.${part}"`, "an object", isObject);
}

const WARM_WORKERS: readonly string[] = ["spare", "first", "none"] satisfies WarmWorkers[];

/** Validates values that `bascule.json` also sets: an invalid one would count as its default, or fail far from here. */
function checkValues({ plugins, workspace, config, grants, trust, policy, isolation, consent, learning, telemetry }: HostOptions): void {
  check(plugins, '"plugins"', "a folder, or a list of folders", (value) => isText(value) || (Array.isArray(value) && value.every(isText)));
  check(workspace, '"workspace"', "a folder", isText);
  check(config, '"config"', "a path, an object or false", (value) => isText(value) || isRecord(value) || value === false);
  check(grants, '"grants"', "an object of permissions by plugin", (value) => isRecord(value) && Object.values(value).every(isRecord));
  check(trust, '"trust"', '"all" or "agreed"', (value) => value === "all" || value === "agreed");
  check(policy, '"policy"', "an object", isRecord);
  check(
    isolation,
    '"isolation"',
    `${listed(ISOLATION_KINDS)}, or an object`,
    (value) => isOneOf(ISOLATION_KINDS, value) || isRecord(value),
  );
  if (isRecord(isolation)) {
    const { by, alone } = isolation;
    check(by, '"isolation.by"', listed(ISOLATION_KINDS), (value) => isOneOf(ISOLATION_KINDS, value));
    check(alone, '"isolation.alone"', "a list of plugins", (value) => Array.isArray(value) && value.every(isText));
  }
  check(consent, '"consent"', `${listed(CONSENT_MODES)}, or an object`, (value) => isOneOf(CONSENT_MODES, value) || isRecord(value));
  if (isRecord(consent)) {
    check(consent.mode, '"consent.mode"', listed(CONSENT_MODES), (value) => isOneOf(CONSENT_MODES, value));
    for (const key of ["lock", "keep", "frozen"] as const) check(consent[key], `"consent.${key}"`, "true or false", isFlag);
  }
  check(learning, '"learning"', "an object with a plugin, its maximum and a base", (value) => {
    return isRecord(value) && isText(value["plugin"]) && isRecord(value["maximum"]) && isText(value["base"]);
  });
  check(telemetry, '"telemetry"', "true, false or an object", (value) => isFlag(value) || isRecord(value));
  if (isRecord(telemetry)) check(telemetry["content"], '"telemetry.content"', "true or false", isFlag);
}

/** Returns a member of the option; undefined if the option is absent. An option that is not an object is refused. */
function memberOf(options: HostOptions, key: string, member: string): unknown {
  // The key comes from the tables above.
  const value: unknown = options[key as Key];
  if (value === undefined) return undefined;
  if (!isObject(value)) throw wrong(`"${key}"`, "an object");
  return Reflect.get(value, member);
}

/** Accepts an absent value. */
function check(value: unknown, what: string, wanted: string, isRight: (value: unknown) => boolean): void {
  if (value !== undefined && !isRight(value)) throw wrong(what, wanted);
}

function checkItems(value: unknown, what: string, wanted: string, isRight: (value: unknown) => boolean): void {
  if (value === undefined) return;
  if (!Array.isArray(value)) throw wrong(what, "a list");
  for (const [index, item] of value.entries()) if (!isRight(item)) throw wrong(`${what}, item ${index},`, wanted);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !Array.isArray(value);
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function isFlag(value: unknown): boolean {
  return typeof value === "boolean";
}

function isOneOf(choices: readonly string[], value: unknown): boolean {
  return choices.some((choice) => choice === value);
}

function listed(choices: readonly string[]): string {
  return choices.map((choice) => `"${choice}"`).join(" or ");
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

function wrong(what: string, wanted: string): TypeError {
  return new TypeError(`Cannot create a host: ${what} is not ${wanted}`);
}
