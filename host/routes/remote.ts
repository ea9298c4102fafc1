/**
 * The `remote` route: forwards a call to another bascule host over HTTP, or to a cluster (`remote-cluster.ts`), and returns the result as if
 * it had run here (SPEC O3).
 *
 * This host's policy, confirmation and audit come first; the other host has its own. Its answer is untrusted: sizes are bounded before
 * anything is parsed, and ids, sizes and routes that it claims are ignored.
 */

import type { ClusterLinks } from "../cluster/links.ts";
import { pause } from "../primitives/until-aborted.ts";
import { addressesLayer, chooseRemote, type Remote } from "./remote-target.ts";
import { checkUrl } from "../capabilities/mod.ts";
import { cancelled, type ToolErrorData, unavailable, wallTimeout } from "../call/errors.ts";
import { NetworkError } from "../platform/network/network-types.ts";
import { type ClusterConfig, isClusterUrl, type RemoteConfig } from "../../manifests/mod.ts";
import type { Secrets } from "../capabilities/secrets/secrets.ts";
import type { Execution, Executor, Outcome } from "../tools/execution.ts";
import { exchangeCall, RemoteFailure } from "./remote-exchange.ts";
import { readRemoteResult } from "./remote-result.ts";
import type { RouteOptions } from "./route-options.ts";
import { openRunRecord, type RunRecord } from "./run-record.ts";

export interface RemoteRouteOptions extends RouteOptions {
  readonly secrets: Pick<Secrets, "forCall" | "redact" | "redactBytes" | "valueOf">;
  /** Returns the current `remotes` of `bascule.json`. Default: none. */
  readonly remotes?: () => Readonly<Record<string, RemoteConfig>>;
  /** Connections to clusters. Absent: none can be called. */
  readonly clusters?: ClusterLinks;
  /** Returns the current `cluster.members` of `bascule.json`. Default: none. */
  readonly members?: () => ClusterConfig["members"];
}

/** Maximum number of tries of a read-only call whose request got no answer. */
const MAX_TRIES = 3;
const RETRY_MS = 100;
const NOT_BEGUN: ReadonlySet<string> = new Set(["refused", "unreachable", "reset", "closed"]);
const ONLY_READS: ReadonlySet<string> = new Set(["read"]);

export function createRemoteExecutor(options: RemoteRouteOptions): Executor {
  return async (execution) => {
    const { tool } = execution;
    const remote = chooseRemote(tool, options.remotes?.() ?? {});
    if (typeof remote === "string") {
      return { ok: false, error: unavailable(tool.qualifiedName, remote), used: { wallMs: 0 }, filesModified: [] };
    }
    const record = openRunRecord(execution, options);
    const stop = new AbortController();
    const stopTimer = options.platform.clock.after(execution.decision.limits.wallMs, () => stop.abort("timeout"));
    const cancel = (): void => stop.abort("cancelled");
    execution.signal.addEventListener("abort", cancel, { once: true });
    if (execution.signal.aborted) cancel();
    try {
      return await forward(remote, execution, { ...options, record, signal: stop.signal });
    } finally {
      stopTimer();
      execution.signal.removeEventListener("abort", cancel);
      record.close();
    }
  };
}

/** One call while it is forwarded. */
interface Forwarding extends RemoteRouteOptions {
  readonly record: RunRecord;
  /** Aborted at the deadline and on cancellation; its reason says which. */
  readonly signal: AbortSignal;
}

async function forward(remote: Remote, execution: Execution, forwarding: Forwarding): Promise<Outcome> {
  const { record, secrets, signal } = forwarding;
  const { limits } = execution.decision;
  const facts = (): Pick<Outcome, "used" | "filesModified"> => ({ used: { wallMs: record.elapsedMs() }, filesModified: [] });
  const fail = (error: ToolErrorData): Outcome => ({ ok: false, error, ...facts() });
  const name = execution.tool.qualifiedName;
  const token = remote.config.token === undefined ? undefined : await secrets.valueOf(remote.config.token);
  if (remote.config.token !== undefined && token === undefined) {
    return fail(unavailable(name, `the secret "${remote.config.token}" of the remote host "${remote.name}" has no value`));
  }
  if (isClusterUrl(remote.config.url)) {
    const { platform, clusters, members = () => ({}) } = forwarding;
    if (clusters === undefined) return fail(unavailable(name, "this host cannot call clusters"));
    // Loaded by hosts that call one: most do not.
    const { forwardToCluster } = await import("./remote-cluster.ts");
    return await forwardToCluster(remote, execution, { platform, links: clusters, members, record, signal, facts });
  }
  for (let tries = 1; ; tries += 1) {
    if (signal.aborted) return fail(signal.reason === "timeout" ? wallTimeout(limits.wallMs) : cancelled());
    try {
      const answer = await once(remote, execution, { ...forwarding, token });
      const schema = execution.tool.definition.outputSchema;
      const read = readRemoteResult(answer, { remote: remote.name, tool: name, limits, facts: facts(), schema });
      return await forwarding.platform.slices.run(read);
    } catch (error) {
      if (signal.aborted) continue;
      if (!(error instanceof NetworkError) && !(error instanceof RemoteFailure)) throw error;
      if (tries >= MAX_TRIES || !mayTryAgain(error, execution)) return fail(toError(error, name, remote.name));
      await pause(forwarding.platform.clock, RETRY_MS * tries, forwarding.signal);
    }
  }
}

/** Sends the call once. @throws {NetworkError | RemoteFailure} */
async function once(
  remote: Remote,
  execution: Execution,
  forwarding: Forwarding & { readonly token: string | undefined },
): Promise<string> {
  const { record, platform, signal, token } = forwarding;
  const url = new URL(`${remote.config.url.replace(/\/+$/, "")}/v1/calls`);
  const checked = checkUrl("POST", url, { grant: { layers: [addressesLayer(remote)] }, cwd: execution.call.session.workspace });
  if (!checked.ok) throw new RemoteFailure(checked.message);
  record.bridge.record({ ...checked.act, rule: remote.name });
  try {
    return await exchangeCall(checked.url, execution, {
      network: platform.network,
      slices: platform.slices,
      signal,
      token,
      onProgress: (value) => void record.progress(value),
      onYield: (value, bytes) => record.yielded(value, bytes),
    });
  } catch (error) {
    if (!(error instanceof NetworkError) || error.code !== "not_capable" || error.address === undefined) throw error;
    const refused = checked.refuseAddress(error.address);
    record.bridge.record({ ...refused.act, rule: remote.name });
    throw new RemoteFailure(`its name resolves to an address that is not public: list it in "addresses" of remotes.${remote.name}`);
  }
}

/** Whether the call may be retried: no answer arrived, and the tool only reads. */
function mayTryAgain(error: NetworkError | RemoteFailure, { tool }: Execution): boolean {
  const { sideEffects, destructive } = tool.definition;
  return (
    error instanceof NetworkError && NOT_BEGUN.has(error.code) && !destructive && sideEffects.every((effect) => ONLY_READS.has(effect))
  );
}

function toError(error: NetworkError | RemoteFailure, tool: string, remote: string): ToolErrorData {
  if (error instanceof RemoteFailure && error.error !== undefined) return error.error;
  return unavailable(tool, `the remote host "${remote}" cannot be used: ${error.message}`);
}
