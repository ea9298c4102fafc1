/** Converts a sandbox's `Fault` into a call's `ToolError`; no other file does (architecture, decision 5). */

import type { Limits } from "../../manifests/mod.ts";
import { adviceOnReference, type ExhaustedLimit, type Fault } from "../../sandbox/mod.ts";
import { cancelled, cpuTimeout, resourceExhausted, toolError, type ToolErrorData, toolFailed, wallTimeout } from "../call/errors.ts";
import { copyJson } from "../primitives/json/json.ts";

/** The message of a tool whose promise cannot settle. */
export const NEVER_SETTLES = "The tool's promise can never settle: every timer and operation has ended, so nothing can resolve it";

type FaultOf<K extends Fault["kind"]> = Extract<Fault, { readonly kind: K }>;
type FaultTable = { readonly [K in Fault["kind"]]: (fault: FaultOf<K>) => ToolErrorData };

/** Maximum lengths of guest text, which is untrusted. */
const MESSAGE_LENGTH = 4_000;
const STACK_LENGTH = 8_000;
const DETAILS = { maxBytes: 64 * 1024, maxDepth: 32 };

const ERROR_OF: FaultTable = {
  threw: ({ name, message, stack, toolError: shown }) =>
    shown === undefined ? thrown(name, message, stack) : asShown(shown.message, shown.details),
  timeout: ({ limit, limitMs }) => (limit === "wall" ? wallTimeout(limitMs) : cpuTimeout(limitMs)),
  exhausted: ({ limit, allowed }) => resourceExhausted(LIMIT_NAMES[limit], allowed),
  no_export: ({ module, export: name, available }) =>
    toolFailed(
      `"${module}" exports no function "${cut(name, 100)}" (it exports ${available.length === 0 ? "nothing" : cut(available.join(", "), 500)})`,
    ),
  not_json: ({ message }) => toolError("invalid_output", cut(message, MESSAGE_LENGTH)),
  never_settles: () => toolFailed(NEVER_SETTLES),
  unfinished: ({ operations }) =>
    toolFailed(`The tool returned before its operations ended: ${cut(operations.join(", "), 500)} (await them)`),
  unhandled: ({ name, message, stack }) => thrown(name, message, stack),
  cancelled: () => cancelled(),
  overloaded: ({ because }) => toolError("overloaded", `${OVERLOADED[because]} (call again when some have ended)`),
  held_most: ({ allowedBytes }) =>
    toolError(
      "resource_exhausted",
      `Waiting calls together held more than ${allowedBytes} bytes of memory, and this one held the most (hold less while waiting, or run fewer calls at once)`,
      { details: { limit: "heldBytes", allowed: allowedBytes } },
    ),
  lost: () =>
    toolError(
      "unavailable",
      "The worker of this call was ended because of another call, and the effects of this call cannot be undone (check before calling again)",
      {
        details: { retryable: false },
      },
    ),
  frozen: () =>
    toolError(
      "unavailable",
      "The host has closed while the call waits; the next host of the project continues it (ask for its result by its callId then)",
      { details: { retryable: false, waiting: true } },
    ),
  misfit: ({ differs }) => toolError("unavailable", `The frozen call cannot continue: ${MISFITS[differs]}`, LOST),
  differs: () => toolFailed("The call differs from the recording that it replays"),
  trap: ({ message }) => toolFailed(`The engine stopped: ${cut(message, MESSAGE_LENGTH)}`),
};

/** A frozen call had begun, so that it may have had effects. */
const LOST = { details: { retryable: false, lost: true, mayHaveHappened: true } } as const;

const MISFITS = {
  altered: "what was kept of it was altered",
  engine: "it belongs to another engine (start the version of bascule that it began in)",
  version: "it belongs to another version of its plugin (install the version that it began in)",
  call: "what was kept belongs to another call",
} as const;

const OVERLOADED = {
  calls: "Too many calls wait for a worker",
  memory: "Too many calls wait for a worker: calls that have begun wait too and hold all the memory they may",
} as const;

const LIMIT_NAMES: Readonly<Record<ExhaustedLimit, keyof Limits | "stackBytes">> = {
  memory: "memoryBytes",
  stack: "stackBytes",
  output: "outputBytes",
  logs: "logBytes",
  operations: "operations",
  pendingOperations: "pendingOperations",
  timers: "timers",
  jsonDepth: "jsonDepth",
  operationBytes: "operationBytes",
};

export function faultToError(fault: Fault): ToolErrorData {
  // Indexing by the fault's own kind gives the function for exactly that kind, which the type system cannot follow.
  const convert = ERROR_OF[fault.kind] as (fault: Fault) => ToolErrorData;
  return convert(fault);
}

/** Returns the error with the author's own stack positions (SPEC X4). */
function thrown(name: string, message: string, stack: string): ToolErrorData {
  const said = cut(message, MESSAGE_LENGTH);
  const text = name === "Error" || name === "" ? said : `${cut(name, 100)}: ${said}${adviceOnReference(name, message)}`;
  return toolFailed(
    text === "" ? "The tool threw an error without a message" : text,
    stack === "" ? undefined : { stack: cut(stack, STACK_LENGTH) },
  );
}

/** Returns an error that the guest addressed to the caller. The guest cannot choose its code. */
function asShown(message: string, details: unknown): ToolErrorData {
  const copy = details === undefined ? undefined : copyJson(details, DETAILS);
  return toolFailed(cut(message, MESSAGE_LENGTH), copy?.ok === true ? { details: copy.value } : undefined);
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
