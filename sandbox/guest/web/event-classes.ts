/** Event classes with members of their own: `CustomEvent`, `ErrorEvent`, `MessageEvent`, `PromiseRejectionEvent`. */

import { Event } from "./event.ts";
import { PrimordialTypeError } from "../language/primordials.ts";
import { exposeInterface, toDictionary, toDomString, toUsvString } from "./webidl.ts";

class CustomEvent extends Event {
  #detail: unknown;

  constructor(type: unknown, options: unknown = undefined) {
    super(type, options);
    const { detail } = toDictionary(options, "Failed to construct 'CustomEvent'");
    this.#detail = detail === undefined ? null : detail;
  }

  get detail(): unknown {
    return this.#detail;
  }
}

export class ErrorEvent extends Event {
  #message: string;
  #filename: string;
  #lineno: number;
  #colno: number;
  #error: unknown;

  constructor(type: unknown, options: unknown = undefined) {
    super(type, options);
    const { message = "", filename = "", lineno = 0, colno = 0, error } = toDictionary(options, "Failed to construct 'ErrorEvent'");
    this.#message = toDomString(message);
    this.#filename = toDomString(filename);
    this.#lineno = +(lineno as number) >>> 0;
    this.#colno = +(colno as number) >>> 0;
    this.#error = error;
  }

  get message(): string {
    return this.#message;
  }

  get filename(): string {
    return this.#filename;
  }

  get lineno(): number {
    return this.#lineno;
  }

  get colno(): number {
    return this.#colno;
  }

  get error(): unknown {
    return this.#error;
  }
}

export class MessageEvent extends Event {
  #data: unknown;
  #origin: string;
  #lastEventId: string;
  #source: unknown;
  #ports: readonly unknown[];

  constructor(type: unknown, options: unknown = undefined) {
    super(type, options);
    const {
      data = null,
      origin = "",
      lastEventId = "",
      source = null,
      ports,
    } = toDictionary(options, "Failed to construct 'MessageEvent'");
    this.#data = data;
    this.#origin = toDomString(origin);
    this.#lastEventId = toDomString(lastEventId);
    this.#source = source;
    this.#ports = Object.freeze(ports === undefined ? [] : [...(ports as Iterable<unknown>)]);
  }

  get data(): unknown {
    return this.#data;
  }

  get origin(): string {
    return this.#origin;
  }

  get lastEventId(): string {
    return this.#lastEventId;
  }

  get source(): unknown {
    return this.#source;
  }

  get ports(): readonly unknown[] {
    return this.#ports;
  }
}

/** Fired for a rejection that the program did not handle (`rejections.ts`). */
export class PromiseRejectionEvent extends Event {
  #promise: unknown;
  #reason: unknown;

  constructor(type: unknown, options: unknown = undefined) {
    super(type, options);
    const dictionary = toDictionary(options, "Failed to construct 'PromiseRejectionEvent'");
    if (dictionary["promise"] === undefined) {
      throw new PrimordialTypeError("Failed to construct 'PromiseRejectionEvent': the option promise is required");
    }
    this.#promise = dictionary["promise"];
    this.#reason = dictionary["reason"];
  }

  get promise(): unknown {
    return this.#promise;
  }

  get reason(): unknown {
    return this.#reason;
  }
}

/** Exists only for programs that construct one, because a guest has no sockets. */
class CloseEvent extends Event {
  #wasClean: boolean;
  #code: number;
  #reason: string;

  constructor(type: unknown, options: unknown = undefined) {
    super(type, options);
    const { wasClean, code = 0, reason = "" } = toDictionary(options, "Failed to construct 'CloseEvent'");
    this.#wasClean = !!wasClean;
    this.#code = +(code as number) & 0xffff;
    this.#reason = toUsvString(reason);
  }

  get wasClean(): boolean {
    return this.#wasClean;
  }

  get code(): number {
    return this.#code;
  }

  get reason(): string {
    return this.#reason;
  }
}

export function installEventClasses(global: object): void {
  exposeInterface(global, "CustomEvent", CustomEvent);
  exposeInterface(global, "CloseEvent", CloseEvent);
  exposeInterface(global, "ErrorEvent", ErrorEvent);
  exposeInterface(global, "MessageEvent", MessageEvent);
  exposeInterface(global, "PromiseRejectionEvent", PromiseRejectionEvent);
}
