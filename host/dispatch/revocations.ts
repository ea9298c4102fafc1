/** Ends running calls that lost what they were allowed: a grant that was taken back, a rule or layer that denies now (SPEC C2, P1). */

import type { AllowDecision, Decision, ToolCall } from "../call/call.ts";
import { toolError, type ToolErrorData } from "../call/errors.ts";
import { lostSince } from "../policy/lost.ts";
import type { Policy } from "../policy/policy.ts";
import type { Snapshot } from "../tools/snapshot.ts";
import type { RegisteredTool } from "../tools/tool.ts";

/** A call that may run. */
export interface AllowedCall {
  readonly tool: RegisteredTool;
  readonly call: ToolCall;
  readonly decision: AllowDecision;
  /** Ends it. */
  readonly stop: AbortController;
}

/** One that runs. */
export interface UnderWay extends AllowedCall {
  /** Why it was ended, if it lost something. */
  lost: ToolErrorData | undefined;
}

/** The host at this moment. */
export interface RevocationSources {
  readonly policy: Pick<Policy, "decide">;
  readonly registry: Snapshot;
}

export class Revocations {
  readonly #running: Set<UnderWay> = new Set();
  readonly #now: () => RevocationSources;

  constructor(now: () => RevocationSources) {
    this.#now = now;
  }

  /** What is decided about the call at this moment. */
  decide(tool: RegisteredTool, call: ToolCall): Decision {
    const { policy, registry } = this.#now();
    return policy.decide(servingNow(registry, tool), call);
  }

  begin({ tool, call, decision, stop }: AllowedCall): UnderWay {
    const running: UnderWay = { tool, call, decision, stop, lost: undefined };
    this.#running.add(running);
    return running;
  }

  end(running: UnderWay): void {
    this.#running.delete(running);
  }

  /** To be called when the policy or a grant has changed. What a call did until then is done; it does nothing more. */
  recheck(): void {
    for (const running of this.#running) {
      const lost = lostSince(running.decision, this.decide(running.tool, running.call));
      if (lost === undefined || running.lost !== undefined) continue;
      running.lost = revoked(running.call.tool, lost);
      running.stop.abort();
    }
  }
}

/** The tool that has taken its place, if its plugin was loaded again: grants may be bound to that one's bytes. */
function servingNow(registry: Snapshot, tool: RegisteredTool): RegisteredTool {
  if (registry.getById(tool.id) === tool) return tool;
  const next = registry.find(tool.qualifiedName);
  return next?.plugin === tool.plugin && next?.binding.kind === tool.binding.kind ? next : tool;
}

function revoked(tool: string, lost: string): ToolErrorData {
  return toolError(
    "permission_denied",
    `Permission denied: tool '${tool}' was ended, because what it was allowed was taken back (${lost})`,
    {
      details: { reason: "revoked" },
    },
  );
}
