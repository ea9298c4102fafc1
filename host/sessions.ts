/** The host's sessions: the one that calls without a session share, those kept by role, and those that doors open (SPEC T1). */

import type { EmitEvent } from "./audit/events.ts";
import { FileError, type Platform } from "./platform/platform.ts";
import { normalizePath } from "../manifests/mod.ts";
import { createSession, type Session, type SessionOptions } from "./session.ts";

/** A session as a door asks for it. */
export interface HostSessionOptions extends Omit<SessionOptions, "id" | "workspace" | "agentId"> {
  /** Default: a new UUIDv7. */
  readonly id?: string;
  /** Default: the host's. Relative to the working directory. */
  readonly workspace?: string;
  readonly context?: SessionContext;
}

/** Who the embedding program calls for. */
export interface SessionContext {
  readonly agentId?: string;
}

/** The host's sessions. */
export interface Sessions {
  readonly default: Session;
  open(options?: HostSessionOptions): Session;
  /** One session for each role and context, kept for later calls. */
  of(role: string | undefined, context: SessionContext | undefined): Session;
  /** The same session with the real path of its workspace, or as it is while that is not there. */
  resolve(session: Session): Promise<Session>;
  close(): void;
}

const KEPT = 256;

export function createSessions(options: {
  readonly platform: Pick<Platform, "files" | "environment" | "random">;
  readonly workspace: string;
  readonly emit: EmitEvent;
}): Sessions {
  const { platform, emit } = options;
  const opened = new Set<string>();
  const kept = new Map<string, Session>();
  const resolved = new WeakMap<Session, Promise<Session>>();

  function open(wish: HostSessionOptions = {}): Session {
    const { id = platform.random.uuidv7(), workspace, context, ...rest } = wish;
    const folder = workspace === undefined ? options.workspace : normalizePath(workspace, platform.environment.cwd);
    if (folder === undefined) throw new TypeError(`"${workspace}" is no path`);
    const session = createSession({ ...rest, id, workspace: folder, ...(context?.agentId !== undefined && { agentId: context.agentId }) });
    opened.add(id);
    emit({
      type: "session.opened",
      sessionId: id,
      payload: { workspace: folder, ...(session.role !== undefined && { role: session.role }) },
    });
    return session;
  }

  const shared = open();
  return {
    default: shared,
    open,
    of(role, context) {
      if (role === undefined && context === undefined) return shared;
      const key = JSON.stringify([role ?? null, context?.agentId ?? null]);
      const known = kept.get(key);
      if (known !== undefined) return known;
      const session = open({ ...(role !== undefined && { role }), ...(context !== undefined && { context }) });
      const [oldest] = kept.keys();
      if (kept.size >= KEPT && oldest !== undefined) kept.delete(oldest);
      kept.set(key, session);
      return session;
    },
    async resolve(session) {
      // The host's own workspace is a real path already.
      if (session.workspace === options.workspace) return session;
      const before = resolved.get(session);
      if (before !== undefined) return await before;
      const real = platform.files
        .realPath(session.workspace)
        .then((workspace) => (workspace === session.workspace ? session : Object.freeze({ ...session, workspace })))
        .catch((error: unknown) => {
          resolved.delete(session);
          // Nothing is there, so nothing in it can be named; a call may do without, and never rejects (SPEC D1).
          if (error instanceof FileError) return session;
          throw error;
        });
      resolved.set(session, real);
      return await real;
    },
    close() {
      for (const id of opened) emit({ type: "session.closed", sessionId: id, payload: {} });
      opened.clear();
    },
  };
}
