/** The `remote` route to a cluster: the members that hold the same bytes of the plugin run the call (SPEC CL1, O3). */

import { isJsonObject } from "../../manifests/mod.ts";
import { callOnCluster } from "../cluster/caller.ts";
import type { Link } from "../cluster/link.ts";
import type { ClusterLinks } from "../cluster/links.ts";
import { cancelled, resourceExhausted, type ToolErrorData, unavailable, wallTimeout } from "../call/errors.ts";
import { BusError } from "../platform/bus/bus-types.ts";
import { FileError, type Platform } from "../platform/platform.ts";
import { joined } from "../primitives/json/json-bytes.ts";
import { sizeOf } from "../primitives/json/known-size.ts";
import { encodeSlices } from "../primitives/json/write-slices.ts";
import { untilAborted } from "../primitives/until-aborted.ts";
import type { Execution, Outcome } from "../tools/execution.ts";
import type { OutcomeFacts } from "./output.ts";
import { readRemoteResult } from "./remote-result.ts";
import type { Remote } from "./remote-target.ts";
import type { RunRecord } from "./run-record.ts";

interface ClusterForwarding {
  readonly platform: Platform;
  readonly links: ClusterLinks;
  /** Public keys of the members, by name. */
  readonly members: () => Readonly<Record<string, string>>;
  readonly record: RunRecord;
  /** Aborted at the deadline and on cancellation; its reason says which. */
  readonly signal: AbortSignal;
  readonly facts: () => OutcomeFacts;
}

/** Bytes of a result besides its output. */
const AROUND_BYTES = 1024 * 1024;

export async function forwardToCluster(remote: Remote, execution: Execution, forwarding: ClusterForwarding): Promise<Outcome> {
  const { platform, signal, facts } = forwarding;
  const { tool, decision } = execution;
  const fail = (error: ToolErrorData): Outcome => ({ ok: false, error, ...facts() });
  const name = tool.qualifiedName;
  if (tool.binding.kind !== "plugin" || tool.plugin === undefined)
    return fail(unavailable(name, `it belongs to no plugin, and members of the cluster "${remote.name}" know plugins by their bytes`));
  const { digest } = tool.binding.version;
  forwarding.record.bridge.record({
    decision: "granted",
    permission: "net",
    value: remote.config.url,
    layer: "remotes",
    rule: remote.name,
  });
  try {
    const link = await untilAborted(forwarding.links.open(remote.config), signal);
    const end = link && (await call(link, digest, execution, forwarding));
    if (signal.aborted) return fail(signal.reason === "timeout" ? wallTimeout(decision.limits.wallMs) : cancelled());
    if (end === undefined || !end.ok) return fail(end?.error ?? cancelled());
    const excess = execution.meter.spend("bytesRead", end.text.length);
    if (excess !== undefined) return fail(excess);
    const schema = tool.definition.outputSchema;
    const read = readRemoteResult(end.text, { remote: remote.name, tool: name, limits: decision.limits, facts: facts(), schema });
    return await platform.slices.run(read);
  } catch (error) {
    if (!(error instanceof BusError || error instanceof FileError || error instanceof TypeError)) throw error;
    return fail(unavailable(name, `the cluster "${remote.name}" cannot be used: ${error.message}`));
  }
}

async function call(link: Link, digest: string, execution: Execution, forwarding: ClusterForwarding): ReturnType<typeof callOnCluster> {
  const { platform, record, members, signal } = forwarding;
  const { tool, args, decision, meter } = execution;
  const { callId, session, traceparent } = execution.call;
  const argsBytes = await encodeArguments(execution, platform);
  const excess = meter.spend("requests", 1) ?? meter.spend("bytesWritten", argsBytes.length);
  if (excess !== undefined) return { ok: false, error: excess };
  const end = await callOnCluster(
    {
      // Users of this host's own doors are one owner, so that a repeat after a restart gets the same result.
      ...{ callId, digest, tool: tool.qualifiedName, owner: session.owner ?? link.identity.publicKey, args, argsBytes, signal },
      ...(traceparent !== undefined && { traceparent }),
      timeoutMs: Math.max(1, Math.floor(decision.limits.wallMs)),
      // JSON may take six bytes for a character that the member counted as one.
      resultBytes: 6 * decision.limits.outputBytes + AROUND_BYTES,
      onProgress: (value) => void record.progress(value),
      onYield: (value, bytes) => record.yielded(value, bytes),
    },
    { link, slices: platform.slices, members, onDefect: (message, error) => record.log.write("error", message, { error: String(error) }) },
  );
  const isTooLarge = !end.ok && isJsonObject(end.error.details) && end.error.details["tooLarge"] === true;
  return isTooLarge ? { ok: false, error: resourceExhausted("outputBytes", decision.limits.outputBytes) } : end;
}

/** Encodes the arguments; large ones in slices (SPEC LV2). */
async function encodeArguments({ args }: Execution, { slices }: Pick<Platform, "slices">): Promise<Uint8Array> {
  if (sizeOf(args) === undefined) return new TextEncoder().encode(JSON.stringify(args));
  return await slices.run(joined(await slices.run(encodeSlices(args))));
}
