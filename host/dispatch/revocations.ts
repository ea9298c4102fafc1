/** Ends running calls that lost their permission: a grant was revoked, or a rule or layer denies them now (SPEC C2, P1). */

import type { AllowDecision, Decision, ToolCall } from "../call/call.ts";
import { toolError, type ToolErrorData } from "../call/errors.ts";
import { lostSince } from "../policy/lost.ts";
import type { Policy } from "../policy/policy.ts";
import type { Snapshot } from "../tools/snapshot.ts";
import type { RegisteredTool } from "../tools/tool.ts";

/** A call that was allowed and is about to run. */
interface AllowedCall {
  readonly tool: RegisteredTool;
  readonly call: ToolCall;
  readonly decision: AllowDecision;
  /** Aborts the call. */
  readonly stop: AbortController;
}

/** A running call. */
export interface UnderWay extends AllowedCall {
  /** The reason if the call was ended because it lost a permission. */
  lost: ToolErrorData | undefined;
}

/** The current state of the host. */
interface RevocationSources {
  readonly policy: Pick<Policy, "decide">;
  readonly registry: Snapshot;
}

export class Revocations {
  readonly #running: Set<UnderWay> = new Set();
  readonly #now: () => RevocationSources;

  constructor(now: () => RevocationSources) {
    this.#now = now;
  }

  /** Returns the current decision about the call. */
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

  /** Ends the running calls that are no longer allowed. Call it when the policy or a grant has changed. Earlier effects of a call stay. */
  recheck(): void {
    for (const running of this.#running) {
      const lost = lostSince(running.decision, this.decide(running.tool, running.call));
      if (lost === undefined || running.lost !== undefined) continue;
      running.lost = revoked(running.call.tool, lost);
      running.stop.abort();
    }
  }
}

/** Returns the tool's replacement if its plugin was reloaded: grants may be bound to the new version's bytes. */
function servingNow(registry: Snapshot, tool: RegisteredTool): RegisteredTool {
  if (registry.getById(tool.id) === tool) return tool;
  const next = registry.find(tool.qualifiedName);
  return next?.plugin === tool.plugin && next?.binding.kind === tool.binding.kind ? next : tool;
}

function revoked(tool: string, lost: string): ToolErrorData {
  return toolError("permission_denied", `Permission denied: tool '${tool}' was ended because its permission was revoked (${lost})`, {
    details: { reason: "revoked" },
  });
}
