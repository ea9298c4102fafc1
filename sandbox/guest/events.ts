/** `Event`, `EventTarget` and the event classes (https://dom.spec.whatwg.org/#events), without a tree. */

import { bareList, type Callable, PrimordialTypeError, reflectApply } from "./primordials.ts";
import { performanceNow } from "./performance.ts";
import { DOMException } from "./dom-exception.ts";
import { reportUncaught } from "./uncaught.ts";
import { constant, exposeInterface, requireArguments, showAs, toDictionary, toDomString } from "./webidl.ts";

const NONE = 0;
const AT_TARGET = 2;

export class Event {
  #type: string;
  #bubbles: boolean;
  #cancelable: boolean;
  #composed: boolean;
  #timeStamp = performanceNow();
  #target: object | null = null;
  #currentTarget: object | null = null;
  #phase = NONE;
  #canceled = false;
  #stopped = false;
  #stoppedImmediately = false;
  #dispatching = false;
  #trusted = false;

  constructor(type: unknown, options: unknown = undefined) {
    requireArguments(arguments.length, 1, "construct 'Event'");
    const { bubbles, cancelable, composed } = toDictionary(options, "Failed to construct 'Event'");
    this.#type = toDomString(type);
    this.#bubbles = !!bubbles;
    this.#cancelable = !!cancelable;
    this.#composed = !!composed;
  }

  get type(): string {
    return this.#type;
  }

  get target(): object | null {
    return this.#target;
  }

  get srcElement(): object | null {
    return this.#target;
  }

  get currentTarget(): object | null {
    return this.#currentTarget;
  }

  get eventPhase(): number {
    return this.#phase;
  }

  get bubbles(): boolean {
    return this.#bubbles;
  }

  get cancelable(): boolean {
    return this.#cancelable;
  }

  get composed(): boolean {
    return this.#composed;
  }

  get defaultPrevented(): boolean {
    return this.#canceled;
  }

  get returnValue(): boolean {
    return !this.#canceled;
  }

  set returnValue(value: unknown) {
    if (!value) this.preventDefault();
  }

  get cancelBubble(): boolean {
    return this.#stopped;
  }

  set cancelBubble(value: unknown) {
    if (value) this.#stopped = true;
  }

  get timeStamp(): number {
    return this.#timeStamp;
  }

  get isTrusted(): boolean {
    return this.#trusted;
  }

  composedPath(): object[] {
    return this.#currentTarget === null ? [] : [this.#currentTarget];
  }

  stopPropagation(): void {
    this.#stopped = true;
  }

  stopImmediatePropagation(): void {
    this.#stopped = true;
    this.#stoppedImmediately = true;
  }

  preventDefault(): void {
    if (this.#cancelable && !this.#passive) this.#canceled = true;
  }

  initEvent(type: unknown, bubbles: unknown = false, cancelable: unknown = false): void {
    if (this.#dispatching) return;
    this.#type = toDomString(type);
    this.#bubbles = !!bubbles;
    this.#cancelable = !!cancelable;
  }

  /** Set while a passive listener runs: it may not prevent anything. */
  #passive = false;

  /** What dispatching does to an event; taken off the class at boot. */
  static access = {
    isEvent: (value: object): value is Event => #type in value,
    trust: (event: Event): void => {
      event.#trusted = true;
    },
    begin: (event: Event, target: object): boolean => {
      if (event.#dispatching) return false;
      event.#dispatching = true;
      event.#target = target;
      event.#currentTarget = target;
      event.#phase = AT_TARGET;
      return true;
    },
    setPassive: (event: Event, passive: boolean): void => {
      event.#passive = passive;
    },
    isStoppedImmediately: (event: Event): boolean => event.#stoppedImmediately,
    isStopped: (event: Event): boolean => event.#stopped,
    /** @returns whether the event was not cancelled. */
    end: (event: Event): boolean => {
      event.#dispatching = false;
      event.#currentTarget = null;
      event.#phase = NONE;
      event.#stopped = false;
      event.#stoppedImmediately = false;
      return !event.#canceled;
    },
  };
}

const access = Event.access;

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
    throw new PrimordialTypeError("Failed to execute 'addEventListener' on 'EventTarget': the listener is no function or object");
  }
  for (let index = 0; index < listeners.length; index++) {
    const known = listeners[index];
    if (known?.type === type && known.callback === callback && known.capture === capture) return;
  }
  listeners[listeners.length] = { type, callback, capture, once: !!once, passive: !!passive, removed: false };
  if (signal !== undefined) listen(listenersOf(signal), "abort", { callback: () => remove(listeners, type, { callback, capture }), options: { once: true } });
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
  // Listeners that are added meanwhile are not called, removed ones are not either.
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
    // The standard keeps capturing listeners at the target before the others and lets them stop those.
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

/** Fires an event of ours at a target. @returns whether it was not cancelled. */
export function fire(target: EventTarget, event: Event): boolean {
  access.trust(event);
  return dispatch(listenersOf(target), target === globalTarget ? globalObject : target, event);
}

/** Fires at the global object, as uncaught errors are. */
export function fireGlobally(event: Event): boolean {
  return fire(globalTarget, event);
}

/** Adds an `on…` attribute: one listener that an assignment replaces. */
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

/** Puts the classes on the global object, and the global object among the targets. */
export function installEvents(global: object): void {
  globalObject = global;
  Reflect.deleteProperty(Event, "access");
  Reflect.deleteProperty(EventTarget, "isTarget");
  Reflect.deleteProperty(EventTarget, "listenersOf");
  for (const [index, name] of ["NONE", "CAPTURING_PHASE", "AT_TARGET", "BUBBLING_PHASE"].entries()) {
    constant(Event, name, index);
    constant(Event.prototype, name, index);
  }
  exposeInterface(global, "Event", Event);
  exposeInterface(global, "EventTarget", EventTarget);
  for (const name of ["addEventListener", "removeEventListener", "dispatchEvent"] as const) {
    Reflect.defineProperty(global, name, { value: EventTarget.prototype[name], writable: true, configurable: true, enumerable: false });
  }
  showAs((value) => {
    if (!access.isEvent(value)) return undefined;
    const members: Record<string, unknown> = {};
    const shown = ["bubbles", "cancelable", "composed", "currentTarget", "defaultPrevented", "eventPhase", "srcElement", "target"] as const;
    for (const key of [...shown, "returnValue", "timeStamp", "type"] as const) members[key] = value[key];
    return { name: value.constructor.name, members };
  });
}
