/** `EventTarget` (https://dom.spec.whatwg.org/#interface-eventtarget), without a tree: an event has one target. */

import { DOMException } from "./dom-exception.ts";
import { type Event, eventAccess } from "./event.ts";
import { bareList, type Callable, define, PrimordialTypeError, reflectApply } from "../language/primordials.ts";
import { reportUncaught } from "./uncaught.ts";
import { exposeInterface, requireArguments, toDomString } from "./webidl.ts";

const access = eventAccess;

interface Listener {
  readonly type: string;
  readonly callback: object;
  readonly capture: boolean;
  readonly once: boolean;
  readonly passive: boolean;
  removed: boolean;
}

export class EventTarget {
  #listeners: Listener[] = bareList<Listener>();

  addEventListener(type: unknown, callback: unknown, options: unknown = undefined): void {
    requireArguments(arguments.length, 2, "execute 'addEventListener' on 'EventTarget'");
    listen(targetOf(this).#listeners, toDomString(type), { callback, options });
  }

  removeEventListener(type: unknown, callback: unknown, options: unknown = undefined): void {
    requireArguments(arguments.length, 2, "execute 'removeEventListener' on 'EventTarget'");
    remove(targetOf(this).#listeners, toDomString(type), { callback, capture: captureOf(options) });
  }

  dispatchEvent(event: unknown): boolean {
    requireArguments(arguments.length, 1, "execute 'dispatchEvent' on 'EventTarget'");
    if (typeof event !== "object" || event === null || !access.isEvent(event)) {
      throw new PrimordialTypeError("Failed to execute 'dispatchEvent' on 'EventTarget': Argument 1 is not an Event");
    }
    const target = targetOf(this);
    return dispatch(target.#listeners, target === globalTarget ? globalObject : target, event);
  }

  static isTarget(this: void, value: object): value is EventTarget {
    return #listeners in value;
  }

  static listenersOf(this: void, target: EventTarget): Listener[] {
    return target.#listeners;
  }
}

const { isTarget, listenersOf } = EventTarget;
/** The global object is an event target too; its methods are called without `this`. */
let globalObject: object = {};
const globalTarget = new EventTarget();

function targetOf(self: object | undefined): EventTarget {
  if (self === undefined || self === globalObject) return globalTarget;
  if (!isTarget(self)) throw new PrimordialTypeError("Illegal invocation");
  return self;
}

interface Registration {
  readonly callback: unknown;
  readonly options?: unknown;
}

function listen(listeners: Listener[], type: string, { callback, options }: Registration): void {
  const { once, passive, signal } = (typeof options === "object" && options !== null ? options : {}) as Readonly<Record<string, unknown>>;
  const capture = captureOf(options);
  if (signal !== undefined && !isAbortSource(signal)) {
    throw new PrimordialTypeError("Failed to execute 'addEventListener' on 'EventTarget': signal is not an AbortSignal");
  }
  if (signal !== undefined && signal.aborted) return;
  if (callback === null || callback === undefined) return;
  if (typeof callback !== "object" && typeof callback !== "function") {
    throw new PrimordialTypeError("Failed to execute 'addEventListener' on 'EventTarget': the listener is not a function or object");
  }
  for (let index = 0; index < listeners.length; index++) {
    const known = listeners[index];
    if (known?.type === type && known.callback === callback && known.capture === capture) return;
  }
  listeners[listeners.length] = { type, callback, capture, once: !!once, passive: !!passive, removed: false };
  if (signal !== undefined)
    listen(listenersOf(signal), "abort", { callback: () => remove(listeners, type, { callback, capture }), options: { once: true } });
}

function isAbortSource(value: unknown): value is EventTarget & { readonly aborted: boolean } {
  return typeof value === "object" && value !== null && isTarget(value) && "aborted" in value;
}

function captureOf(options: unknown): boolean {
  if (typeof options === "object" && options !== null) return !!(options as { readonly capture?: unknown }).capture;
  return !!options;
}

function remove(listeners: Listener[], type: string, wanted: { readonly callback: unknown; readonly capture: boolean }): void {
  let kept = 0;
  for (let index = 0; index < listeners.length; index++) {
    const listener = listeners[index];
    if (listener === undefined) continue;
    if (listener.type === type && listener.callback === wanted.callback && listener.capture === wanted.capture) listener.removed = true;
    else listeners[kept++] = listener;
  }
  listeners.length = kept;
}

function dispatch(listeners: Listener[], target: object, event: Event): boolean {
  if (!access.begin(event, target)) throw new DOMException("The event is already being dispatched", "InvalidStateError");
  const { type } = event;
  // Listeners that are added or removed during the dispatch are not called.
  const due = bareList<Listener>();
  for (let pass = 0; pass < 2; pass++) {
    for (let index = 0; index < listeners.length; index++) {
      const listener = listeners[index];
      if (listener !== undefined && listener.type === type && listener.capture === (pass === 0)) due[due.length] = listener;
    }
  }
  for (let index = 0; index < due.length && !access.isStoppedImmediately(event); index++) {
    const listener = due[index];
    if (listener === undefined || listener.removed) continue;
    // The standard runs capturing listeners at the target before the others, and they can stop those.
    if (!listener.capture && access.isStopped(event) && index > 0 && due[index - 1]?.capture === true) break;
    if (listener.once) remove(listeners, listener.type, listener);
    callListener(listener, target, event);
  }
  return access.end(event);
}

function callListener(listener: Listener, target: object, event: Event): void {
  access.setPassive(event, listener.passive);
  try {
    const { callback } = listener;
    if (typeof callback === "function") {
      reflectApply(callback as Callable, target, [event]);
      return;
    }
    const handle = (callback as { readonly handleEvent?: unknown }).handleEvent;
    if (typeof handle !== "function") throw new PrimordialTypeError("The listener has no function handleEvent");
    reflectApply(handle as Callable, callback, [event]);
  } catch (error) {
    reportUncaught(error);
  } finally {
    access.setPassive(event, false);
  }
}

/** Fires an event of the prelude at a target. @returns false if the event was cancelled */
export function fire(target: EventTarget, event: Event): boolean {
  access.trust(event);
  return dispatch(listenersOf(target), target === globalTarget ? globalObject : target, event);
}

/** Fires an event at the global object, for uncaught errors. */
export function fireGlobally(event: Event): boolean {
  return fire(globalTarget, event);
}

/** Defines an `on…` attribute: one listener that an assignment replaces. */
export function eventHandler(prototype: object, type: string): void {
  const handlers = new WeakMap<object, { callback: unknown; listener: Callable | undefined }>();
  const { get, set } = WeakMap.prototype;
  Reflect.defineProperty(prototype, `on${type}`, {
    configurable: true,
    enumerable: true,
    get(this: object) {
      return (reflectApply(get as Callable, handlers, [this]) as { callback: unknown } | undefined)?.callback ?? null;
    },
    set(this: EventTarget, callback: unknown) {
      const known = reflectApply(get as Callable, handlers, [this]) as { callback: unknown } | undefined;
      const usable = typeof callback === "function" || (typeof callback === "object" && callback !== null) ? callback : null;
      if (known !== undefined) {
        known.callback = usable;
        return;
      }
      const state = { callback: usable as unknown, listener: undefined };
      reflectApply(set as Callable, handlers, [this, state]);
      listen(listenersOf(this), type, {
        callback: (event: Event) => {
          if (typeof state.callback === "function") reflectApply(state.callback as Callable, this, [event]);
        },
      });
    },
  });
}

/** Installs the class on the global object and makes the global object an event target. */
export function installEventTarget(global: object): void {
  globalObject = global;
  Reflect.deleteProperty(EventTarget, "isTarget");
  Reflect.deleteProperty(EventTarget, "listenersOf");
  exposeInterface(global, "EventTarget", EventTarget);
  for (const name of ["addEventListener", "removeEventListener", "dispatchEvent"] as const)
    define(global, name, EventTarget.prototype[name]);
}
