/** `MessageChannel` and `MessagePort` (https://html.spec.whatwg.org/#message-channels), with both ends in the same guest. */

import { DOMException } from "./dom-exception.ts";
import { MessageEvent } from "./event-classes.ts";
import { eventHandler, EventTarget, fire } from "./event-target.ts";
import { Event } from "./event.ts";
import {
  bareList,
  type Callable,
  objectFreeze,
  PrimordialSymbol,
  PrimordialTypeError,
  reflectApply,
  reflectDefineProperty,
  reflectGet,
  reflectGetOwnPropertyDescriptor,
} from "../language/primordials.ts";
import { transferAs } from "./serializable.ts";
import { cloneAndTransfer, readTransfer } from "./structured-clone.ts";
import { isTimerWaiting, startTimer } from "./timers.ts";
import { exposeInterface, requireArguments, showAs, toDictionary } from "./webidl.ts";

const { iterator } = PrimordialSymbol;
const secret = {};

interface Message {
  readonly data: unknown;
  readonly ports: readonly object[];
}

/** State that two ports share. A transferred port leaves its side to the port that replaces it. */
interface Side {
  /** The port that receives these messages; undefined once it is closed. */
  owner: MessagePort | undefined;
  other: Side | undefined;
  readonly queue: Message[];
  /** The timer that delivers the first message. */
  task: number;
}

class MessagePort extends EventTarget {
  /** Undefined after the port was transferred. */
  #side: Side | undefined;
  #started = false;

  constructor(key: unknown = undefined) {
    super();
    if (key !== secret) throw new PrimordialTypeError("Illegal constructor");
  }

  postMessage(message: unknown, transferOrOptions: unknown = undefined): void {
    requireArguments(arguments.length, 1, "execute 'postMessage' on 'MessagePort'");
    const transferred = readTransferList(transferOrOptions);
    for (let index = 0; index < transferred.length; index++) {
      if (transferred[index] === this) throw new DOMException("Can not transfer self", "DataCloneError");
    }
    const { value, moved } = cloneAndTransfer(message, transferred);
    const target = this.#side?.other;
    if (target === undefined) return;
    const ports = bareList<object>();
    for (let index = 0; index < moved.length; index++) {
      const item = moved[index];
      if (item !== undefined && access.isPort(item)) ports[ports.length] = item;
    }
    target.queue[target.queue.length] = { data: value, ports };
    schedule(target);
  }

  start(): void {
    this.#started = true;
    if (this.#side !== undefined) schedule(this.#side);
  }

  ref(): void {
    access.require(this);
  }

  unref(): void {
    access.require(this);
  }

  hasRef(): boolean {
    access.require(this);
    return false;
  }

  close(): void {
    const other = this.#side?.other;
    if (this.#side === undefined || this.#side.owner === undefined) return;
    this.#side.owner = undefined;
    this.#side.queue.length = 0;
    if (other === undefined) return;
    // Messages posted earlier are still delivered; then the other end is notified.
    other.other = undefined;
    startTimer(() => {
      if (other.owner !== undefined) fire(other.owner, new Event("close"));
    }, 0);
  }

  /** Access to ports for channels and transfers, removed from the class at boot. */
  static access = {
    isPort: (value: object): value is MessagePort => #side in value,
    require: (port: MessagePort): void => void port.#side,
    create: (side: Side): MessagePort => {
      const port = new MessagePort(secret);
      port.#side = side;
      side.owner = port;
      return port;
    },
    isDetached: (port: MessagePort): boolean => port.#side === undefined,
    /** @returns the side that the port leaves */
    detach: (port: MessagePort): Side => {
      const side = port.#side ?? createSide();
      port.#side = undefined;
      return side;
    },
    isStarted: (port: MessagePort): boolean => port.#started,
  };
}

const access = MessagePort.access;

function createSide(): Side {
  return { owner: undefined, other: undefined, queue: bareList<Message>(), task: 0 };
}

/** Schedules one task at a time, so that a flood of messages needs only one timer. */
function schedule(side: Side): void {
  if (isTimerWaiting(side.task) || side.queue.length === 0 || side.owner === undefined || !access.isStarted(side.owner)) return;
  side.task = startTimer(() => {
    const [message] = takeFirst(side.queue);
    const { owner } = side;
    if (message === undefined || owner === undefined || !access.isStarted(owner)) return;
    schedule(side);
    fire(owner, new MessageEvent("message", { __proto__: null, data: message.data, ports: frozenArray(message.ports) }));
  }, 0);
}

function takeFirst(queue: Message[]): readonly Message[] {
  const first = queue[0];
  if (first === undefined) return [];
  for (let index = 1; index < queue.length; index++) {
    const next = queue[index];
    if (next !== undefined) queue[index - 1] = next;
  }
  queue.length -= 1;
  return [first];
}

/** An ordinary array, because the event copies it into a list of its own. */
function frozenArray(ports: readonly object[]): readonly object[] {
  const list: object[] = [];
  for (let index = 0; index < ports.length; index++) {
    reflectDefineProperty(list, index, { value: ports[index], writable: true, enumerable: true, configurable: true });
  }
  return objectFreeze(list);
}

/** Reads the list itself, or options that hold it. */
function readTransferList(given: unknown): unknown[] {
  const what = "execute 'postMessage' on 'MessagePort'";
  const options = toDictionary(given, `Failed to ${what}`);
  const method = reflectGet(options, iterator);
  return readTransfer(typeof method === "function" ? options : options["transfer"], what);
}

class MessageChannel {
  #port1: MessagePort;
  #port2: MessagePort;

  constructor() {
    const [first, second] = [createSide(), createSide()];
    first.other = second;
    second.other = first;
    this.#port1 = access.create(first);
    this.#port2 = access.create(second);
  }

  get port1(): MessagePort {
    return this.#port1;
  }

  get port2(): MessagePort {
    return this.#port2;
  }

  static isChannel(this: void, value: object): value is MessageChannel {
    return #port1 in value;
  }
}

/** Setting `onmessage` starts the port; otherwise the attribute is like every other. */
function startOnMessage(): void {
  const { prototype } = MessagePort;
  eventHandler(prototype, "message");
  eventHandler(prototype, "messageerror");
  eventHandler(prototype, "close");
  const { get, set } = reflectGetOwnPropertyDescriptor(prototype, "onmessage") ?? {};
  const { start } = prototype;
  reflectDefineProperty(prototype, "onmessage", {
    ...(get !== undefined && { get }),
    set(this: MessagePort, callback: unknown) {
      if (set !== undefined) reflectApply(set as Callable, this, [callback]);
      reflectApply(start, this, []);
    },
    enumerable: true,
    configurable: true,
  });
}

function transferPort(value: object): ReturnType<Parameters<typeof transferAs>[0]> {
  if (!access.isPort(value)) return undefined;
  return {
    check: () => {
      if (access.isDetached(value)) throw new DOMException("The MessagePort is detached", "DataCloneError");
    },
    move: () => access.create(access.detach(value)),
  };
}

export function installMessageChannel(global: object): void {
  const { isChannel } = MessageChannel;
  Reflect.deleteProperty(MessageChannel, "isChannel");
  Reflect.deleteProperty(MessagePort, "access");
  exposeInterface(global, "MessagePort", MessagePort);
  Reflect.defineProperty(MessagePort, "length", { value: 0, configurable: true });
  exposeInterface(global, "MessageChannel", MessageChannel);
  startOnMessage();
  transferAs(transferPort);
  showAs((value) => {
    if (isChannel(value)) return { name: "MessageChannel", members: { port1: value.port1, port2: value.port2 } };
    if (!access.isPort(value)) return undefined;
    const { onmessage, onmessageerror } = value as unknown as { readonly onmessage: unknown; readonly onmessageerror: unknown };
    return { name: "MessagePort", members: { active: !access.isDetached(value), refed: false, onmessage, onmessageerror } };
  });
}
