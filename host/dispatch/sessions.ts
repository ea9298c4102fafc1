/** The host's sessions: the default session, those kept by role, and those that doors open (SPEC T1). */

import type { EmitEvent } from "../audit/events.ts";
import { FileError, type Platform } from "../platform/platform.ts";
import { expandHome, isAtOrBelow, type LayerRules, normalizePath } from "../../manifests/mod.ts";
import { createSession, type Session, type SessionOptions, type TaskContext } from "../call/session.ts";

/** Options of a session that a door opens. */
export interface HostSessionOptions extends Omit<SessionOptions, "id" | "workspace" | "named" | "agentId" | "context"> {
  /** Default: a new UUIDv7. */
  readonly id?: string;
  /** Default: the parent's, else the host's. Relative to the working directory. */
  readonly workspace?: string;
  readonly context?: SessionContext;
  /** How the client reaches the host, for the record of sessions: `http`, `mcp`, `cli`. */
  readonly door?: string;
  /** Name of the client, such as its token's. */
  readonly client?: string;
}

/** The agent that the embedding program calls for, and the restrictions of its task. */
export interface SessionContext extends TaskContext {
  readonly agentId?: string;
}

/** The host's sessions. */
export interface Sessions {
  readonly default: Session;
  open(options?: HostSessionOptions): Session;
  /** Returns the session of this role and context; one is kept for each. */
  of(role: string | undefined, context: SessionContext | undefined): Session;
  /** Returns the same session with the real path of its workspace, or unchanged if the workspace does not exist. */
  resolve(session: Session): Promise<Session>;
  /** Ends the session. The event is emitted once. */
  end(session: Pick<Session, "id">): void;
  /** Emits the end of all sessions. The user's answers for them stay, for the same sessions of the next host. */
  close(): void;
}

const KEPT = 256;
/** Denies everything in a workspace that leaves the parent's through a link: the delegated session must not escape by it. */
const LED_OUT: LayerRules = { name: "a workspace that leads out of the parent's", deny: ["group:all"] };

export function createSessions(options: {
  readonly platform: Pick<Platform, "files" | "environment" | "random">;
  readonly workspace: string;
  /** The link under which the user named the workspace. */
  readonly named?: string;
  readonly emit: EmitEvent;
  /** @throws {ProjectConfigError} if a layer is wrong. */
  readonly checkLayers: (layers: readonly LayerRules[]) => void;
  /** Releases what is held for an ended session. */
  readonly onEnd: (id: string) => void;
}): Sessions {
  const { platform, emit, checkLayers } = options;
  const opened = new Set<string>();
  const kept = new Map<string, Session>();
  const resolved = new WeakMap<Session, Promise<Session>>();

  function open(request: HostSessionOptions = {}): Session {
    const { id = platform.random.uuidv7(), workspace, context, door, client, ...rest } = request;
    const inherited = rest.parent?.workspace ?? options.workspace;
    const folder =
      workspace === undefined ? inherited : normalizePath(expandHome(workspace, platform.environment.home), platform.environment.cwd);
    if (folder === undefined) throw new TypeError(`"${workspace}" is not a path`);
    if (rest.layers) checkLayers(rest.layers);
    const { agentId, ...task } = context ?? {};
    const named = folder === options.workspace && options.named !== undefined ? { named: options.named } : {};
    const session = createSession({ ...rest, ...named, id, workspace: folder, context: task, ...(agentId !== undefined && { agentId }) });
    opened.add(id);
    emit({
      type: "session.opened",
      sessionId: id,
      payload: {
        workspace: folder,
        ...(session.role !== undefined && { role: session.role }),
        ...(session.owner !== undefined && { owner: session.owner }),
        ...(door !== undefined && { door }),
        ...(client !== undefined && { client }),
      },
    });
    return session;
  }

  function end({ id }: Pick<Session, "id">): void {
    if (!opened.delete(id)) return;
    options.onEnd(id);
    emitEnd(id);
  }

  function emitEnd(id: string): void {
    emit({ type: "session.closed", sessionId: id, payload: {} });
  }

  async function resolve(session: Session): Promise<Session> {
    // The host's own workspace is a real path already.
    if (session.workspace === options.workspace) return session;
    const before = resolved.get(session);
    if (before !== undefined) return await before;
    const real = realOf(session).catch((error: unknown) => {
      resolved.delete(session);
      // A missing workspace contains nothing to name. Calls may not need it, and never reject (SPEC D1).
      if (error instanceof FileError) return session;
      throw error;
    });
    resolved.set(session, real);
    return await real;
  }

  async function realOf(session: Session): Promise<Session> {
    const workspace = await platform.files.realPath(session.workspace);
    const parent = session.parent && (await resolve(session.parent));
    if (parent !== undefined && !isAtOrBelow(workspace, parent.workspace))
      return Object.freeze({ ...session, layers: [...session.layers, LED_OUT] });
    return workspace === session.workspace ? session : Object.freeze({ ...session, workspace, named: session.workspace });
  }

  const shared = open();
  return {
    default: shared,
    open,
    of(role, context) {
      if (role === undefined && context === undefined) return shared;
      const key = JSON.stringify([role ?? null, context?.agentId ?? null, context?.readOnly === true, context?.noWeb === true]);
      const known = kept.get(key);
      if (known !== undefined) return known;
      const session = open({ ...(role !== undefined && { role }), ...(context !== undefined && { context }) });
      const [oldest] = kept;
      if (kept.size >= KEPT && oldest !== undefined) {
        kept.delete(oldest[0]);
        end(oldest[1]);
      }
      kept.set(key, session);
      return session;
    },
    resolve,
    end,
    close() {
      opened.forEach(emitEnd);
      opened.clear();
    },
  };
}
