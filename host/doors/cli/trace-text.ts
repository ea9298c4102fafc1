/** Tables of a call's operations and of its functions. */

import { isJsonObject, type JsonValue } from "../../../manifests/mod.ts";
import { count, printable, wrapWords } from "../../primitives/text.ts";
import type { Profile, ProfiledFunction, TracedOperation } from "../../testing/observe.ts";
import type { Output } from "./output.ts";
import { table } from "./table.ts";

/** Rows above this number are only in the JSON document. */
const MOST_ROWS = 200;
const ARGS_LENGTH = 48;

type Screen = Pick<Output, "style" | "room">;

const TRACE_HEAD = ["start", "time", "host", "wait", "operation", "result", "from"];

/** Formats the operations as a table: times in milliseconds, sizes in bytes. */
export function traceLines(operations: readonly TracedOperation[], workspace: string, { style, room }: Screen): readonly string[] {
  if (operations.length === 0) return ["The call sent no operation to the host"];
  const rows = operations.slice(0, MOST_ROWS).map((operation) => {
    const { startMs, totalMs, hostMs, waitMs, name, args, resultBytes, outcome, at = "-" } = operation;
    const result = outcome === "ok" ? `${resultBytes} B` : outcome;
    return [...[startMs, totalMs, hostMs, waitMs].map(milliseconds), `${name} ${short(args, workspace)}`, result, at].map(printable);
  });
  const host = operations.reduce((total, { hostMs = 0 }) => total + hostMs, 0);
  const wait = operations.reduce((total, { waitMs = 0 }) => total + waitMs, 0);
  return [
    ...table(rows, style, { head: TRACE_HEAD, numbers: 4, columns: room, gives: TRACE_HEAD.indexOf("operation") }),
    ...more(operations.length),
    ...wrapWords(
      `${count(operations.length, "operation")}: ${milliseconds(host)} ms at the host, ${milliseconds(wait)} ms waiting`,
      room,
    ).map(style.dim),
  ];
}

const PROFILE_HEAD = ["self ms", "self", "total ms", "total", "function", "at"];

/** Formats the functions as a table, most time in itself first. */
export function profileLines({ functions, totalMs, samples }: Profile, { style, room }: Screen): readonly string[] {
  if (samples === 0) return wrapWords("The call was too brief to be sampled: the engine is sampled about every half millisecond", room);
  const share = (ms: number): string => `${totalMs === 0 ? 0 : Math.round((ms / totalMs) * 100)}%`;
  const rows = functions
    .slice(0, MOST_ROWS)
    .map(({ name, place, selfMs, totalMs: own }: ProfiledFunction) =>
      [milliseconds(selfMs), share(selfMs), milliseconds(own), share(own), name, place].map(printable),
    );
  return [
    ...table(rows, style, { head: PROFILE_HEAD, numbers: 4, columns: room, gives: PROFILE_HEAD.indexOf("function") }),
    ...more(functions.length),
    ...wrapWords(
      `${milliseconds(totalMs)} ms of computing in ${count(samples, "sample")}, without the time that the call waited`,
      room,
    ).map(style.dim),
  ];
}

function more(rows: number): readonly string[] {
  return rows > MOST_ROWS ? [`… ${rows - MOST_ROWS} more (--json shows all)`] : [];
}

function milliseconds(value: number | undefined): string {
  return value === undefined ? "-" : value.toFixed(1);
}

/** Formats arguments in short: `path=README.md`, with paths relative to the workspace. */
function short(args: JsonValue, workspace: string): string {
  const members = isJsonObject(args) ? Object.entries(args) : [];
  const words = members.map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  const text = words.join(" ").replaceAll(`${workspace}/`, "");
  return text.length <= ARGS_LENGTH ? text : `${text.slice(0, ARGS_LENGTH)}…`;
}
