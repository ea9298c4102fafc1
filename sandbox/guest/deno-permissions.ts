/** `Deno.permissions` (SPEC PA7). The host answers; `revoke` narrows inside the guest only. */

import { ask, request } from "./channel.ts";
import { coversPath, normalizePath, toPath } from "./deno-paths.ts";
import { toGuestError } from "./deno-errors.ts";
import { eventHandler, EventTarget } from "./event-target.ts";
import { bareList, PrimordialTypeError, promiseReject } from "./primordials.ts";
import { shapeInterface, showAs, toDomString } from "./webidl.ts";

type PermissionName = "read" | "write" | "net" | "env" | "sys" | "run" | "ffi" | "import";

/** What a descriptor says besides its name, as far as its name allows. */
interface Descriptor {
  readonly name: PermissionName;
  readonly path?: string;
  readonly host?: string;
  readonly variable?: string;
  readonly kind?: string;
  readonly command?: string;
}

interface Answer {
  readonly state: string;
  readonly partial: boolean;
}

const revoked = bareList<Descriptor>();
const secret = {};

export class PermissionStatus extends EventTarget {
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
}

export class Permissions {
  constructor(key: unknown = undefined) {
    if (key !== secret) throw new PrimordialTypeError("Illegal constructor");
  }

  query(descriptor: unknown): Promise<PermissionStatus> {
    return later(() => queryLater(readDescriptor(descriptor)));
  }

  querySync(descriptor: unknown): PermissionStatus {
    return ask(toRequest(readDescriptor(descriptor)));
  }

  /** Asks nobody yet: what is granted was decided before the call. */
  request(descriptor: unknown): Promise<PermissionStatus> {
    return this.query(descriptor);
  }

  requestSync(descriptor: unknown): PermissionStatus {
    return this.querySync(descriptor);
  }

  revoke(descriptor: unknown): Promise<PermissionStatus> {
    return later(() => {
      const read = readDescriptor(descriptor);
      revoked[revoked.length] = read;
      return queryLater(read);
    });
  }

  revokeSync(descriptor: unknown): PermissionStatus {
    const read = readDescriptor(descriptor);
    revoked[revoked.length] = read;
    return ask(toRequest(read));
  }
}

function later<T>(begin: () => Promise<T>): Promise<T> {
  try {
    return begin();
  } catch (error) {
    return promiseReject(error);
  }
}

function queryLater(descriptor: Descriptor): Promise<PermissionStatus> {
  return request(toRequest(descriptor));
}

function toRequest(descriptor: Descriptor): Parameters<typeof ask<PermissionStatus>>[0] {
  return {
    operation: "permissions.query",
    args: { __proto__: null, ...descriptor },
    convert: (value) => {
      // The host answers `{ state, partial }`.
      const answer = value as Answer;
      const state = answer.state === "granted" && isRevoked(descriptor) ? "prompt" : answer.state;
      return new PermissionStatus({ state, partial: answer.partial === true }, secret);
    },
  };
}

/** @throws {Error} `NotCapable` if the program gave this up itself. */
export function requireNotRevoked(name: "read" | "write" | "env", value: string | undefined): void {
  if (revoked.length === 0) return;
  const isEnv = name === "env";
  const descriptor: Descriptor = value === undefined ? { name } : isEnv ? { name, variable: value } : { name, path: normalizePath(value) };
  if (!isRevoked(descriptor)) return;
  const what = value === undefined ? "" : ` to "${value}"`;
  throw toGuestError({ name: "NotCapable", message: `Requires ${name} access${what}: revoked by the program itself (do not revoke it)` });
}

function isRevoked(wanted: Descriptor): boolean {
  for (let index = 0; index < revoked.length; index++) {
    const given = revoked[index];
    if (given !== undefined && given.name === wanted.name && covers(given, wanted)) return true;
  }
  return false;
}

function covers(given: Descriptor, wanted: Descriptor): boolean {
  if (given.path !== undefined) return wanted.path !== undefined && coversPath(given.path, wanted.path);
  return (
    (given.host === undefined || given.host === wanted.host) &&
    (given.variable === undefined || given.variable === wanted.variable) &&
    (given.kind === undefined || given.kind === wanted.kind) &&
    (given.command === undefined || given.command === wanted.command)
  );
}

/** @throws {TypeError} as Deno does for what is no descriptor. */
function readDescriptor(value: unknown): Descriptor {
  if (typeof value !== "object" || value === null) throw new PrimordialTypeError("Expected a permission descriptor");
  const given = value as Readonly<Record<string, unknown>>;
  const { name } = given;
  switch (name) {
    case "read":
    case "write":
    case "ffi":
      return given["path"] === undefined ? { name } : { name, path: normalizePath(toPath(given["path"])) };
    case "net":
    case "import":
      return given["host"] === undefined ? { name } : { name, host: toDomString(given["host"]) };
    case "env":
      return given["variable"] === undefined ? { name } : { name, variable: toDomString(given["variable"]) };
    case "sys":
      return given["kind"] === undefined ? { name } : { name, kind: toDomString(given["kind"]) };
    case "run":
      return given["command"] === undefined ? { name } : { name, command: toDomString(given["command"]) };
    default:
      throw new PrimordialTypeError(`The provided value "${toDomString(name)}" is not a valid permission name`);
  }
}

export function createPermissions(): Record<string, unknown> {
  const { isStatus } = PermissionStatus;
  Reflect.deleteProperty(PermissionStatus, "isStatus");
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
