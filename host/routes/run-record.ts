/** What happens around one run, the same on every route: its bridge context, its record of acts, its settings (SPEC D7, C10). */

import type { EmitEvent, EventSubject } from "../audit/events.ts";
import { sessionOwner } from "../call/session.ts";
import {
  type BridgeContext,
  type CapabilityAct,
  createActs,
  createExchanges,
  createOpenFiles,
  grantHint,
  type OpenToolCalls,
} from "../capabilities/mod.ts";
import { type ChainStep, markOf } from "../call/chain.ts";
import type { GrantHint } from "../call/errors.ts";
import {
  type AccessQuery,
  applyDefaults,
  evaluateAccess,
  isJsonObject,
  type JsonObject,
  type JsonSchema,
  type JsonValue,
  type Manifest,
  type Permissions,
  PERMISSION_KINDS,
} from "../../manifests/mod.ts";
import { isInnerHost } from "../capabilities/inner-host.ts";
import { deepFreeze } from "../primitives/json/json.ts";
import { outlineOfLarge } from "../primitives/json/outline.ts";
import { canAsk, type OpenPermissionAsks, type PermissionAsks } from "../confirmations/permission-asks.ts";
import type { Log, LogLevel, Platform } from "../platform/platform.ts";
import type { Grant } from "../call/grant.ts";
import { limitHint } from "../call/limit-hint.ts";
import type { HostAnswer } from "../../sandbox/mod.ts";
import type { CallSecrets } from "../capabilities/secrets/call-secrets.ts";
import type { Secrets } from "../capabilities/secrets/secrets.ts";
import type { PluginVersion, RegisteredTool } from "../tools/tool.ts";
import type { Undos } from "../effects/undo/undos.ts";
import type { Shares } from "../../sandbox/mod.ts";
import type { Execution } from "../tools/execution.ts";
import { ToldProgress } from "./told-progress.ts";
import { createRunTime, type RunTime } from "../call/run-time.ts";

/** What routes are made with. */
export interface RouteOptions {
  readonly platform: Platform;
  readonly emit: EmitEvent;
  readonly secrets: Pick<Secrets, "forCall" | "redact" | "redactBytes">;
  /** What the plugin of a version is set to, frozen. Default: its schema's defaults. */
  readonly settings?: (manifest: Manifest) => JsonObject;
  /** Asks people for permissions in the middle of calls; absent where nobody is. */
  readonly openAsks?: OpenPermissionAsks;
  /** Keeps what calls change; absent where nothing is kept. */
  readonly undos?: Pick<Undos, "keep" | "ended">;
  /** Gives a call its way to other tools. Absent: there is none. */
  readonly openTools?: OpenToolCalls;
  /** What the file operations of all calls share. Absent: none of them waits. */
  readonly fileLanes?: Shares;
}

/** What the end of a run has to tell. */
export interface RunEnd {
  /** Of all that it called; absent if it called nothing. */
  readonly steps?: readonly ChainStep[];
  /** Operations that did not end with it. */
  readonly unfinished?: readonly string[];
}

/** One line of a guest's log. */
export type GuestLine = readonly [level: LogLevel, text: string];

/** One run while it lasts. */
export interface RunRecord {
  readonly bridge: BridgeContext;
  filesModified(): readonly string[];
  /** What an operation was answered: what was too large for it may be why the call fails. */
  noteAnswer(answer: HostAnswer): void;
  /** The grant, or the limit, that would have allowed what this call was refused last, if a person could give it (SPEC X3). */
  hint(): GrantHint | undefined;
  /** Milliseconds since the run began, without those in which a person was asked. */
  elapsedMs(): number;
  /** What is left of its time, as far as the host keeps it. */
  readonly time: RunTime;
  /** Lines of the call, with its ids as fields. */
  readonly log: Log;
  readonly settings: JsonObject;
  readonly permissions: Permissions;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** Told in order, and before the end. Above 64 KB it resolves when it has been told; undefined if it was told at once. */
  progress(value: JsonValue): Promise<void> | undefined;
  /** Lines that the guest wrote, in their order. */
  guestLines(lines: readonly GuestLine[]): void;
  /**
   * Ends whatever it began: what has not begun is dropped, the rest is waited for. Afterwards it tells nothing any more, and what it
   * told is complete. Undefined if it began nothing.
   */
  end(): Promise<RunEnd> | undefined;
  /** The same without waiting, for a run that failed. Nothing after `end`. */
  close(): void;
}

/** Begins a run: its time counts from here. */
export function openRunRecord(execution: Execution, options: RouteOptions): RunRecord {
  return new CallRun(execution, options);
}

/** With prototype methods, and what only some calls need made when they do: every call has one, and most do nothing outside. */
class CallRun implements RunRecord {
  readonly settings: JsonObject;
  readonly permissions: Permissions;
  readonly deadline: number;
  readonly #execution: Execution;
  readonly #options: RouteOptions;
  readonly #secrets: CallSecrets;
  readonly #begunMs: number;
  #time: RunTime | undefined;
  #bridge: BridgeContext | undefined;
  #log: Log | undefined;
  #modified: Set<string> | undefined;
  #refused: CapabilityAct | undefined;
  #wasTooLarge = false;
  #asks: PermissionAsks | undefined;
  #progress: ToldProgress | undefined;
  #isEnded = false;

  constructor(execution: Execution, options: RouteOptions) {
    const { call, decision } = execution;
    const { platform, secrets, settings = defaultSettings } = options;
    this.#execution = execution;
    this.#options = options;
    // At once: from now on they are taken out of whatever is shown.
    this.#secrets = secrets.forCall(decision.grant);
    this.#begunMs = platform.clock.monotonic();
    const manifest = this.#version?.manifest;
    this.settings = manifest === undefined ? NO_SETTINGS : settings(manifest);
    this.permissions = shownPermissions(decision.grant);
    this.deadline = (call.timeMs ?? platform.clock.now()) + decision.limits.wallMs;
  }

  get bridge(): BridgeContext {
    return (this.#bridge ??= this.#openBridge());
  }

  get log(): Log {
    const { platform } = this.#options;
    return (this.#log ??= platform.log.child({ ...this.#subject(), tool: this.#execution.tool.qualifiedName }));
  }

  get time(): RunTime {
    const { decision, signal, slot, asking } = this.#execution;
    const endsAtMs = this.#begunMs + decision.limits.wallMs;
    return (this.#time ??= createRunTime({ clock: this.#options.platform.clock, endsAtMs, signal, asking, ...(slot && { slot }) }));
  }

  filesModified(): readonly string[] {
    // A dry run has modified none.
    return this.#modified === undefined || this.#execution.overlay !== undefined ? NO_FILES : [...this.#modified];
  }

  hint(): GrantHint | undefined {
    const { tool, decision } = this.#execution;
    if (this.#refused !== undefined) return hintFor(this.#refused, this.#execution);
    return this.#wasTooLarge ? limitHint("operationBytes", { plugin: tool.plugin, ...decision }) : undefined;
  }

  noteAnswer(answer: HostAnswer): void {
    if (!answer.ok && (answer.error.code === "EFBIG" || answer.error.name === "RangeError")) this.#wasTooLarge = true;
  }

  elapsedMs(): number {
    return Math.max(0, this.#options.platform.clock.monotonic() - this.#begunMs - (this.#time?.stoodMs() ?? 0));
  }

  end(): Promise<RunEnd> | undefined {
    if (this.#bridge !== undefined || this.#progress !== undefined) return this.#end(this.#bridge);
    this.#isEnded = true;
    return undefined;
  }

  close(): void {
    if (!this.#isEnded) void this.end();
  }

  async #end({ acts, exchanges, openFiles, tools }: Partial<BridgeContext> = {}): Promise<RunEnd> {
    this.#asks?.close();
    const ending = acts?.end();
    exchanges?.closeAll();
    const closing = openFiles?.close((error) => this.log.write("warn", "A file did not close", { error: String(error) }));
    await tools?.close();
    const unfinished = (await ending) ?? [];
    await this.#progress?.end();
    if (this.#execution.overlay === undefined) await this.#options.undos?.ended(this.#execution.call, closing);
    this.#isEnded = true;
    if (unfinished.length > 0) this.log.write("warn", "Operations did not end with their call", { operations: unfinished });
    const steps = tools?.steps;
    return { ...(steps && { steps }), ...(unfinished.length > 0 && { unfinished }) };
  }

  progress(said: JsonValue): Promise<void> | undefined {
    // Nothing comes after the terminal event, whatever a tool still does.
    if (this.#isEnded) return undefined;
    this.#progress ??= new ToldProgress(this.#options, ({ value, json }) => {
      const delta = json === undefined ? value : outlineOfLarge(value);
      this.#options.emit({ type: "tool.output_delta", ...this.#subject(), payload: { delta } });
      this.#tell("progress", () => this.#execution.call.onProgress?.(value, json));
    });
    return this.#progress.say(said);
  }

  guestLines(lines: readonly GuestLine[]): void {
    const { log } = this;
    const { onLog } = this.#execution.call;
    for (const [level, text] of lines) {
      // Guest text stays in a field of its own: it makes no line, level or message of the host's.
      log.write(level, "guest", { text });
      if (onLog === undefined) continue;
      const shown = this.#options.secrets.redact(text);
      this.#tell("log", () => onLog(level, typeof shown === "string" ? shown : ""));
    }
  }

  #tell(what: string, door: () => void): void {
    try {
      door();
    } catch (error) {
      // A door's defect is not the tool's failure.
      const { callId } = this.#execution.call;
      this.#options.platform.log.write("error", `A ${what} listener threw`, { callId, error: String(error) });
    }
  }

  get #version(): PluginVersion | undefined {
    const { binding } = this.#execution.tool;
    return binding.kind === "plugin" ? binding.version : undefined;
  }

  #openBridge(): BridgeContext {
    const { tool, call, decision, signal, meter, overlay } = this.#execution;
    const version = this.#version;
    const { undos, fileLanes } = this.#options;
    const { platform } = overlay ?? this.#options;
    const { session } = call;
    const caller = sessionOwner(session);
    const acts = createActs({
      ...{ callId: call.callId, plugin: tool.plugin, owner: caller, signal, clock: this.#options.platform.clock },
      ...(fileLanes && { fileLanes }),
    });
    return {
      callId: call.callId,
      openFiles: createOpenFiles(call.callId),
      ...{ acts, grant: decision.grant, cwd: session.workspace },
      ...(session.named !== undefined && { named: session.named }),
      platform: undos === undefined ? platform : undos.keep(this.#execution, platform),
      limits: decision.limits,
      signal: acts.signal,
      exchanges: createExchanges(),
      meter,
      secrets: this.#secrets,
      record: (act) => this.#record(act),
      modified: (path) => (this.#modified ??= new Set()).add(path),
      holder: { caller, ...(tool.plugin !== undefined && { owner: tool.plugin }) },
      ...(tool.plugin !== undefined && { plugin: tool.plugin }),
      ...(version && { ownFiles: version.files }),
      ...this.#openTools(),
      ...this.#openAsk(),
    };
  }

  #openAsk(): Pick<BridgeContext, "ask"> {
    const { openAsks } = this.#options;
    return openAsks !== undefined && canAsk(this.#execution) ? { ask: (wanted) => this.#ask(wanted, openAsks) } : {};
  }

  /** A yes gives the call another grant, and whatever it does from now on is asked of that one. */
  async #ask(wanted: AccessQuery, open: OpenPermissionAsks): Promise<boolean> {
    const asks = (this.#asks ??= open(this.#execution, this.time));
    const grant = await asks.ask(wanted, () => this.bridge.grant);
    if (grant === undefined) return false;
    this.#bridge = { ...this.bridge, grant, secrets: this.#options.secrets.forCall(grant, this.bridge.secrets) };
    return true;
  }

  #openTools(): Pick<BridgeContext, "tools"> {
    const { openTools } = this.#options;
    // What another tool does would not be held back by this call's overlay.
    if (openTools === undefined || this.#execution.overlay !== undefined || !asksForTools(this.#execution.tool)) return {};
    return { tools: openTools(this.#execution, this.time) };
  }

  #record(act: CapabilityAct): void {
    if (this.#isEnded) return;
    const { decision, permission, layer, rule, method } = act;
    // A guest may name a megabyte, ten thousand times; whoever reads events holds on to them.
    const value = act.value.length > SHOWN_VALUE ? `${act.value.slice(0, SHOWN_VALUE)}…` : act.value;
    const { platform, emit } = this.#options;
    const { plugin } = this.#execution.tool;
    if (decision === "denied") this.#refused = act;
    emit({
      type: decision === "granted" ? "capability.used" : "capability.denied",
      ...this.#subject(),
      payload: {
        v: 1,
        datetime: new Date(platform.clock.now()).toISOString(),
        permission,
        value,
        decision,
        layer,
        ...(rule !== undefined && { rule }),
        ...(method !== undefined && { method }),
        ...(plugin !== undefined && { plugin }),
        callId: this.#execution.call.callId,
        ...(this.#execution.overlay && DRY),
      },
    });
  }

  /** What every event and line of the call says. */
  #subject(): EventSubject {
    const { tool, call } = this.#execution;
    return {
      sessionId: call.session.id,
      callId: call.callId,
      ...(call.turnId !== undefined && { turnId: call.turnId }),
      ...(call.traceparent !== undefined && { traceparent: call.traceparent }),
      ...(tool.plugin !== undefined && { plugin: tool.plugin }),
      ...(this.#version && { digest: this.#version.digest }),
      ...(call.chain && markOf(call.chain)),
    };
  }
}

const DRY = { dryRun: true } as const;
/** Twice the longest path. */
const SHOWN_VALUE = 8_192;
const NO_FILES: readonly string[] = Object.freeze([]);

/** Whether the tool, or its plugin, asks for any; granted or not. */
export function asksForTools({ definition, binding }: RegisteredTool): boolean {
  return (binding.kind === "plugin" ? binding.version.manifest.permissions : definition.permissions)?.tools !== undefined;
}

/** From the host's own record of the act: nothing that the guest said about it is read. */
function hintFor({ permission, value, isLed }: CapabilityAct, { tool, call, decision }: Execution): GrantHint | undefined {
  const query = toQuery(permission, value);
  // A server that leads a call to such a place wants exactly this advice to be followed.
  if (query?.kind === "net" && isLed === true && isInnerHost(query.host ?? "")) return undefined;
  if (query === undefined || evaluateAccess(decision.grant.layers, query).state !== "prompt") return undefined;
  return grantHint(query, {
    grant: decision.grant,
    cwd: call.session.workspace,
    ...(tool.plugin !== undefined && { plugin: tool.plugin }),
  });
}

function toQuery(permission: string, value: string): AccessQuery | undefined {
  // Everything of a kind is more than a hint should offer.
  if (value === "") return undefined;
  if (permission === "read" || permission === "write") return { kind: permission, path: value };
  if (permission === "tools") return { kind: permission, name: value };
  if (permission === "env" || permission === "run" || permission === "sys") return { kind: permission, name: value };
  if (permission !== "net") return undefined;
  const parts = /^(.*):([0-9]+)$/s.exec(value);
  return parts === null ? { kind: "net", host: value } : { kind: "net", host: parts[1] ?? "", port: Number(parts[2]) };
}

const NO_SETTINGS: JsonObject = Object.freeze({});
const SETTINGS = new WeakMap<JsonSchema, JsonObject>();

/** The schema's defaults: what a plugin's settings are until somebody sets them. Frozen, and the same object for the same schema. */
function defaultSettings({ settingsSchema: schema }: Manifest): JsonObject {
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
