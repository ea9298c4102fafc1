/**
 * `Deno.permissions` (SPEC PA7). The host answers. Each request carries the permissions that the program has revoked, so that all
 * rules for them are in one place.
 */

import { ask, request } from "../call/channel.ts";
import { toPath } from "./deno-paths.ts";
import { toGuestError } from "./deno-errors.ts";
import { Event } from "../web/event.ts";
import { eventHandler, EventTarget, fire } from "../web/event-target.ts";
import { type FlatObject, objectToJson } from "../language/json-text.ts";
import {
  arrayJoin,
  bareList,
  mapGet,
  mapSet,
  PrimordialMap,
  PrimordialTypeError,
  promiseReject,
  stringSlice,
} from "../language/primordials.ts";
import { urlParts } from "../web/url.ts";
import { shapeInterface, showAs, toDomString } from "../web/webidl.ts";

type PermissionName = "read" | "write" | "net" | "env" | "sys" | "run" | "ffi" | "import";

/** The member of a descriptor beside its kind. */
type Field = "path" | "host" | "variable" | "kind" | "command";

/** `subject` is absent if the descriptor covers the whole kind. */
interface Descriptor {
  readonly name: PermissionName;
  readonly field: Field;
  readonly subject: string | undefined;
}

interface Answer {
  readonly state: string;
  readonly partial: boolean;
  /** Whether the permission would be granted if the program had not revoked it. */
  readonly revoked?: boolean;
}

const revoked = bareList<Descriptor>();
/** One status object per descriptor, as in Deno: later queries update it and fire its change event. */
const statuses = new PrimordialMap<string, PermissionStatus>();
const secret = {};

class PermissionStatus extends EventTarget {
  #answer: Answer;

  constructor(answer: Answer, key: unknown) {
    if (key !== secret) throw new PrimordialTypeError("Illegal constructor");
    super();
    this.#answer = answer;
  }

  get state(): string {
    return this.#answer.state;
  }

  get partial(): boolean {
    return this.#answer.partial;
  }

  static isStatus(this: void, value: object): value is PermissionStatus {
    return #answer in value;
  }

  static update(this: void, status: PermissionStatus, answer: Answer): void {
    const { state, partial } = status.#answer;
    if (state === answer.state && partial === answer.partial) return;
    status.#answer = answer;
    fire(status, new Event("change"));
  }
}

const { isStatus, update } = PermissionStatus;

class Permissions {
  constructor(key: unknown = undefined) {
    if (key !== secret) throw new PrimordialTypeError("Illegal constructor");
  }

  query(descriptor: unknown): Promise<PermissionStatus> {
    return later(() => request(toRequest(readDescriptor(descriptor))));
  }

  querySync(descriptor: unknown): PermissionStatus {
    return ask(toRequest(readDescriptor(descriptor)));
  }

  request(descriptor: unknown): Promise<PermissionStatus> {
    return later(() => request(toRequest(readDescriptor(descriptor, "."), "permissions.request", answerRequest)));
  }

  requestSync(descriptor: unknown): PermissionStatus {
    return ask(toRequest(readDescriptor(descriptor, "."), "permissions.request", answerRequest));
  }

  revoke(descriptor: unknown): Promise<PermissionStatus> {
    return later(() => request(toRequest(giveUp(readDescriptor(descriptor)))));
  }

  revokeSync(descriptor: unknown): PermissionStatus {
    return ask(toRequest(giveUp(readDescriptor(descriptor))));
  }
}

function later<T>(begin: () => Promise<T>): Promise<T> {
  try {
    return begin();
  } catch (error) {
    return promiseReject(error);
  }
}

/** The host asks the user for a confirmation if it can. Without one, the answer is that of Deno without a terminal. */
function answerRequest(answer: Answer): Answer {
  return answer.state === "prompt" ? { state: "denied", partial: false } : answer;
}

function toRequest(
  descriptor: Descriptor,
  operation = "permissions.query",
  adapt: (answer: Answer) => Answer = asIs,
): Parameters<typeof ask<PermissionStatus>>[0] {
  return {
    __proto__: null,
    operation,
    args: toArgs(descriptor),
    json: toJson(descriptor),
    convert: (value) => {
      // The host answers `{ state, partial }`.
      const answer = adapt(value as Answer);
      const key = keyOf(descriptor);
      const known = mapGet(statuses, key);
      if (known !== undefined) {
        update(known, answer);
        return known;
      }
      const status = new PermissionStatus(answer, secret);
      mapSet(statuses, key, status);
      return status;
    },
  };
}

function asIs(answer: Answer): Answer {
  return answer;
}

function toArgs({ name, field, subject }: Descriptor): FlatObject {
  return { __proto__: null, name, [field]: subject };
}

function toJson(descriptor: Descriptor): string {
  const text = objectToJson(toArgs(descriptor));
  if (revoked.length === 0) return text;
  const given = bareList<string>();
  for (let index = 0; index < revoked.length; index++) {
    const item = revoked[index];
    if (item !== undefined) given[given.length] = objectToJson(toArgs(item));
  }
  return `${stringSlice(text, 0, -1)},"revoked":[${arrayJoin(given, ",")}]}`;
}

function keyOf({ name, subject }: Descriptor): string {
  return subject === undefined ? name : `${name}-${subject}`;
}

/** Stored once, because a program may revoke the same permission in a loop. */
function giveUp(descriptor: Descriptor): Descriptor {
  const key = keyOf(descriptor);
  for (let index = 0; index < revoked.length; index++) {
    const known = revoked[index];
    if (known !== undefined && keyOf(known) === key) return descriptor;
  }
  revoked[revoked.length] = descriptor;
  return descriptor;
}

/** @throws {Error} `NotCapable` if the program revoked this permission itself */
export function requireNotRevoked(name: "read" | "write" | "env", value: string | undefined): void {
  if (!isRevoked(name, value)) return;
  const what = value === undefined ? "" : ` to "${value}"`;
  throw toGuestError({ name: "NotCapable", message: `Requires ${name} access${what}: revoked by the program itself (do not revoke it)` });
}

/** Returns true if the program has revoked a permission that it would have otherwise. */
export function isRevoked(name: "read" | "write" | "env", subject: string | undefined): boolean {
  let concerns = false;
  for (let index = 0; index < revoked.length; index++) {
    const given = revoked[index];
    if (given?.name !== name) continue;
    if (given.subject === undefined) return true;
    concerns = true;
  }
  if (!concerns) return false;
  const descriptor: Descriptor = { name, field: name === "env" ? "variable" : "path", subject };
  return ask({
    __proto__: null,
    operation: "permissions.query",
    args: toArgs(descriptor),
    json: toJson(descriptor),
    convert: (value) => (value as Answer).revoked === true,
  });
}

/** @throws {TypeError} like Deno for an invalid descriptor; `end` is the end of Deno's message */
function readDescriptor(value: unknown, end = ""): Descriptor {
  const given = (typeof value === "object" && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
  const { name } = given;
  switch (name) {
    case "read":
    case "write":
    case "ffi":
      return { name, field: "path", subject: toSubject(fromUrl(given["path"])) };
    case "net":
    case "import":
      return { name, field: "host", subject: toSubject(given["host"]) };
    case "env":
      return { name, field: "variable", subject: toSubject(given["variable"]) };
    case "sys":
      return { name, field: "kind", subject: toSubject(given["kind"]) };
    case "run":
      return { name, field: "command", subject: toSubject(fromUrl(given["command"])) };
    default: {
      // Deno reads `name` from values of any type.
      const shown = value === null || value === undefined ? undefined : (value as { readonly name?: unknown }).name;
      throw new PrimordialTypeError(`The provided value "${toDomString(shown)}" is not a valid permission name${end}`);
    }
  }
}

function toSubject(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : toDomString(value);
}

function fromUrl(value: unknown): unknown {
  const parts = typeof value === "object" && value !== null ? urlParts(value) : undefined;
  if (parts === undefined) return value;
  if (parts.protocol !== "file:") throw new PrimordialTypeError("Must be a file URL");
  return toPath(value);
}

export function createPermissions(): Record<string, unknown> {
  Reflect.deleteProperty(PermissionStatus, "isStatus");
  Reflect.deleteProperty(PermissionStatus, "update");
  for (const constructor of [Permissions, PermissionStatus])
    Reflect.defineProperty(constructor, "length", { value: 0, configurable: true });
  shapeInterface(Permissions, "Permissions");
  shapeInterface(PermissionStatus, "PermissionStatus");
  eventHandler(PermissionStatus.prototype, "change");
  showAs((value) => {
    if (!isStatus(value)) return undefined;
    const { onchange } = value as unknown as { readonly onchange: unknown };
    return {
      name: "PermissionStatus",
      members: value.partial ? { state: value.state, onchange, partial: true } : { state: value.state, onchange },
    };
  });
  return { permissions: new Permissions(secret), Permissions, PermissionStatus };
}
