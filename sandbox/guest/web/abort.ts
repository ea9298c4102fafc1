/** `AbortController` and `AbortSignal` (https://dom.spec.whatwg.org/#aborting-ongoing-activities). */

import { DOMException } from "./dom-exception.ts";
import { Event } from "./event.ts";
import { eventHandler, EventTarget, fire } from "./event-target.ts";
import { bareList, PrimordialTypeError } from "../language/primordials.ts";
import { startTimer } from "./timers.ts";
import { exposeInterface, requireArguments, showAs } from "./webidl.ts";

const secret = {};

export class AbortSignal extends EventTarget {
  #aborted = false;
  #reason: unknown = undefined;
  /** Dependent signals: those that `any` made from this signal. */
  #dependents = bareList<AbortSignal>();
  /** Source signals of a signal that `any` made. */
  #sources: AbortSignal[] | undefined;
  /** Abort steps of the platform, which run before any listener. */
  #steps = bareList<() => void>();

  constructor(key: unknown = undefined) {
    super();
    if (key !== secret) throw new PrimordialTypeError("Illegal constructor");
  }

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  throwIfAborted(): void {
    if (this.#aborted) throw this.#reason;
  }

  static abort(reason: unknown = undefined): AbortSignal {
    const signal = new AbortSignal(secret);
    signal.#aborted = true;
    signal.#reason = reason === undefined ? abortError() : reason;
    return signal;
  }

  static timeout(milliseconds: unknown): AbortSignal {
    requireArguments(arguments.length, 1, "execute 'AbortSignal.timeout'");
    const delay = +(milliseconds as number);
    if (!(delay >= 0 && delay <= Number.MAX_SAFE_INTEGER)) {
      throw new PrimordialTypeError(
        "Failed to execute 'AbortSignal.timeout': Argument 1 is outside the accepted range of 0 to 9007199254740991, inclusive",
      );
    }
    const signal = new AbortSignal(secret);
    startTimer(() => access.abort(signal, new DOMException("The operation was aborted due to timeout", "TimeoutError")), delay);
    return signal;
  }

  static any(signals: unknown): AbortSignal {
    requireArguments(arguments.length, 1, "execute 'AbortSignal.any'");
    const combined = new AbortSignal(secret);
    const sources = bareList<AbortSignal>();
    for (const source of signals as Iterable<unknown>) {
      if (typeof source !== "object" || source === null || !access.isSignal(source)) {
        throw new PrimordialTypeError("Failed to execute 'AbortSignal.any': an element is not an AbortSignal");
      }
      sources[sources.length] = source;
    }
    for (let index = 0; index < sources.length; index++) {
      const source = sources[index];
      if (source === undefined || !source.#aborted) continue;
      combined.#aborted = true;
      combined.#reason = source.#reason;
      return combined;
    }
    // A combined source is replaced by its own sources, so that all dependents abort at once.
    combined.#sources = bareList<AbortSignal>();
    for (let index = 0; index < sources.length; index++) {
      const source = sources[index];
      if (source !== undefined) combined.#follow(source);
    }
    return combined;
  }

  #follow(source: AbortSignal): void {
    if (source.#sources !== undefined) {
      for (let index = 0; index < source.#sources.length; index++) {
        const origin = source.#sources[index];
        if (origin !== undefined) this.#follow(origin);
      }
      return;
    }
    if (this.#sources !== undefined) this.#sources[this.#sources.length] = source;
    source.#dependents[source.#dependents.length] = this;
  }

  /** Access to signals for the platform, removed from the class at boot. */
  static access = {
    isSignal: (value: object): value is AbortSignal => #aborted in value,
    create: (): AbortSignal => new AbortSignal(secret),
    addStep: (signal: AbortSignal, step: () => void): void => {
      signal.#steps[signal.#steps.length] = step;
    },
    removeStep: (signal: AbortSignal, step: () => void): void => {
      let kept = 0;
      for (let index = 0; index < signal.#steps.length; index++) {
        const known = signal.#steps[index];
        if (known !== undefined && known !== step) signal.#steps[kept++] = known;
      }
      signal.#steps.length = kept;
    },
    abort: (signal: AbortSignal, reason?: unknown): void => {
      if (signal.#aborted) return;
      signal.#aborted = true;
      signal.#reason = reason === undefined ? abortError() : reason;
      const due = bareList<AbortSignal>();
      due[0] = signal;
      // Every dependent signal is marked as aborted before the first listener runs.
      for (let index = 0; index < signal.#dependents.length; index++) {
        const dependent = signal.#dependents[index];
        if (dependent === undefined || dependent.#aborted) continue;
        dependent.#aborted = true;
        dependent.#reason = signal.#reason;
        due[due.length] = dependent;
      }
      signal.#dependents.length = 0;
      for (let index = 0; index < due.length; index++) {
        const next = due[index];
        if (next !== undefined) run(next, next.#steps);
      }
    },
  };
}

const access = AbortSignal.access;

function run(signal: AbortSignal, steps: (() => void)[]): void {
  for (let index = 0; index < steps.length; index++) steps[index]?.();
  steps.length = 0;
  fire(signal, new Event("abort"));
}

function abortError(): DOMException {
  return new DOMException("The signal has been aborted", "AbortError");
}

export const isAbortSignal: (value: object) => value is AbortSignal = access.isSignal;
export const createSignal: () => AbortSignal = access.create;
export const abortSignal: (signal: AbortSignal, reason?: unknown) => void = access.abort;
export const onAbort: (signal: AbortSignal, step: () => void) => void = access.addStep;
export const offAbort: (signal: AbortSignal, step: () => void) => void = access.removeStep;

class AbortController {
  #signal = createSignal();

  get signal(): AbortSignal {
    return this.#signal;
  }

  abort(reason: unknown = undefined): void {
    abortSignal(this.#signal, reason);
  }

  static isController(this: void, value: object): value is AbortController {
    return #signal in value;
  }
}

export function installAbort(global: object): void {
  const { isController } = AbortController;
  Reflect.deleteProperty(AbortController, "isController");
  Reflect.deleteProperty(AbortSignal, "access");
  Reflect.defineProperty(AbortSignal, "length", { value: 0, configurable: true });
  exposeInterface(global, "AbortController", AbortController);
  exposeInterface(global, "AbortSignal", AbortSignal);
  eventHandler(AbortSignal.prototype, "abort");
  showAs((value) => {
    if (isController(value)) return { name: "AbortController", members: { signal: value.signal } };
    if (!isAbortSignal(value)) return undefined;
    const { onabort } = value as unknown as { readonly onabort: unknown };
    return { name: "AbortSignal", members: { aborted: value.aborted, reason: value.reason, onabort } };
  });
}
