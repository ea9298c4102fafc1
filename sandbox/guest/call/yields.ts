/** Runs a tool that yields (SPEC AX4): each value goes to the caller while the call runs, and the tool waits until it has arrived. */

import { PrimordialSymbol, PrimordialTypeError, bareList, reflectApply, reflectGet } from "../language/primordials.ts";
import { sendYielded, yieldedText } from "./context.ts";
import { finish } from "./outcome.ts";
import { DOMException } from "../web/dom-exception.ts";
import { toDomString } from "../web/webidl.ts";

const { asyncIterator } = PrimordialSymbol;

type Method = (...values: readonly unknown[]) => unknown;

/** The generator of the call, while it runs. */
let running: Iterator | undefined;
let isCancelled = false;

interface Iterator {
  readonly target: object;
  readonly next: Method;
}

/** Forgets the generator of an earlier call. */
export function resetYields(): void {
  running = undefined;
  isCancelled = false;
}

/** @returns the method that begins the iteration; undefined if the value does not yield */
export function iterationOf(value: object): Method | undefined {
  const method = reflectGet(value, asyncIterator);
  return typeof method === "function" ? (method as Method) : undefined;
}

/**
 * Runs the generator to its end.
 *
 * A value that is not JSON ends the call: its outcome is set here.
 *
 * @returns what it returned, or else the list of what it yielded
 */
export async function runYields(value: object, begin: Method): Promise<unknown> {
  const target = requireObject(reflectApply(begin, value, []), "its Symbol.asyncIterator");
  const next = reflectGet(target, "next");
  if (typeof next !== "function") throw new PrimordialTypeError("The tool returned an async iterable whose iterator has no next()");
  const iterator: Iterator = { target, next: next as Method };
  running = iterator;
  const yielded = bareList<unknown>();
  for (;;) {
    const step = requireObject(await reflectApply(iterator.next, target, []), "next()");
    const item = reflectGet(step, "value");
    if (reflectGet(step, "done") === true) {
      running = undefined;
      // The values so far are not the result of a generator that was cut short.
      if (isCancelled) throw new DOMException("The call was cancelled", "AbortError");
      return item === undefined ? yielded : item;
    }
    let text: string;
    try {
      text = yieldedText(item, yielded.length);
    } catch (error) {
      await close(iterator);
      finish(`n${toDomString(reflectGet(error as object, "message"))}`);
      return undefined;
    }
    try {
      await sendYielded(text);
    } catch (error) {
      await close(iterator);
      throw error;
    }
    yielded[yielded.length] = item;
  }
}

/** Ends the generator when the call is cancelled: its `finally` blocks run once it reaches its next `yield`. */
export function cancelYields(): void {
  if (running === undefined || isCancelled) return;
  isCancelled = true;
  void closeQuietly(running);
}

async function close({ target }: Iterator): Promise<void> {
  running = undefined;
  const end = reflectGet(target, "return");
  if (typeof end === "function") await reflectApply(end as Method, target, []);
}

/** The generator's own error while it closes is reported by `next()`, or does not matter any more. */
async function closeQuietly(iterator: Iterator): Promise<void> {
  try {
    await close(iterator);
  } catch {
    isCancelled = true;
  }
}

function requireObject(value: unknown, what: string): object {
  if ((typeof value === "object" && value !== null) || typeof value === "function") return value;
  throw new PrimordialTypeError(`The tool returned an async iterable, but ${what} does not return an object`);
}
