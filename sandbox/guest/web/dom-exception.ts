/** `DOMException` (https://webidl.spec.whatwg.org/#idl-DOMException). */

import {
  bareObject,
  define,
  errorIsError,
  objectSetPrototypeOf,
  PrimordialError,
  PrimordialRangeError,
  PrimordialTypeError,
  reflectGet,
  stringEndsWith,
  stringSlice,
  stringStartsWith,
} from "../language/primordials.ts";
import { currentStack } from "../inspect/stack.ts";
import { constant, type Described, exposeInterface, nameFunction, showAs, toDictionary, toDomString } from "./webidl.ts";

/** The legacy code of each name, and the constant that holds it. It has no prototype, because names come from programs. */
const CODES: Record<string, number> = bareObject();
const CONSTANTS: readonly (readonly [code: number, constant: string, name?: string])[] = [
  [1, "INDEX_SIZE_ERR", "IndexSizeError"],
  [2, "DOMSTRING_SIZE_ERR"],
  [3, "HIERARCHY_REQUEST_ERR", "HierarchyRequestError"],
  [4, "WRONG_DOCUMENT_ERR", "WrongDocumentError"],
  [5, "INVALID_CHARACTER_ERR", "InvalidCharacterError"],
  [6, "NO_DATA_ALLOWED_ERR"],
  [7, "NO_MODIFICATION_ALLOWED_ERR", "NoModificationAllowedError"],
  [8, "NOT_FOUND_ERR", "NotFoundError"],
  [9, "NOT_SUPPORTED_ERR", "NotSupportedError"],
  [10, "INUSE_ATTRIBUTE_ERR", "InUseAttributeError"],
  [11, "INVALID_STATE_ERR", "InvalidStateError"],
  [12, "SYNTAX_ERR", "SyntaxError"],
  [13, "INVALID_MODIFICATION_ERR", "InvalidModificationError"],
  [14, "NAMESPACE_ERR", "NamespaceError"],
  [15, "INVALID_ACCESS_ERR", "InvalidAccessError"],
  [16, "VALIDATION_ERR"],
  [17, "TYPE_MISMATCH_ERR", "TypeMismatchError"],
  [18, "SECURITY_ERR", "SecurityError"],
  [19, "NETWORK_ERR", "NetworkError"],
  [20, "ABORT_ERR", "AbortError"],
  [21, "URL_MISMATCH_ERR", "URLMismatchError"],
  [22, "QUOTA_EXCEEDED_ERR", "QuotaExceededError"],
  [23, "TIMEOUT_ERR", "TimeoutError"],
  [24, "INVALID_NODE_TYPE_ERR", "InvalidNodeTypeError"],
  [25, "DATA_CLONE_ERR", "DataCloneError"],
];

export class DOMException {
  #name: string;
  #message: string;

  constructor(message: unknown = "", options: unknown = "Error") {
    this.#message = toDomString(message);
    if (typeof options === "object" && options !== null) {
      const dictionary = toDictionary(options, "Failed to construct 'DOMException'");
      this.#name = dictionary["name"] === undefined ? "Error" : toDomString(dictionary["name"]);
      if ("cause" in dictionary) define(this, "cause", dictionary["cause"]);
    } else {
      this.#name = toDomString(options);
    }
    defineStack(this, currentStack());
  }

  get name(): string {
    return this.#name;
  }

  get message(): string {
    return this.#message;
  }

  get code(): number {
    return CODES[this.#name] ?? 0;
  }

  /** The prelude's access to private fields, whatever a value's prototype is; removed from the class at boot. */
  static access = {
    isDomException: (value: object): boolean => #name in value,
    nameOf: (error: DOMException): string => error.#name,
    messageOf: (error: DOMException): string => error.#message,
  };
}

/** In V8 `stack` is an accessor that programs can assign to. */
function defineStack(target: object, text: string): void {
  let stack: unknown = text;
  const accessors = { get: () => stack, set: (value: unknown) => void (stack = value) };
  Reflect.defineProperty(target, "stack", { __proto__: null, ...accessors, enumerable: false, configurable: true } as PropertyDescriptor);
}

/** `QuotaExceededError` (https://webidl.spec.whatwg.org/#quotaexceedederror). */
export class QuotaExceededError extends DOMException {
  #quota: number | null;
  #requested: number | null;

  constructor(message: unknown = "", options: unknown = undefined) {
    super(message, "QuotaExceededError");
    const what = "Failed to construct 'QuotaExceededError'";
    const { quota, requested } = toDictionary(options, what);
    this.#quota = toAmount(quota, "quota", what);
    this.#requested = toAmount(requested, "requested", what);
    if (this.#quota !== null && this.#requested !== null && this.#requested < this.#quota)
      throw new PrimordialRangeError(`${what}: requested must not be less than quota`);
  }

  get quota(): number | null {
    return this.#quota;
  }

  get requested(): number | null {
    return this.#requested;
  }
}

function toAmount(value: unknown, name: string, what: string): number | null {
  if (value === undefined) return null;
  const amount = +(value as number);
  if (amount !== amount || amount === Infinity || amount === -Infinity)
    throw new PrimordialTypeError(`${what}: ${name} is not a finite floating-point value`);
  if (amount < 0) throw new PrimordialRangeError(`${what}: ${name} must not be negative`);
  return amount;
}

const { nameOf, messageOf } = DOMException.access;
export const isDomException: typeof DOMException.access.isDomException = DOMException.access.isDomException;

/** Returns whether an error of this name is a `DOMException`: the legacy names, and later names without codes. */
export function isDomExceptionName(name: string): boolean {
  return CODES[name] !== undefined;
}

/** Deno shows a `DOMException` by its stack alone, which begins with a header in V8. */
function describe(error: DOMException): Described {
  const name = "DOMException";
  const members = { __proto__: null, message: messageOf(error), name: nameOf(error), code: CODES[nameOf(error)] ?? 0 };
  const stack = readStack(error);
  if (stack === undefined) return { name, members };
  if (stack !== "" && !stringStartsWith(stack, "    at ")) return { name, members, text: stack };
  const header = members.message === "" ? members.name : `${members.name}: ${members.message}`;
  return { name, members, text: stack === "" ? header : `${header}\n${stack}` };
}

function readStack(error: object): string | undefined {
  try {
    const stack = reflectGet(error, "stack");
    if (typeof stack !== "string") return undefined;
    return stringEndsWith(stack, "\n") ? stringSlice(stack, 0, -1) : stack;
  } catch {
    // A program's own getter may throw; the stack is then absent.
    return undefined;
  }
}

export function installDomException(global: object): void {
  // The standard's interface has no such member; it existed only to reach the private name.
  Reflect.deleteProperty(DOMException, "access");
  for (const [code, constantName, name] of CONSTANTS) {
    constant(DOMException, constantName, code);
    constant(DOMException.prototype, constantName, code);
    if (name !== undefined) CODES[name] = code;
  }
  for (const name of [
    "EncodingError",
    "NotReadableError",
    "UnknownError",
    "ConstraintError",
    "DataError",
    "OperationError",
    "NotAllowedError",
  ]) {
    CODES[name] = 0;
  }
  objectSetPrototypeOf(DOMException.prototype, PrimordialError.prototype);
  showAs((value) => (isDomException(value) ? describe(value as DOMException) : undefined));
  const { isError } = {
    isError: (value: unknown) => errorIsError(value) || (typeof value === "object" && value !== null && isDomException(value)),
  };
  nameFunction(isError, "isError", 1);
  define(PrimordialError, "isError", isError);
  exposeInterface(global, "DOMException", DOMException);
  exposeInterface(global, "QuotaExceededError", QuotaExceededError);
}
