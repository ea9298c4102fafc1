/** Answers a guest from a recording, in the recorded order. Nothing outside is touched. */

import type { JsonValue } from "../../../manifests/mod.ts";
import type { HostAnswer, HostCallHandler, HostOperation } from "../../../sandbox/mod.ts";
import { equalJson } from "../../primitives/json/equal-json.ts";
import { sha256Hex } from "../../primitives/digest.ts";
import type { RecordedOperation, SentBytes } from "../../call/recording.ts";

/** The point at which a call departs from its recording. */
export type OperationDifference =
  /** The call asks for another operation, or with other arguments. `place` counts from 1. */
  | { readonly kind: "asked_otherwise"; readonly place: number; readonly recorded: ShownOperation; readonly asked: ShownOperation }
  /** The call asks for more operations than recorded. */
  | { readonly kind: "not_recorded"; readonly place: number; readonly asked: ShownOperation }
  /** The call asks for fewer operations than recorded. `recorded` is the first one that it left out. */
  | { readonly kind: "not_asked"; readonly place: number; readonly recorded: ShownOperation };

export interface ShownOperation {
  readonly name: string;
  readonly args: JsonValue;
  readonly sent?: SentBytes;
}

interface RecordedAnswers {
  readonly answer: HostCallHandler;
  /** Returns the first difference so far; if `isOver`, an operation that the call left out counts too. */
  difference(isOver: boolean): OperationDifference | undefined;
}

/** Creates the answers. `onDifference` is called at most once. */
export function createRecordedAnswers(operations: readonly RecordedOperation[], onDifference: () => void): RecordedAnswers {
  let asked = 0;
  let found: OperationDifference | undefined;

  function differ(difference: OperationDifference): HostAnswer {
    if (found === undefined) {
      found = difference;
      onDifference();
    }
    return { ok: false, error: { name: "Error", message: "No recorded answer for this operation" } };
  }

  async function answer(operation: HostOperation): Promise<HostAnswer> {
    const { place = asked + 1 } = operation;
    asked = Math.max(asked, place);
    const recorded = operations[place - 1];
    const shown = await show(operation);
    if (found !== undefined || recorded === undefined) return differ({ kind: "not_recorded", place, asked: shown });
    if (!isSame(recorded, shown)) return differ({ kind: "asked_otherwise", place, recorded: shownOf(recorded), asked: shown });
    // The recorded call ended before this answer, and the replay ends there too: the tape does not let the answer in.
    return recorded.answer ?? UNANSWERED;
  }

  return {
    answer,
    difference(isOver) {
      const next = operations[asked];
      if (found === undefined && isOver && next !== undefined) return { kind: "not_asked", place: asked + 1, recorded: shownOf(next) };
      return found;
    },
  };
}

/** An operation of code other than the recorded, and whether the recording answers it. */
export interface MatchedOperation extends ShownOperation {
  /** From 1, in the order of sending. */
  readonly place: number;
  readonly isRecorded: boolean;
}

interface MatchedAnswers {
  readonly answer: HostCallHandler;
  /** Returns the operations that the code sent, in order. */
  asked(): readonly MatchedOperation[];
}

/**
 * Creates answers for code other than the recorded: each operation gets the first unused answer that was recorded for the same name,
 * arguments and bytes, and an error if there is none. Nothing is executed.
 */
export function createMatchedAnswers(operations: readonly RecordedOperation[]): MatchedAnswers {
  const unused = new Map<string, number[]>();
  for (const [index, operation] of operations.entries()) {
    const key = keyOf(operation);
    const same = unused.get(key) ?? [];
    same.push(index);
    unused.set(key, same);
  }
  const asked: MatchedOperation[] = [];
  return {
    async answer(operation) {
      const { place = asked.length + 1 } = operation;
      const shown = await show(operation);
      const index = unused.get(keyOf(shown))?.shift();
      asked.push({ ...shown, place, isRecorded: index !== undefined });
      if (index !== undefined) return operations[index]?.answer ?? UNANSWERED;
      if (operation.name === "progress") return { ok: true, value: null };
      return { ok: false, error: { name: "Error", message: `Not recorded, and a replay runs no operation: ${shown.name}` } };
    },
    asked: () => asked.toSorted((left, right) => left.place - right.place),
  };
}

/** Returns the same text for the same operation. */
export function keyOf({ name, args, sent }: ShownOperation): string {
  return JSON.stringify([name, args, sent?.sha256 ?? null]);
}

const UNANSWERED: HostAnswer = { ok: false, error: { name: "Error", message: "Not answered" } };

function isSame(recorded: RecordedOperation, asked: ShownOperation): boolean {
  const { name, args, sent } = recorded;
  return name === asked.name && sent?.sha256 === asked.sent?.sha256 && equalJson(args, asked.args);
}

function shownOf({ name, args, sent }: RecordedOperation): ShownOperation {
  return { name, args, ...(sent && { sent }) };
}

async function show({ name, args, bytes }: HostOperation): Promise<ShownOperation> {
  if (bytes === undefined) return { name, args };
  return { name, args, sent: { length: bytes.length, sha256: await sha256Hex(new Uint8Array(bytes)) } };
}
