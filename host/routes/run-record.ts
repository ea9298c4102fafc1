/** What happens around one run, the same on every route: its bridge context, its record of acts, its settings (SPEC D7, C10). */

import type { EmitEvent } from "../audit/events.ts";
import { type BridgeContext, type CapabilityAct, createExchanges, createOpenFiles, grantHint } from "../capabilities/mod.ts";
import type { GrantHint } from "../errors.ts";
import {
  type AccessQuery,
  applyDefaults,
  evaluateAccess,
  isJsonObject,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type Permissions,
  PERMISSION_KINDS,
} from "../../manifests/mod.ts";
import { deepFreeze } from "../json.ts";
import type { Log, Platform } from "../platform/platform.ts";
import type { Grant } from "../policy/grant.ts";
import type { Secrets } from "../secrets/secrets.ts";
import type { Undos } from "../undo/undos.ts";
import type { Execution } from "./executor.ts";

/** What routes are made with. */
export interface RouteOptions {
  readonly platform: Platform;
  readonly emit: EmitEvent;
  readonly secrets: Pick<Secrets, "forCall" | "redact">;
  /** Keeps what calls change; absent where nothing is kept. */
  readonly undos?: Pick<Undos, "keep">;
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
  /** Gives up whatever the run still holds open. To be called at its end, however it ended. */
  readonly close: () => void;
}

/** Begins a run: its time counts from here. */
export function openRunRecord(execution: Execution, options: RouteOptions): RunRecord {
  const { emit, secrets } = options;
  const { tool, call, decision, signal, meter, overlay } = execution;
  const given = (overlay ?? options).platform;
  const platform = options.undos?.keep(execution, given) ?? given;
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
  const exchanges = createExchanges();
  const openFiles = createOpenFiles(call.callId);
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
        ...(overlay && { dryRun: true as const }),
      },
    });
  }

  return {
    bridge: {
      callId: call.callId,
      openFiles,
      grant: decision.grant,
      cwd: call.session.workspace,
      platform,
      limits: decision.limits,
      signal,
      exchanges,
      meter,
      secrets: secrets.forCall(decision.grant),
      record,
      modified: (path) => modified.add(path),
      ...(tool.plugin !== undefined && { plugin: tool.plugin }),
      ...(version && { ownFiles: version.files }),
    },
    // A dry run has modified none.
    filesModified: () => (overlay === undefined ? [...modified] : []),
    hint: () => refused && hintFor(refused, execution),
    elapsedMs: () => Math.max(0, platform.clock.monotonic() - begunMs),
    log: lazyLog(() => platform.log.child({ ...subject, tool: tool.qualifiedName })),
    settings: defaultSettings(version?.manifest.settingsSchema),
    permissions: shownPermissions(decision.grant),
    deadline: (call.timeMs ?? platform.clock.now()) + decision.limits.wallMs,
    close() {
      exchanges.closeAll();
      void openFiles.close((error) => platform.log.write("warn", "A file did not close", { callId: call.callId, error: String(error) }));
    },
    progress(said) {
      const value = secrets.redact(said);
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
  if (permission === "env") return { kind: permission, name: value };
  if (permission !== "net") return undefined;
  const parts = /^(.*):([0-9]+)$/s.exec(value);
  return parts === null ? { kind: "net", host: value } : { kind: "net", host: parts[1] ?? "", port: Number(parts[2]) };
}

/** Made when the first line is written: most calls write none. */
function lazyLog(make: () => Log): Log {
  let made: Log | undefined;
  const log = (): Log => (made ??= make());
  return { write: (level, message, fields) => log().write(level, message, fields), child: (fields) => log().child(fields) };
}

const NO_SETTINGS: JsonObject = Object.freeze({});
const SETTINGS = new WeakMap<JsonSchema, JsonObject>();

/** The schema's defaults: what a plugin's settings are until somebody sets them. Frozen, and the same object for the same schema. */
function defaultSettings(schema: JsonSchema | undefined): JsonObject {
  if (schema === undefined) return NO_SETTINGS;
  const known = SETTINGS.get(schema);
  if (known !== undefined) return known;
  const filled = deepFreeze(applyDefaults(schema, {}));
  const settings = isJsonObject(filled) ? filled : NO_SETTINGS;
  SETTINGS.set(schema, settings);
  return settings;
}

const SHOWN = new WeakMap<Grant, Permissions>();

/**
 * For display: what the last layer that names permissions holds, without the kinds that another layer lacks altogether.
 * Frozen, and the same object for the same grant.
 */
function shownPermissions(grant: Grant): Permissions {
  const known = SHOWN.get(grant);
  if (known !== undefined) return known;
  const naming = grant.layers.filter(({ unnamed }) => unnamed === "none");
  const held = naming.at(-1)?.permissions.source;
  const kinds = PERMISSION_KINDS.filter((kind) => naming.every(({ permissions }) => permissions.entries.has(kind)));
  const shown: Permissions = Object.freeze(held === undefined ? {} : Object.fromEntries(kinds.map((kind) => [kind, held[kind]])));
  SHOWN.set(grant, shown);
  return shown;
}
