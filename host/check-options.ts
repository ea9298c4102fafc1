/** What the embedding program passes to `createHost`, checked before anything is started: a wrong part is an error there, not at its first use. */

import type { HostOptions } from "./host-options.ts";
import type { Log } from "./platform/platform.ts";

type Key = keyof HostOptions;

const FLAGS: readonly Key[] = ["builtins", "undo", "mcpServers", "watch", "settings", "scan"];
/** Functions that each object must have, if it is there. */
const METHODS: Readonly<Partial<Record<Key, readonly string[]>>> = {
  logger: ["write", "child"],
  registry: ["register", "registerMany", "replaceOwner", "removeOwner", "list", "snapshot", "onChange", "keepNames"],
};
/** Members that are functions where they are given. */
const CALLBACKS: Readonly<Partial<Record<Key, readonly string[]>>> = {
  hooks: ["onToolCall", "onToolStart", "onToolEnd"],
  events: ["publish", "redact"],
};
const PLATFORM_PARTS = ["files", "clock", "random", "log", "environment"] as const;

/** @throws {TypeError} naming the option and what it should be */
export function checkOptions(options: HostOptions): void {
  if (!isObject(options)) throw new TypeError("Cannot create a host: the options are not an object");
  for (const key of FLAGS) check(options[key], `"${key}"`, "true or false", (value) => typeof value === "boolean");
  for (const [key, methods] of Object.entries(METHODS)) {
    // A host without a registry is asked for by null.
    if (key === "registry" && options.registry === null) continue;
    // By the table above. What is absent has no methods.
    if (options[key as Key] === undefined) continue;
    for (const method of methods) check(memberOf(options, key, method) ?? null, `"${key}.${method}"`, "a function", isFunction);
  }
  for (const [key, members] of Object.entries(CALLBACKS)) {
    for (const member of members) check(memberOf(options, key, member), `"${key}.${member}"`, "a function", isFunction);
  }
  check(options.loadsAtOnce, '"loadsAtOnce"', "a function", isFunction);
  checkItems(options.tools, '"tools"', "a function that makes a tool (see functionTool)", isFunction);
  checkItems(options.toolkits, '"toolkits"', "a toolkit, or a function that makes one", (one) => isObject(one) || isFunction(one));
  const { store } = options.events ?? {};
  check(store, '"events.store"', "true, false or a store", (value) => typeof value === "boolean" || isObject(value));
  if (options.platform === undefined) return;
  for (const part of PLATFORM_PARTS) check(memberOf(options, "platform", part) ?? null, `"platform.${part}"`, "an object", isObject);
}

/** The embedding program's logger: whatever it throws, at whatever line, is told once to the host's own log, and nothing that is under way ends by it. */
export function guardLog(log: Log, own: Log): Log {
  let hasTold = false;
  const tell = (error: unknown): void => {
    if (hasTold) return;
    hasTold = true;
    own.write("error", "The logger threw, and its lines are lost", { error: String(error) });
  };
  const guard = (inner: Log): Log => ({
    write(level, message, fields) {
      try {
        inner.write(level, message, fields);
      } catch (error) {
        tell(error);
      }
    },
    child(fields) {
      try {
        const child = inner.child(fields);
        if (isObject(child) && isFunction(child.write) && isFunction(child.child)) return guard(child);
        tell(wrong('what "logger.child" returned', "a logger"));
      } catch (error) {
        tell(error);
      }
      return own.child(fields);
    },
  });
  return guard(log);
}

/** The member of the option, which is absent where the option is; an option that is no object is wrong by itself. */
function memberOf(options: HostOptions, key: string, member: string): unknown {
  // By the tables above.
  const value: unknown = options[key as Key];
  if (value === undefined) return undefined;
  if (!isObject(value)) throw wrong(`"${key}"`, "an object");
  return Reflect.get(value, member);
}

/** What is absent is right. */
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

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

function wrong(what: string, wanted: string): TypeError {
  return new TypeError(`Cannot create a host: ${what} is not ${wanted}`);
}
