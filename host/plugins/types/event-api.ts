/** Events, abort signals and `DOMException` as a plugin sees them. */

import type { ApiGroup } from "./api-group.ts";

const EVENTS = `
interface EventInit {
  bubbles?: boolean;
  cancelable?: boolean;
  composed?: boolean;
}
interface CustomEventInit<T = any> extends EventInit {
  detail?: T;
}
interface ErrorEventInit extends EventInit {
  message?: string;
  filename?: string;
  lineno?: number;
  colno?: number;
  error?: any;
}
interface MessageEventInit<T = any> extends EventInit {
  data?: T;
  origin?: string;
  lastEventId?: string;
}
interface CloseEventInit extends EventInit {
  wasClean?: boolean;
  code?: number;
  reason?: string;
}
interface PromiseRejectionEventInit extends EventInit {
  promise: Promise<any>;
  reason?: any;
}
interface EventListener {
  (event: Event): void | Promise<void>;
}
interface EventListenerObject {
  handleEvent(event: Event): void | Promise<void>;
}
type EventListenerOrEventListenerObject = EventListener | EventListenerObject;
interface EventListenerOptions {
  capture?: boolean;
}
interface AddEventListenerOptions extends EventListenerOptions {
  once?: boolean;
  passive?: boolean;
  signal?: AbortSignal;
}
declare class Event {
  static readonly NONE: 0;
  static readonly CAPTURING_PHASE: 1;
  static readonly AT_TARGET: 2;
  static readonly BUBBLING_PHASE: 3;
  constructor(type: string, options?: EventInit);
  readonly NONE: 0;
  readonly CAPTURING_PHASE: 1;
  readonly AT_TARGET: 2;
  readonly BUBBLING_PHASE: 3;
  readonly type: string;
  readonly target: EventTarget | null;
  /** @deprecated */
  readonly srcElement: EventTarget | null;
  readonly currentTarget: EventTarget | null;
  readonly eventPhase: number;
  readonly bubbles: boolean;
  readonly cancelable: boolean;
  readonly composed: boolean;
  readonly defaultPrevented: boolean;
  readonly isTrusted: boolean;
  readonly timeStamp: number;
  returnValue: boolean;
  cancelBubble: boolean;
  composedPath(): EventTarget[];
  preventDefault(): void;
  stopPropagation(): void;
  stopImmediatePropagation(): void;
  /** @deprecated */
  initEvent(type: string, bubbles?: boolean, cancelable?: boolean): void;
}
declare class CustomEvent<T = any> extends Event {
  constructor(type: string, options?: CustomEventInit<T>);
  readonly detail: T;
}
declare class CloseEvent extends Event {
  constructor(type: string, options?: CloseEventInit);
  readonly wasClean: boolean;
  readonly code: number;
  readonly reason: string;
}
declare class ErrorEvent extends Event {
  constructor(type: string, options?: ErrorEventInit);
  readonly message: string;
  readonly filename: string;
  readonly lineno: number;
  readonly colno: number;
  readonly error: any;
}
declare class MessageEvent<T = any> extends Event {
  constructor(type: string, options?: MessageEventInit<T>);
  readonly data: T;
  readonly origin: string;
  readonly lastEventId: string;
  readonly source: unknown;
  readonly ports: readonly unknown[];
}
declare class PromiseRejectionEvent extends Event {
  constructor(type: string, options: PromiseRejectionEventInit);
  readonly promise: Promise<any>;
  readonly reason: any;
}
declare class EventTarget {
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: boolean | AddEventListenerOptions,
  ): void;
  removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: boolean | EventListenerOptions,
  ): void;
  dispatchEvent(event: Event): boolean;
}
declare function addEventListener(
  type: string,
  listener: EventListenerOrEventListenerObject | null,
  options?: boolean | AddEventListenerOptions,
): void;
declare function removeEventListener(
  type: string,
  listener: EventListenerOrEventListenerObject | null,
  options?: boolean | EventListenerOptions,
): void;
declare function dispatchEvent(event: Event): boolean;
declare function reportError(error: any): void;
`;

const ABORT = `
declare class AbortSignal extends EventTarget {
  private constructor();
  static abort(reason?: any): AbortSignal;
  static timeout(milliseconds: number): AbortSignal;
  static any(signals: AbortSignal[]): AbortSignal;
  readonly aborted: boolean;
  readonly reason: any;
  onabort: ((this: AbortSignal, event: Event) => any) | null;
  throwIfAborted(): void;
}
declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: any): void;
}
`;

/** The constants of `DOMException`, in the standard's order: their values are 1, 2, 3, … */
const CODES = [
  ...["INDEX_SIZE_ERR", "DOMSTRING_SIZE_ERR", "HIERARCHY_REQUEST_ERR", "WRONG_DOCUMENT_ERR", "INVALID_CHARACTER_ERR"],
  ...["NO_DATA_ALLOWED_ERR", "NO_MODIFICATION_ALLOWED_ERR", "NOT_FOUND_ERR", "NOT_SUPPORTED_ERR", "INUSE_ATTRIBUTE_ERR"],
  ...["INVALID_STATE_ERR", "SYNTAX_ERR", "INVALID_MODIFICATION_ERR", "NAMESPACE_ERR", "INVALID_ACCESS_ERR", "VALIDATION_ERR"],
  ...["TYPE_MISMATCH_ERR", "SECURITY_ERR", "NETWORK_ERR", "ABORT_ERR", "URL_MISMATCH_ERR", "QUOTA_EXCEEDED_ERR", "TIMEOUT_ERR"],
  ...["INVALID_NODE_TYPE_ERR", "DATA_CLONE_ERR"],
];

const DOM_EXCEPTION = `
declare class DOMException extends Error {
${CODES.map((name, index) => `  static readonly ${name}: ${index + 1};\n  readonly ${name}: ${index + 1};`).join("\n")}
  constructor(message?: string, name?: string);
  readonly name: string;
  readonly message: string;
  readonly code: number;
}
declare class QuotaExceededError extends DOMException {
  constructor(message?: string, options?: { quota?: number; requested?: number });
  readonly quota: number | null;
  readonly requested: number | null;
}
`;

/** Available to every plugin. */
export const EVENT_API: readonly ApiGroup[] = [{ text: EVENTS }, { text: ABORT }, { text: DOM_EXCEPTION }];
