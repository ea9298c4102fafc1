/** Sessions of the server's clients. Each belongs to the token that opened it and is invisible to other tokens (SPEC T1, I4). */

import type { Host } from "../../host/host-interface.ts";
import { toHex } from "../../platform/bytes.ts";
import { ProjectConfigError } from "../../project/project-file.ts";
import type { Clock, Random } from "../../platform/platform.ts";
import type { Session } from "../../call/session.ts";
import type { HostSessionOptions } from "../../dispatch/sessions.ts";
import { RequestProblem } from "./problem.ts";
import { type HttpCaller, isGoodFor } from "./tokens.ts";

/** A session and its owner. */
export interface HttpSession {
  readonly id: string;
  readonly callerId: string;
  readonly session: Session;
  /** Opening time, in milliseconds since the epoch. */
  readonly openedAt: number;
}

/** Session options of a client. Each can only narrow the token's rights. */
export type SessionRequest = Pick<
  HostSessionOptions,
  "role" | "context" | "workspace" | "concurrency" | "confirmation" | "layers" | "resultBytes"
>;

/** Sessions of one server. */
export interface HttpSessions {
  /** Opens a session. @throws {RequestProblem} if the token has too many open sessions, or an option is invalid */
  open(caller: HttpCaller, request: SessionRequest): HttpSession;
  /** Returns the token's default session, for calls that name no session. */
  ownOf(caller: HttpCaller): HttpSession;
  /** Returns a session of the caller; the last argument lets an admin get any. @throws {RequestProblem} if the session is not found. */
  get(caller: HttpCaller, id: string, anybody?: "anybody"): HttpSession;
  /** Lists the caller's sessions; all sessions for an admin. */
  list(caller: HttpCaller): readonly HttpSession[];
  /** Returns the caller id of a session's owner; undefined for a session of another door. */
  ownerOf(sessionId: string): string | undefined;
  /** Closes a session. @returns how many calls were cancelled, after they have ended. */
  close(session: HttpSession): Promise<number>;
}

interface HttpSessionsOptions {
  readonly host: Pick<Host, "session" | "cancelSession" | "endSession">;
  readonly platform: { readonly random: Pick<Random, "bytes">; readonly clock: Pick<Clock, "now"> };
  /** Maximum open sessions per token. */
  readonly most: number;
}

export function createHttpSessions({ host, platform, most }: HttpSessionsOptions): HttpSessions {
  const sessions = new Map<string, HttpSession>();
  const own = new Map<string, HttpSession>();

  function keep(caller: HttpCaller, request: HostSessionOptions): HttpSession {
    // The id cannot be guessed, and is useless without its token.
    const id = toHex(platform.random.bytes(16));
    const kept = {
      id,
      callerId: caller.id,
      session: host.session({ ...request, id, owner: caller.id, door: "http", client: caller.name }),
      openedAt: platform.clock.now(),
    };
    sessions.set(id, kept);
    return kept;
  }

  function ownOf(caller: HttpCaller): HttpSession {
    const known = own.get(caller.id);
    if (known !== undefined) return known;
    const { role, name } = caller;
    const made = keep(caller, { context: { agentId: name }, ...(role !== undefined && { role }) });
    own.set(caller.id, made);
    return made;
  }

  const isOwn = (kept: HttpSession): boolean => own.get(kept.callerId) === kept;

  return {
    ownOf,
    open(caller, { workspace, ...request }) {
      const mine = [...sessions.values()].filter((kept) => kept.callerId === caller.id && !isOwn(kept));
      if (mine.length >= most)
        throw new RequestProblem("too_many", `The token has ${most} open sessions: close some (DELETE /v1/sessions/{sessionId})`);
      const { session: parent } = ownOf(caller);
      const place =
        workspace === undefined ? {} : { workspace: workspace.startsWith("/") ? workspace : `${parent.workspace}/${workspace}` };
      try {
        return keep(caller, { context: { agentId: caller.name }, ...request, ...place, parent });
      } catch (error) {
        if (error instanceof TypeError || error instanceof ProjectConfigError) throw new RequestProblem("invalid_request", error.message);
        throw error;
      }
    },
    get(caller, id, anybody) {
      const kept = sessions.get(id);
      const may = kept !== undefined && (kept.callerId === caller.id || (anybody !== undefined && isGoodFor(caller, "admin")));
      if (!may) throw new RequestProblem("not_found", "Session not found for this token");
      return kept;
    },
    list: (caller) => [...sessions.values()].filter(({ callerId }) => callerId === caller.id || isGoodFor(caller, "admin")),
    ownerOf: (sessionId) => sessions.get(sessionId)?.callerId,
    async close(kept) {
      if (isOwn(kept)) own.delete(kept.callerId);
      sessions.delete(kept.id);
      const cancelled = await host.cancelSession(kept.id);
      await host.endSession(kept.session);
      return cancelled.length;
    },
  };
}
