/** Sessions of the server's clients: each belongs to the token that opened it, and is not there for any other (SPEC T1, I4). */

import type { Host } from "../../host/host-interface.ts";
import { ProjectConfigError } from "../../project/project-file.ts";
import type { Clock, Random } from "../../platform/platform.ts";
import type { Session } from "../../call/session.ts";
import type { HostSessionOptions } from "../../dispatch/sessions.ts";
import { RequestProblem } from "./problem.ts";
import { type HttpCaller, isGoodFor } from "./tokens.ts";

/** A session, and whose it is. */
export interface HttpSession {
  readonly id: string;
  readonly callerId: string;
  readonly session: Session;
  /** Milliseconds since the epoch. */
  readonly openedAt: number;
}

/** What a client may ask for: each only narrows what its token has. */
export type SessionWish = Pick<
  HostSessionOptions,
  "role" | "context" | "workspace" | "concurrency" | "confirmation" | "layers" | "resultBytes"
>;

/** The sessions of one server. */
export interface HttpSessions {
  /** @throws {RequestProblem} if the token has too many, or the wish is none that can be had. */
  open(caller: HttpCaller, wish: SessionWish): HttpSession;
  /** The one in which a token's calls are made that name none. */
  ownOf(caller: HttpCaller): HttpSession;
  /** One of the caller's; of anybody's for an admin, with `anybody`. @throws {RequestProblem} if there is none for this caller. */
  get(caller: HttpCaller, id: string, anybody?: "anybody"): HttpSession;
  /** The caller's; everybody's for an admin. */
  list(caller: HttpCaller): readonly HttpSession[];
  /** Undefined for a session of another door. */
  ownerOf(sessionId: string): string | undefined;
  /** @returns how many of its calls were cancelled, when they have ended. */
  close(session: HttpSession): Promise<number>;
}

export interface HttpSessionsOptions {
  readonly host: Pick<Host, "session" | "cancelSession" | "endSession">;
  readonly platform: { readonly random: Pick<Random, "bytes">; readonly clock: Pick<Clock, "now"> };
  /** Of one token. */
  readonly most: number;
}

export function createHttpSessions({ host, platform, most }: HttpSessionsOptions): HttpSessions {
  const sessions = new Map<string, HttpSession>();
  const own = new Map<string, HttpSession>();

  function keep(caller: HttpCaller, wish: HostSessionOptions): HttpSession {
    // Nobody guesses it, and it opens nothing without its token.
    const id = Array.from(platform.random.bytes(16), (byte) => byte.toString(16).padStart(2, "0")).join("");
    const kept = { id, callerId: caller.id, session: host.session({ ...wish, id, owner: caller.id }), openedAt: platform.clock.now() };
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
    open(caller, { workspace, ...wish }) {
      const mine = [...sessions.values()].filter((kept) => kept.callerId === caller.id && !isOwn(kept));
      if (mine.length >= most)
        throw new RequestProblem("too_many", `The token has ${most} sessions open: close some (DELETE /v1/sessions/{sessionId})`);
      const { session: parent } = ownOf(caller);
      const place =
        workspace === undefined ? {} : { workspace: workspace.startsWith("/") ? workspace : `${parent.workspace}/${workspace}` };
      try {
        return keep(caller, { context: { agentId: caller.name }, ...wish, ...place, parent });
      } catch (error) {
        if (error instanceof TypeError || error instanceof ProjectConfigError) throw new RequestProblem("invalid_request", error.message);
        throw error;
      }
    },
    get(caller, id, anybody) {
      const kept = sessions.get(id);
      const may = kept !== undefined && (kept.callerId === caller.id || (anybody !== undefined && isGoodFor(caller, "admin")));
      if (!may) throw new RequestProblem("not_found", "There is no such session of this token");
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
