/** The policy as the embedding program sees it: `host.policy`. */

import type { AccessQuery, PolicyLayer, Problem } from "../../manifests/mod.ts";
import { createSession, type Session } from "../call/session.ts";
import type { SessionContext } from "../dispatch/sessions.ts";
import type { Explanation } from "../policy/explain.ts";
import { parseEnforced, ProjectConfigError } from "../project/project-file.ts";
import type { Snapshot } from "../tools/snapshot.ts";
import type { AddedLayer, PolicyInForce } from "./policy-in-force.ts";

/** The host that policy lookups refer to. */
export interface PolicyView {
  readonly snapshot: () => Snapshot;
  /** Names of plugins, loaded or not. */
  readonly plugins: () => readonly string[];
}

/** Explains a tool for a caller of a role and task, and an act of it; undefined for an unknown tool. Opens no session. */
export type Judge = (tool: string, role?: string, context?: SessionContext, act?: AccessQuery) => Explanation | undefined;

/** Methods of the embedding program to extend and query the policy (SPEC P3, P5). */
export interface HostPolicy {
  /** Names in the policy that match no known tool, plugin or category, so their denials have no effect. */
  warnings(): readonly Problem[];
  /**
   * Explains a tool under another `bascule.json`, as `why` does under this one; undefined for an unknown tool.
   *
   * @throws {ProjectConfigError} if the text is not valid.
   */
  alternative(text: string): Judge;
  /** Explains tools under the policy in force. */
  readonly now: Judge;
  /**
   * Adds a layer to every session, to a role, or to delegated sessions; returns a function that removes it.
   *
   * @throws {ProjectConfigError} if the layer is not valid.
   * @throws {TypeError} if the program supplied its own policy implementation.
   * @example
   * ```ts
   * const remove = host.policy.addLayer("role", { name: "guests", role: "guest", deny: ["group:write"] });
   * ```
   */
  addLayer(level: PolicyLayer["level"], layer: AddedLayer): () => void;
  /** Returns true if a call could run, without running it; false for an unknown tool. */
  canUse(role: string | undefined, tool: string, context?: SessionContext): boolean;
}

/** Maximum sessions that a judge keeps. */
const MAX_SESSIONS = 64;

/** @param workspace folder of the sessions that are asked about */
export function createHostPolicy(inForce: PolicyInForce, workspace: string, { snapshot, plugins }: PolicyView): HostPolicy {
  const sessionFor = (role?: string, context: SessionContext = {}): Session =>
    createSession({ id: "", workspace, context, ...(role !== undefined && { role }) });
  function judgeBy(policy: Pick<PolicyInForce, "explain">): Judge {
    // One session for each role and task: decisions and grants are cached by session.
    const sessions = new Map<string, Session>();
    return (name, role, context = {}, act) => {
      const tool = snapshot().find(name);
      if (tool === undefined) return undefined;
      const key = JSON.stringify([role ?? null, context.readOnly === true, context.noWeb === true]);
      const session = sessions.get(key) ?? sessionFor(role, context);
      if (sessions.size < MAX_SESSIONS) sessions.set(key, session);
      return policy.explain(tool, session, act);
    };
  }
  return {
    addLayer: inForce.addLayer,
    warnings: () => inForce.deadNames({ tools: snapshot().tools, plugins: plugins() }),
    alternative(text) {
      const parsed = parseEnforced(text);
      if (!parsed.ok) throw new ProjectConfigError("policy to compare with", parsed.problems);
      const other = inForce.under(parsed.value);
      return judgeBy(other);
    },
    now: judgeBy(inForce),
    canUse(role, name, context) {
      const tool = snapshot().find(name);
      return tool !== undefined && inForce.canUse(tool, sessionFor(role, context));
    },
  };
}
