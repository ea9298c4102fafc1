/** Keeps the policy in force current: reads `bascule.json` again when it changes (SPEC P1, D8). */

import { problemToText } from "../../manifests/mod.ts";
import type { EmitEvent } from "../audit/events.ts";
import type { Places } from "../project/places.ts";
import type { Look } from "../project/project-file.ts";
import type { Platform } from "../platform/platform.ts";
import { createHostPolicy, type HostPolicy, type PolicyView } from "./host-policy.ts";
import { createPolicyInForce, type PolicyInForce, type PolicyInForceOptions } from "./policy-in-force.ts";

interface PolicySourceOptions extends PolicyInForceOptions {
  readonly platform: Pick<Platform, "clock" | "log">;
  readonly places: Places;
  readonly emit: EmitEvent;
  /** Called after each refresh of the policy, to refresh what depends on the file. */
  readonly onRefresh: () => Promise<void>;
}

export interface PolicySource extends Pick<PolicyInForce, "current" | "explain" | "canUse" | "checkLayers" | "outlook"> {
  confirmationTimeoutMs(): number;
  /** Reads `bascule.json` again. An invalid file is logged once and changes nothing; a deleted file means the defaults. */
  refresh(look?: Look): Promise<void>;
  /** Why the policy in force differs from `bascule.json` on disk. */
  notices(): readonly string[];
  /** Refreshes policy and grants every second until `close`. */
  watch(): void;
  /** Returns the policy as the embedding program sees it. */
  forHost(of: PolicyView): HostPolicy;
  close(): void;
}

const WATCH_MS = 1_000;
const REFUSED = "bascule.json has errors; the last good one stays in force";

export function createPolicySource(options: PolicySourceOptions): PolicySource {
  const { platform, places, grants, emit, onRefresh } = options;
  const { clock, log } = platform;
  const { project } = places;
  const inForce = createPolicyInForce(options);
  const { current, explain, canUse, checkLayers, outlook } = inForce;
  let refusedWith: string | undefined;
  let stopTimer = (): void => {};
  let closed = false;

  async function follow(look: Look): Promise<void> {
    const wasThere = project.isThere();
    const outcome = await project.refresh(look);
    if (outcome.kind === "refused") {
      const problems = outcome.problems.map(problemToText);
      const text = problems.join("; ");
      if (text !== refusedWith) log.write("error", REFUSED, { problems });
      refusedWith = text;
      return;
    }
    refusedWith = undefined;
    if (wasThere && !project.isThere()) log.write("warn", "bascule.json was deleted; the defaults apply", { path: project.path ?? "" });
    if (outcome.kind === "same") return;
    inForce.apply(project.config());
    emit({ type: "policy.reloaded", payload: { path: project.path ?? "" } });
  }

  async function refresh(look: Look = "firm"): Promise<void> {
    await follow(look);
    await onRefresh();
  }

  function watch(): void {
    stopTimer = clock.after(WATCH_MS, () => {
      void Promise.all([refresh("passing"), grants.refresh()])
        .catch((error: unknown) => log.write("error", "Cannot refresh the project's configuration", { error: String(error) }))
        .then(() => closed || watch());
    });
  }

  return {
    current,
    explain,
    canUse,
    checkLayers,
    outlook,
    confirmationTimeoutMs: () => inForce.config().confirmation.timeoutMs,
    notices: () => (refusedWith === undefined ? [] : [`${REFUSED}: ${refusedWith}`]),
    refresh,
    watch,
    forHost: (view) => createHostPolicy(inForce, places.workspace, view),
    close() {
      closed = true;
      stopTimer();
    },
  };
}
