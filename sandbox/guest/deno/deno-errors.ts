/** `Deno.errors`, and the only place where an error answer of the host becomes an error of the guest. */

import { DOMException, isDomExceptionName } from "../web/dom-exception.ts";
import {
  bareObject,
  define,
  objectHasOwn,
  PrimordialError,
  PrimordialRangeError,
  PrimordialTypeError,
  PrimordialURIError,
} from "../language/primordials.ts";
import { cleanStack, currentStack } from "../inspect/stack.ts";
import { nameFunction } from "../web/webidl.ts";

const NAMES = [
  ...["NotFound", "PermissionDenied", "ConnectionRefused", "ConnectionReset", "ConnectionAborted", "NotConnected", "AddrInUse"],
  ...["AddrNotAvailable", "BrokenPipe", "AlreadyExists", "InvalidData", "TimedOut", "Interrupted", "WriteZero", "WouldBlock"],
  ...["UnexpectedEof", "BadResource", "Http", "Busy", "NotSupported", "FilesystemLoop", "IsADirectory", "NetworkUnreachable"],
  ...["NotADirectory", "NotCapable"],
];

type DenoErrorClass = new (message?: string, options?: ErrorOptions) => Error;

/** Error classes by name. The prelude throws these, even if a plugin changed `Deno.errors`. */
const classes: Record<string, DenoErrorClass> = bareObject();

for (const name of NAMES) classes[name] = denoErrorClass(name);

function denoErrorClass(name: string): DenoErrorClass {
  const constructor = class extends PrimordialError {
    constructor(message?: string, options?: ErrorOptions) {
      super(message, options);
      define(this, "name", name);
      define(this, "stack", cleanStack(this.stack ?? ""));
    }
  };
  nameFunction(constructor, name);
  return constructor;
}

/** Creates `Deno.errors` with every class of Deno 2.9. */
export function createDenoErrors(): Record<string, DenoErrorClass> {
  const errors: Record<string, DenoErrorClass> = {};
  for (const name of NAMES) define(errors, name, classes[name], true);
  return errors;
}

export interface ErrorAnswer {
  readonly name: string;
  readonly message: string;
  readonly code?: string | undefined;
}

/**
 * Creates the error that an answer names: a class of `Deno.errors`, a `DOMException`, `TypeError`, `RangeError` or `URIError`,
 * else a plain `Error`. `stack` is the place of the request, if that is no longer on the stack.
 */
export function toGuestError(answer: ErrorAnswer, stack: string = currentStack()): Error {
  const error = instantiate(answer.name, answer.message);
  define(error, "stack", stack);
  if (objectHasOwn(answer, "code")) define(error, "code", answer.code, true);
  return error;
}

function instantiate(name: string, message: string): Error {
  const constructor = classes[name];
  if (constructor !== undefined) return new constructor(message);
  if (name === "TypeError") return new PrimordialTypeError(message);
  if (name === "RangeError") return new PrimordialRangeError(message);
  if (name === "URIError") return new PrimordialURIError(message);
  if (isDomExceptionName(name)) return new DOMException(message, name);
  return new PrimordialError(message);
}
