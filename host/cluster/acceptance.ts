/**
 * Decides, without I/O, which member runs a call and when the call has its one result (SPEC CL2). `member.ts` carries them out with compare-and-set, so a
 * decision is void if the record has changed since it was read.
 *
 * Per call there is one record: missing → accepted → ended. An accepted record changes hands only if its member is dead and the tool is
 * idempotent; an ended record never changes.
 */

/** The record of a call, as the cluster keeps it. */
export type CallRecord =
  /** A member runs the call, or is about to. `run` counts from 1. */
  | {
      readonly state: "accepted";
      readonly hash: string;
      /** The process that accepted it. */
      readonly incarnation: string;
      readonly isIdempotent: boolean;
      readonly run: number;
    }
  /** The call has its one result. */
  | { readonly state: "ended"; readonly hash: string; readonly incarnation: string };

/** Knowledge of a member when it decides. */
export interface MemberView {
  /** This process. */
  readonly incarnation: string;
  /** Whether the process sends heartbeats; `unknown` if this member has not been connected for long enough to judge. */
  readonly fateOf: (incarnation: string) => "alive" | "dead" | "unknown";
}

type RequestMove =
  /** Create the record, then run. */
  | { readonly move: "accept" }
  /** The record is of this process, which has not begun the call: an earlier write of it was not acknowledged. Run. */
  | { readonly move: "run" }
  /** The call has its result: send it. */
  | { readonly move: "answer" }
  /** Another process runs it. */
  | { readonly move: "elsewhere"; readonly incarnation: string }
  /** Its process is dead and it may run again: replace the record, then run. */
  | { readonly move: "take_over"; readonly run: number }
  /** Its process is dead and it may not run again: end the record as lost. */
  | { readonly move: "settle" }
  /** Another call has this id. */
  | { readonly move: "refuse" };

/** Maximum number of runs of an idempotent call: a call that ends each of its members is not tried on all of them. */
export const MOST_RUNS = 3;

/**
 * Decides about a request for a call that does not run in this process.
 *
 * @param record as read after this process checked that it does not run the call; undefined if there is none
 */
export function decideRequest(record: CallRecord | undefined, hash: string, view: MemberView): RequestMove {
  if (record === undefined) return { move: "accept" };
  if (record.hash !== hash) return { move: "refuse" };
  if (record.state === "ended") return { move: "answer" };
  const { incarnation, isIdempotent, run } = record;
  if (incarnation === view.incarnation) return { move: "run" };
  if (view.fateOf(incarnation) !== "dead") return { move: "elsewhere", incarnation };
  return isIdempotent && run < MOST_RUNS ? { move: "take_over", run: run + 1 } : { move: "settle" };
}

type EndMove =
  /** Replace the record by the result, or create it if the server has lost it. */
  | { readonly move: "end" }
  /** The result of this process is recorded already: an earlier write was not acknowledged. */
  | { readonly move: "done" }
  /** The others counted this process as dead, and the call has another result, or will get one. */
  | { readonly move: "superseded" };

/** Decides about the result of a call that ran in this process. */
export function decideEnd(record: CallRecord | undefined, incarnation: string): EndMove {
  if (record === undefined) return { move: "end" };
  if (record.incarnation !== incarnation) return { move: "superseded" };
  return record.state === "ended" ? { move: "done" } : { move: "end" };
}
