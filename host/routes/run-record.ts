/** What happens around one run, the same on every route: its bridge context, its record of acts, its settings (SPEC D7, C10). */

import type { EmitEvent } from "../audit/events.ts";
import { type BridgeContext, type CapabilityAct, grantHint } from "../capabilities/mod.ts";
import type { GrantHint } from "../errors.ts";
import {
  type AccessQuery,
  applyDefaults,
  evaluateAccess,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Permissions,
  PERMISSION_KINDS,
} from "../../manifests/mod.ts";
import type { Log, Platform } from "../platform/platform.ts";
import type { Execution } from "./executor.ts";

/** What routes are made with. */
export interface RouteOptions {
  readonly platform: Platform;
  readonly emit: EmitEvent;
}

/** One run while it lasts. */
export interface RunRecord {
  readonly bridge: BridgeContext;
  readonly filesModified: () => readonly string[];
  /** The grant that would have allowed what this call was refused last, if a person could give it (SPEC X3). */
  readonly hint: () => GrantHint | undefined;
  /** Milliseconds since the run began. */
  readonly elapsedMs: () => number;
  /** Lines of the call, with its ids as fields. */
  readonly log: Log;
  readonly settings: JsonObject;
  readonly permissions: Permissions;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  readonly progress: (value: JsonValue) => void;
}

/** Begins a run: its time counts from here. */
export function openRunRecord(execution: Execution, { platform, emit }: RouteOptions): RunRecord {
  const { tool, call, decision, signal } = execution;
  const version = tool.binding.kind === "plugin" ? tool.binding.version : undefined;
  const subject = {
    sessionId: call.session.id,
    callId: call.callId,
    ...(call.turnId !== undefined && { turnId: call.turnId }),
    ...(call.traceparent !== undefined && { traceparent: call.traceparent }),
    ...(tool.plugin !== undefined && { plugin: tool.plugin }),
    ...(version && { digest: version.digest }),
  };
  const modified = new Set<string>();
  let refused: CapabilityAct | undefined;
  const begunMs = platform.clock.monotonic();

  function record(act: CapabilityAct): void {
    const { decision: decided, permission, value, layer, rule } = act;
    if (decided === "denied") refused = act;
    emit({
      type: decided === "granted" ? "capability.used" : "capability.denied",
      ...subject,
      payload: {
        v: 1,
        datetime: new Date(platform.clock.now()).toISOString(),
        permission,
        value,
        decision: decided,
        layer,
        ...(rule !== undefined && { rule }),
        ...(tool.plugin !== undefined && { plugin: tool.plugin }),
        callId: call.callId,
      },
    });
  }

  return {
    bridge: {
      callId: call.callId,
      grant: decision.grant,
      cwd: call.session.workspace,
      platform,
      limits: decision.limits,
      signal,
      record,
      modified: (path) => modified.add(path),
      ...(tool.plugin !== undefined && { plugin: tool.plugin }),
      ...(version && { ownFiles: version.files }),
    },
    filesModified: () => [...modified],
    hint: () => refused && hintFor(refused, execution),
    elapsedMs: () => Math.max(0, platform.clock.monotonic() - begunMs),
    log: platform.log.child({ ...subject, tool: tool.qualifiedName }),
    settings: defaultSettings(version?.manifest.settingsSchema),
    permissions: shownPermissions(execution),
    deadline: platform.clock.now() + decision.limits.wallMs,
    progress(value) {
      emit({ type: "tool.output_delta", ...subject, payload: { delta: value } });
      try {
        call.onProgress?.(value);
      } catch (error) {
        // A door's defect is not the tool's failure.
        platform.log.write("error", "A progress listener threw", { callId: call.callId, error: String(error) });
      }
    },
  };
}

/** From the host's own record of the act: nothing that the guest said about it is read. */
function hintFor({ permission, value }: CapabilityAct, { tool, call, decision }: Execution): GrantHint | undefined {
  const query = toQuery(permission, value);
  if (query === undefined || evaluateAccess(decision.grant.layers, query).state !== "prompt") return undefined;
  return grantHint(query, {
    grant: decision.grant,
    cwd: call.session.workspace,
    ...(tool.plugin !== undefined && { plugin: tool.plugin }),
  });
}

function toQuery(permission: string, value: string): AccessQuery | undefined {
  if (permission === "read" || permission === "write") return { kind: permission, path: value };
  return permission === "env" ? { kind: permission, name: value } : undefined;
}

/** The schema's defaults: what a plugin's settings are until somebody sets them. */
function defaultSettings(schema: Parameters<typeof applyDefaults>[0] | undefined): JsonObject {
  const settings = schema === undefined ? {} : applyDefaults(schema, {});
  return isJsonObject(settings) ? settings : {};
}

/** For display: what the last layer that names permissions holds, without the kinds that another layer lacks altogether. */
function shownPermissions({ decision }: Execution): Permissions {
  const naming = decision.grant.layers.filter(({ unnamed }) => unnamed === "none");
  const last = naming.at(-1);
  if (last === undefined) return {};
  const kinds = PERMISSION_KINDS.filter((kind: AccessQuery["kind"]) => naming.every(({ permissions }) => permissions.entries.has(kind)));
  return Object.freeze(Object.fromEntries(kinds.map((kind) => [kind, last.permissions.source[kind]])));
}
