/** Methods of the host that make, cancel, commit and undo calls. */

import { JsonArgumentText } from "../call/argument-text.ts";
import { asGiven, requestsAsGiven } from "../call/arguments.ts";
import { refuseToUndo } from "../effects/undo/undos.ts";
import { exportTools } from "../tools/exports/mod.ts";
import { stillExported } from "../tools/exports/names.ts";
import type { Host } from "./host-interface.ts";
import type { HostStages } from "./host-stages.ts";
import { keptAlive } from "./kept-alive.ts";
import type { Listings } from "./listings.ts";

type CallActs = Pick<
  Host,
  "call" | "callAll" | "turn" | "cancelCall" | "cancelTurn" | "cancelSession" | "waiting" | "isReturning" | "result" | "readResult"
>;

/** Options are copied and arguments checked, because untyped callers may pass null, and no call rejects. */
export function callActs({ calls: { calls, sessions, kept, resumed }, effects: { frozen } }: HostStages): CallActs {
  return {
    async call(tool, args = {}, options) {
      const [given, request] = [asGiven(args), { ...options }];
      const session = await sessions.resolve(request.session ?? sessions.of(request.role, request.context));
      return await calls.call(tool, given, { ...request, session });
    },
    async callAll(requests, options) {
      const [given, request] = [requestsAsGiven(requests), { ...options }];
      const session = await sessions.resolve(request.session ?? sessions.default);
      return await calls.callAll(given, { ...request, session });
    },
    async turn(requests, options) {
      const [given, request] = [requestsAsGiven(requests), { ...options }];
      const session = await sessions.resolve(request.session ?? sessions.default);
      return await calls.turn(given, { ...request, session });
    },
    cancelCall: async (callId) => (await resumed?.cancel(callId)) ?? (await calls.cancel({ callId })).at(-1),
    waiting() {
      resumed?.readAll();
      return frozen?.list() ?? [];
    },
    isReturning: calls.isReturning,
    cancelTurn: ({ id }, turnId) => calls.cancel({ sessionId: id, turnId }),
    cancelSession: (sessionId) => calls.cancel({ sessionId }),
    result: calls.result,
    readResult: (handle, { session = sessions.default, ...range } = {}) => kept.read(session.id, handle, range),
  };
}

export function sessionActs({ calls: { calls, sessions } }: HostStages): Pick<Host, "session" | "endSession"> {
  return {
    session: sessions.open,
    async endSession(session) {
      await calls.cancel({ sessionId: session.id });
      sessions.end(session);
    },
  };
}

/** @param recorded waits until the effects are durable */
export function effectActs(
  { calls: { calls }, effects: { dryRuns, undos } }: HostStages,
  recorded: <T>(done: Promise<T>) => Promise<T>,
): Pick<Host, "commit" | "undo" | "undoable"> {
  return {
    commit: async (...args) => await recorded(dryRuns.commit(...args)),
    undo: async (id, request) =>
      calls.isRunning(id) || dryRuns.isCommitting(id) ? refuseToUndo(id) : await recorded(undos.undo(id, request)),
    undoable: undos.list,
  };
}

export function exportActs({ ground, tools, calls: { calls, sessions } }: HostStages, listings: Listings): Pick<Host, "definitions"> {
  const { clock } = ground.platform;
  return {
    definitions: (format, names, session = sessions.default) =>
      exportTools(format, {
        tools: listings.byExportName(listings.definitionsFor(session)),
        ...(names && { names }),
        call: async (tool, args, signal) => {
          const raw = asGiven(typeof args === "string" ? new JsonArgumentText(args) : args);
          const called = sessions
            .resolve(session)
            .then((one) => calls.call(stillExported(tool, tools.snapshot()), raw, { session: one, ...(signal && { signal }) }));
          // `keepingAlive` wraps the host's own functions, and this one is returned by one of them.
          return await keptAlive(clock, called);
        },
      }),
  };
}
