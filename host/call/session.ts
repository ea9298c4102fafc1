/** A session: one client's calls, their workspace, role and concurrency (SPEC T1, D4). */

import {
  type ConfirmMode,
  isAtOrBelow,
  type LayerRules,
  parseQuotas,
  problemToText,
  type QuotaConfig,
  SIDE_EFFECT_CLASSES,
  type SideEffectClass,
} from "../../manifests/mod.ts";
import { type Quota, quotasOf } from "./quota.ts";
import { DEFAULT_RESULT_BYTES, LEAST_RESULT_BYTES } from "./result-bytes.ts";
import { isStricter } from "./strictness.ts";

/** The identity, origin and concurrency of a caller. Doors create one session per client. */
export interface Session {
  readonly id: string;
  readonly role?: string;
  /** Absolute real path. */
  readonly workspace: string;
  /** The symbolic link under which the user named the workspace: paths below it belong to the workspace. */
  readonly named?: string;
  readonly agentId?: string;
  /** The owner, as named by the door that opened the session. The owner of a call must not answer its confirmations. */
  readonly owner?: string;
  /** Maximum number of concurrent calls; the rest wait. */
  readonly concurrency: number;
  /** The session's own confirmation modes. They can only be stricter than the project's (SPEC E1). */
  readonly confirmation?: { readonly [K in SideEffectClass]?: ConfirmMode };
  readonly slots: Slots;
  /** Maximum bytes of a result that the client takes at once; the rest is kept to be read later (SPEC X6). */
  readonly resultBytes: number;
  readonly context?: TaskContext;
  /** Quotas of this session and the sessions that it delegates to. Those of its parents and of policy apply too (SPEC D9). */
  readonly quotas?: readonly Quota[];
  /** Layers of this session only; those of its parents apply too (SPEC P3). */
  readonly layers: readonly LayerRules[];
  /** Names of the plugins that hold state for it in this host (SPEC B2). */
  readonly stateful: Set<string>;
  /** The session that delegated to this one. A delegated session has at most its parent's rights. */
  readonly parent?: Session;
}

/** Restrictions that the current task allows (SPEC P5). */
export interface TaskContext {
  /** No tool that writes, executes or changes system state, and no write grant. */
  readonly readOnly?: boolean;
  /** No network tool, and no net grant. */
  readonly noWeb?: boolean;
}

/** The slots that a session's calls run in. A call that waits for a confirmation holds none. */
export interface Slots {
  readonly running: number;
  readonly waiting: number;
  /** Waits for a free slot, first come first served. Returns synchronously if a slot is free. Never rejects. */
  enter(signal: AbortSignal): SlotEntry | Promise<SlotEntry>;
}

/** Result of waiting for a slot. */
export type SlotEntry =
  /** `leave` is idempotent. */
  | { readonly kind: "entered"; readonly leave: () => void; readonly lend: LendSlot }
  | { readonly kind: "overloaded"; readonly waiting: number }
  | { readonly kind: "cancelled" };

/**
 * Releases the slot while its call waits for a confirmation. The returned function takes a slot again, in order of arrival, and resolves at
 * once if the call ends meanwhile. Call it while the call runs, and not twice at the same time.
 */
export type LendSlot = () => (signal: AbortSignal) => Promise<void>;

/** Like a rule's quota, counted for the session. */
type SessionQuota = Partial<Omit<QuotaConfig, "per">>;

/** Options of `createSession()`. */
export interface SessionOptions {
  readonly id: string;
  readonly workspace: string;
  readonly named?: string;
  readonly role?: string;
  readonly agentId?: string;
  /** Default: the parent's. */
  readonly owner?: string;
  /** Default 4. */
  readonly concurrency?: number;
  /** Calls that may wait for a slot. Default 64. */
  readonly queue?: number;
  readonly confirmation?: Session["confirmation"];
  /** Default 1 MiB, at least 4 KiB. */
  readonly resultBytes?: number;
  readonly context?: TaskContext;
  readonly layers?: readonly LayerRules[];
  /** Joint quotas of the session and the sessions that it delegates to. */
  readonly quotas?: readonly SessionQuota[];
  /** Makes this a delegated session: its workspace lies in the parent's, and its options cannot exceed the parent's rights. */
  readonly parent?: Session;
}

/** Returns the owner in whose share a session's calls count, whatever plugins they call. */
export function sessionOwner({ owner, id }: Pick<Session, "owner" | "id">): string {
  return owner ?? id;
}

const DEFAULT_CONCURRENCY = 4;
const DEFAULT_QUEUE = 64;

/**
 * Creates a session with its own slots.
 *
 * @throws {TypeError} if its workspace is not the parent's nor below it, or if a quota or number is invalid.
 */
export function createSession(options: SessionOptions): Session {
  const { id, workspace, role, agentId, queue = DEFAULT_QUEUE, context, layers = [], parent } = options;
  if (parent !== undefined && !isAtOrBelow(workspace, parent.workspace))
    throw new TypeError(`Cannot delegate to "${workspace}": a delegated session works in its parent's workspace, "${parent.workspace}"`);
  const concurrency = Math.min(options.concurrency ?? parent?.concurrency ?? DEFAULT_CONCURRENCY, parent?.concurrency ?? Infinity);
  const confirmation = stricterModes(options.confirmation, parent?.confirmation);
  const owner = options.owner ?? parent?.owner;
  const quotas = sessionQuotas(id, options.quotas ?? []);
  return Object.freeze({
    id,
    workspace,
    concurrency,
    slots: createSlots(concurrency, queue),
    stateful: new Set<string>(),
    resultBytes: resultBytesOf(options),
    layers: Object.freeze([...layers]),
    ...(options.named !== undefined && { named: options.named }),
    ...(role !== undefined && { role }),
    ...(agentId !== undefined && { agentId }),
    ...(owner !== undefined && { owner }),
    ...(confirmation !== undefined && { confirmation: Object.freeze({ ...confirmation }) }),
    ...(context !== undefined && { context: Object.freeze({ ...context }) }),
    ...(parent !== undefined && { parent }),
    ...(quotas.length > 0 && { quotas }),
  });
}

function resultBytesOf({ resultBytes, parent }: SessionOptions): number {
  const most = parent?.resultBytes ?? Infinity;
  if (resultBytes === undefined) return Math.min(DEFAULT_RESULT_BYTES, most);
  if (!Number.isSafeInteger(resultBytes) || resultBytes < LEAST_RESULT_BYTES)
    throw new TypeError(`Cannot open a session: resultBytes is ${resultBytes} (it must be a whole number from ${LEAST_RESULT_BYTES})`);
  return Math.min(resultBytes, most);
}

function sessionQuotas(session: string, given: readonly SessionQuota[]): readonly Quota[] {
  const parsed = parseQuotas(given, "session");
  if (!parsed.ok) throw new TypeError(`Cannot open a session: ${parsed.problems.map(problemToText).join("; ")}`);
  return Object.freeze(
    parsed.value.flatMap((quota) => quotasOf({ ...quota, per: "session" }, "session").map((one) => ({ ...one, session }))),
  );
}

/** Merges the modes: the parent's mode applies if the child's is more lenient or absent. */
function stricterModes(own: Session["confirmation"], inherited: Session["confirmation"]): Session["confirmation"] {
  const modes: { -readonly [K in SideEffectClass]?: ConfirmMode } = { ...inherited };
  for (const name of SIDE_EFFECT_CLASSES) {
    const [mine, theirs] = [own?.[name], inherited?.[name]];
    if (mine !== undefined && (theirs === undefined || isStricter(mine, theirs))) modes[name] = mine;
  }
  return own === undefined && inherited === undefined ? undefined : modes;
}

/** Creates slots for `capacity` concurrent calls and `queue` waiting ones. */
export function createSlots(capacity: number, queue: number): Slots {
  // A Set keeps arrival order and lets a cancelled waiter leave from the middle.
  const waiters = new Set<() => void>();
  let running = 0;

  function free(): void {
    running -= 1;
    const [next] = waiters;
    next?.();
  }

  function entered(): SlotEntry {
    let state: "held" | "lent" | "left" = "held";
    return {
      kind: "entered",
      leave: () => {
        if (state === "held") free();
        state = "left";
      },
      lend: () => {
        if (state !== "held") return async () => {};
        state = "lent";
        free();
        return async (signal) => {
          const taken = await wait(signal);
          // The call may have ended while it waited.
          if (taken && state === "left") free();
          else if (taken) state = "held";
        };
      },
    };
  }

  /** Waits for a slot, regardless of the queue's length. Returns false if the signal fired first. */
  async function wait(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    if (running < capacity) {
      running += 1;
      return true;
    }
    return await new Promise<boolean>((resolve) => {
      const settle = (isIn: boolean): void => {
        waiters.delete(admit);
        signal.removeEventListener("abort", giveUp);
        resolve(isIn);
      };
      const admit = (): void => {
        running += 1;
        settle(true);
      };
      const giveUp = (): void => settle(false);
      waiters.add(admit);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  return {
    get running() {
      return running;
    },
    get waiting() {
      return waiters.size;
    },
    enter(signal) {
      if (signal.aborted) return { kind: "cancelled" };
      if (running < capacity) {
        running += 1;
        return entered();
      }
      if (waiters.size >= queue) return { kind: "overloaded", waiting: waiters.size };
      return wait(signal).then((isFree) => (isFree ? entered() : { kind: "cancelled" }));
    },
  };
}
