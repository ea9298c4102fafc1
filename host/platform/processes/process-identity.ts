/** Identity of a process that another process can check later, for locks and temporary files left by killed processes. */

import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { ProcessFate, ProcessIdentity } from "../environment-types.ts";

let own: ProcessIdentity | undefined;

/** Returns the identity of this process. */
export function ownIdentity(): ProcessIdentity {
  own ??= { pid: process.pid, startedAt: lookAt("self")?.startedAt ?? UNKNOWN_START, machine: hostname(), scope: scopeOf() };
  return own;
}

/** Returns what became of a process; `gone` only if that is certain, so that nothing is taken from a live process. */
export function fateOf({ pid, startedAt, scope }: ProcessIdentity): ProcessFate {
  if (scope !== ownIdentity().scope) return "unknown";
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && thrown.code === "ESRCH") return "gone";
    // EPERM: a process of another user exists too.
  }
  const found = lookAt(String(pid));
  if (found === undefined || startedAt === UNKNOWN_START) return "unknown";
  // The number may belong to another process now; a zombie no longer does anything.
  return found.startedAt === startedAt && !found.isOver ? "alive" : "gone";
}

/** Formats an identity as part of a file name: `1234-567890-0123456789ab`. */
export function identityTag({ pid, startedAt, scope }: ProcessIdentity): string {
  return `${pid}-${startedAt}-${scope}`;
}

/** Parses the output of `identityTag`, which lacks the machine's name. */
export function fromIdentityTag(tag: string): ProcessIdentity | undefined {
  const [, pid, startedAt, scope] = /^([1-9]\d{0,9})-(\d{1,20})-([0-9a-f]{12})$/u.exec(tag) ?? [];
  if (pid === undefined || startedAt === undefined || scope === undefined) return undefined;
  return { pid: Number(pid), startedAt, machine: "", scope };
}

/** Start time on systems that do not report it. */
const UNKNOWN_START = "0";

interface ProcessLook {
  /** Clock ticks since the machine's start. */
  readonly startedAt: string;
  /** Whether the process has ended and only its number remains. */
  readonly isOver: boolean;
}

/** Reads Linux's facts of a process (proc_pid_stat(5)). The name may contain anything, so fields are counted from its end. */
function lookAt(pid: string): ProcessLook | undefined {
  const text = orUndefined(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, startedAt] = [fields?.[0], fields?.[19]];
  return state === undefined || startedAt === undefined ? undefined : { startedAt, isOver: "ZXx".includes(state) };
}

/** Returns the scope in which a process number is unique: this boot of this machine, or this container. */
function scopeOf(): string {
  // Not imported: every start would load it.
  const { createHash } = process.getBuiltinModule("node:crypto");
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
