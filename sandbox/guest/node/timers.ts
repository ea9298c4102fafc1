/** `node:timers`: the sandbox's timers, and `setImmediate` as a timer of no time. */

import { sandbox } from "./globals.ts";

type Task = (...args: unknown[]) => void;

export const setTimeout: (task: Task, ms?: number, ...args: unknown[]) => unknown = sandbox.setTimeout;
export const clearTimeout: (timer: unknown) => void = sandbox.clearTimeout;
export const setInterval: (task: Task, ms?: number, ...args: unknown[]) => unknown = sandbox.setInterval;
export const clearInterval: (timer: unknown) => void = sandbox.clearInterval;

export function setImmediate(task: Task, ...args: unknown[]): unknown {
  return sandbox.setTimeout(task, 0, ...args);
}

export function clearImmediate(timer: unknown): void {
  sandbox.clearTimeout(timer);
}
