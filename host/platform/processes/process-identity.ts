/** Which process this is, in words that another process can check later: for locks and temporary files that a killed one leaves. */

import { createHash } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { ProcessFate, ProcessIdentity } from "../environment-types.ts";

let own: ProcessIdentity | undefined;

/** Of this process. */
export function ownIdentity(): ProcessIdentity {
  own ??= { pid: process.pid, startedAt: lookAt("self")?.startedAt ?? UNKNOWN_START, machine: hostname(), scope: scopeOf() };
  return own;
}

/** `gone` only where that is certain: nothing is taken from a process that may live. */
export function fateOf({ pid, startedAt, scope }: ProcessIdentity): ProcessFate {
  if (scope !== ownIdentity().scope) return "unknown";
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && thrown.code === "ESRCH") return "gone";
    // A process of another user is one, too.
  }
  const found = lookAt(String(pid));
  if (found === undefined || startedAt === UNKNOWN_START) return "unknown";
  // Its number may be another process's by now; a zombie does nothing any more.
  return found.startedAt === startedAt && !found.isOver ? "alive" : "gone";
}

/** Part of a file's name: `1234-567890-0123456789ab`. */
export function identityTag({ pid, startedAt, scope }: ProcessIdentity): string {
  return `${pid}-${startedAt}-${scope}`;
}

/** What `identityTag` was made of, without the machine's name. */
export function fromIdentityTag(tag: string): ProcessIdentity | undefined {
  const [, pid, startedAt, scope] = /^([1-9]\d{0,9})-(\d{1,20})-([0-9a-f]{12})$/u.exec(tag) ?? [];
  if (pid === undefined || startedAt === undefined || scope === undefined) return undefined;
  return { pid: Number(pid), startedAt, machine: "", scope };
}

/** Where the system does not say. */
const UNKNOWN_START = "0";

interface ProcessLook {
  /** Clock ticks since the machine's start. */
  readonly startedAt: string;
  /** Ended, and only its number is left. */
  readonly isOver: boolean;
}

/** What Linux says of a process (proc_pid_stat(5)): its name may hold anything, so fields are counted from behind it. */
function lookAt(pid: string): ProcessLook | undefined {
  const text = orUndefined(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, startedAt] = [fields?.[0], fields?.[19]];
  return state === undefined || startedAt === undefined ? undefined : { startedAt, isOver: "ZXx".includes(state) };
}

/** Within it a process number means one process: this start of this machine, or of this container. */
function scopeOf(): string {
  const boot = orUndefined(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1")) ?? "";
  const namespace = orUndefined(() => readlinkSync("/proc/self/ns/pid")) ?? "";
  return createHash("sha256").update(`${hostname()}\n${boot}\n${namespace}`).digest("hex").slice(0, 12);
}

/** Systems other than Linux do not have these files, and some containers hide them. */
function orUndefined(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
