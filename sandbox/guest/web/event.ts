/** `Event` (https://dom.spec.whatwg.org/#interface-event). */

import { performanceNow } from "../call/call-time.ts";
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

  /** Set while a passive listener runs, which must not prevent the default. */
  #passive = false;

  /** Access to events for dispatch, removed from the class at boot. */
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
    /** @returns false if the event was cancelled */
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

/** Access to events for dispatch. */
export const eventAccess: typeof Event.access = Event.access;

/** Members in the order that Deno shows. */
const SHOWN = [
  "bubbles",
  "cancelable",
  "composed",
  "currentTarget",
  "defaultPrevented",
  "eventPhase",
  "srcElement",
  "target",
  "returnValue",
] as const;

export function installEvent(global: object): void {
  Reflect.deleteProperty(Event, "access");
  for (const [index, name] of ["NONE", "CAPTURING_PHASE", "AT_TARGET", "BUBBLING_PHASE"].entries()) {
    constant(Event, name, index);
    constant(Event.prototype, name, index);
  }
  exposeInterface(global, "Event", Event);
  showAs((value) => {
    if (!eventAccess.isEvent(value)) return undefined;
    const members: Record<string, unknown> = {};
    for (const key of [...SHOWN, "timeStamp", "type"] as const) members[key] = value[key];
    return { name: value.constructor.name, members };
  });
}
