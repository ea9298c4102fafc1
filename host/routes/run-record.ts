/** State of one run, the same on every route: its bridge context, its record of acts and its settings (SPEC D7, C10). */

import type { EventSubject } from "../audit/events.ts";
import { sessionOwner } from "../call/session.ts";
import { type BridgeContext, type CapabilityAct, createActs, createExchanges, createOpenFiles } from "../capabilities/mod.ts";
import { type ChainStep, markOf } from "../call/chain.ts";
import { type GrantHint, resourceExhausted, type ToolErrorData } from "../call/errors.ts";
import type { AccessQuery, JsonObject, JsonValue, Permissions } from "../../manifests/mod.ts";
import { outlineOfLarge } from "../primitives/json/outline.ts";
import { untilAborted } from "../primitives/until-aborted.ts";
import type { PendingConfirmation } from "../confirmations/pending.ts";
import { canAsk, type OpenPermissionAsks, type PermissionAsks } from "../confirmations/permission-asks.ts";
import type { Log, LogLevel } from "../platform/platform.ts";
import { limitHint } from "../call/limit-hint.ts";
import type { HostAnswer } from "../../sandbox/mod.ts";
import type { CallSecrets } from "../capabilities/secrets/call-secrets.ts";
import type { PluginVersion } from "../tools/tool.ts";
import type { Execution } from "../tools/execution.ts";
import { actHint } from "./act-hint.ts";
import { asksForTools } from "./asks-for-tools.ts";
import { defaultSettings, NO_SETTINGS } from "./default-settings.ts";
import type { RouteOptions } from "./route-options.ts";
import { shownPermissions } from "./shown-permissions.ts";
import { ToldProgress } from "./told-progress.ts";
import { createRunTime, type RunTime } from "../call/run-time.ts";

/** Facts known at the end of a run. */
interface RunEnd {
  /** Steps of the tools it called; absent if it called none. */
  readonly steps?: readonly ChainStep[];
  /** Operations that were still running when the run ended. */
  readonly unfinished?: readonly string[];
}

/** One line of a guest's log. */
type GuestLine = readonly [level: LogLevel, text: string];

/** One run while it lasts. */
export interface RunRecord {
  readonly bridge: BridgeContext;
  filesModified(): readonly string[];
  /** See `RunFacts`, for a run that is about to be frozen. */
  holdsMore(): boolean;
  pending(): Promise<PendingConfirmation | undefined>;
  /** Notes the answer of an operation. An answer that was too large may be the reason of a later failure. */
  noteAnswer(answer: HostAnswer): void;
  /** Returns the grant or limit that would have allowed the call's last refused act, if the user could give it (SPEC X3). */
  hint(): GrantHint | undefined;
  /** Returns milliseconds since the run began, without the time spent on confirmations. */
  elapsedMs(): number;
  /** Remaining time of the run, as far as the host keeps it. */
  readonly time: RunTime;
  /** Log of the call, with its ids as fields. */
  readonly log: Log;
  readonly settings: JsonObject;
  readonly permissions: Permissions;
  /** Absolute path of the plugin's `$data`. Absent: the tool belongs to no plugin. */
  readonly dataPath: string | undefined;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** Reports progress in order, before the end. Returns a promise until it was reported above 64 KB, otherwise undefined. */
  progress(value: JsonValue): Promise<void> | undefined;
  /**
   * Sends a value that the tool yielded to the caller, in order with the progress. Resolves when the caller has taken it, or the run has
   * ended; with an error if the tool has yielded more than its `outputBytes`.
   */
  yielded(value: JsonValue, bytes: number): Promise<ToolErrorData | undefined>;
  /** Returns the error of a tool that yielded more than its `outputBytes`. */
  yieldExcess(): ToolErrorData | undefined;
  /** Reports lines that the guest wrote, in order. */
  guestLines(lines: readonly GuestLine[]): void;
  /**
   * Ends the run's operations: drops those that have not begun and waits for the rest. Afterwards nothing more is reported and all reports
   * are complete. Returns undefined if the run began no operation.
   */
  end(): Promise<RunEnd> | undefined;
  /** Ends the run without waiting, after a failure. Does nothing after `end`. */
  close(): void;
}

/** Opens the record of a run. The run's time counts from here. */
export function openRunRecord(execution: Execution, options: RouteOptions): RunRecord {
  return new CallRun(execution, options);
}

/** Uses prototype methods and creates optional parts lazily: every call has a record, and most calls do nothing outside. */
class CallRun implements RunRecord {
  readonly settings: JsonObject;
  readonly permissions: Permissions;
  readonly dataPath: string | undefined;
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
  #yieldedBytes = 0;
  /** Aborted when the run ends, so that a caller that does not read cannot hold its end. */
  #isOver: AbortController | undefined;
  #isEnded = false;

  constructor(execution: Execution, options: RouteOptions) {
    const { call, decision } = execution;
    const { platform, secrets, settings = defaultSettings, dataFolders } = options;
    this.#execution = execution;
    this.#options = options;
    // Eager, because secrets must be redacted from everything shown from here on.
    this.#secrets = secrets.forCall(decision.grant);
    this.#begunMs = platform.clock.monotonic();
    if (call.resumed !== undefined) this.#modified = new Set(call.resumed.filesModified);
    const manifest = this.#version?.manifest;
    this.settings = manifest === undefined ? NO_SETTINGS : settings(manifest);
    this.dataPath = dataFolders && execution.tool.plugin !== undefined ? `${dataFolders.data}/${execution.tool.plugin}` : undefined;
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
    // A dry run modifies no file.
    return this.#modified === undefined || this.#execution.overlay !== undefined ? NO_FILES : [...this.#modified];
  }

  holdsMore(): boolean {
    const { openFiles, exchanges, tools } = this.#bridge ?? {};
    return tools?.hasSteps === true || openFiles?.isAny === true || exchanges?.isAny === true || this.#asks?.isWidened === true;
  }

  pending(): Promise<PendingConfirmation | undefined> {
    return this.#asks?.pending() ?? Promise.resolve(undefined);
  }

  hint(): GrantHint | undefined {
    const { tool, decision } = this.#execution;
    if (this.#refused !== undefined) return actHint(this.#refused, this.#execution);
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
    this.#isOver?.abort();
    await this.#progress?.end();
    if (this.#execution.overlay === undefined) await this.#options.undos?.ended(this.#execution.call, closing);
    this.#isEnded = true;
    if (unfinished.length > 0) this.log.write("warn", "Operations were still running when their call ended", { operations: unfinished });
    const steps = tools?.steps;
    return { ...(steps && { steps }), ...(unfinished.length > 0 && { unfinished }) };
  }

  progress(said: JsonValue): Promise<void> | undefined {
    // Nothing follows the terminal event, whatever the tool still does.
    if (this.#isEnded) return undefined;
    return this.#told().say(said, "progress");
  }

  async yielded(value: JsonValue, bytes: number): Promise<ToolErrorData | undefined> {
    if (this.#isEnded) return undefined;
    this.#yieldedBytes += bytes;
    const excess = this.yieldExcess();
    if (excess === undefined) await this.#told().say(value, "yield");
    return excess;
  }

  yieldExcess(): ToolErrorData | undefined {
    const { outputBytes } = this.#execution.decision.limits;
    return this.#yieldedBytes > outputBytes ? resourceExhausted("outputBytes", outputBytes) : undefined;
  }

  #told(): ToldProgress {
    return (this.#progress ??= new ToldProgress(this.#options, ({ value, json }, kind) => {
      const delta = json === undefined ? value : outlineOfLarge(value);
      this.#options.emit({ type: "tool.output_delta", ...this.#subject(), payload: { delta } });
      const { onProgress, onYield } = this.#execution.call;
      if (kind === "progress") return this.#tell("progress", () => onProgress?.(value, json));
      return this.#tellSlowly(() => onYield?.(value, json));
    }));
  }

  /** Waits for a listener that takes its time, until the run ends. */
  async #tellSlowly(door: () => void | Promise<void>): Promise<void> {
    this.#isOver ??= new AbortController();
    const { signal } = this.#isOver;
    try {
      await untilAborted(door() ?? Promise.resolve(), signal);
    } catch (error) {
      this.#noteListener("yield", error);
    }
  }

  guestLines(lines: readonly GuestLine[]): void {
    const { log } = this;
    const { onLog } = this.#execution.call;
    for (const [level, text] of lines) {
      // Guest text stays in a field of its own, so it cannot forge a line, level or message of the host.
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
      this.#noteListener(what, error);
    }
  }

  /** A door's defect is not the tool's failure. */
  #noteListener(what: string, error: unknown): void {
    const { callId } = this.#execution.call;
    this.#options.platform.log.write("error", `A ${what} listener threw`, { callId, error: String(error) });
  }

  get #version(): PluginVersion | undefined {
    const { binding } = this.#execution.tool;
    return binding.kind === "plugin" ? binding.version : undefined;
  }

  #openBridge(): BridgeContext {
    const { tool, call, decision, signal, meter, overlay } = this.#execution;
    const version = this.#version;
    const { undos, fileLimiter, readPlain } = this.#options;
    const { platform } = overlay ?? this.#options;
    const { session } = call;
    const caller = sessionOwner(session);
    const acts = createActs({
      ...{ callId: call.callId, plugin: tool.plugin, owner: caller, signal, clock: this.#options.platform.clock },
      ...(fileLimiter && { fileLimiter }),
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
      ...this.#openData(),
      ...(readPlain !== undefined && overlay === undefined && { readPlain: (...wanted) => readPlain(tool.plugin ?? caller, ...wanted) }),
      ...this.#openTools(),
      ...this.#openAsk(),
    };
  }

  #openAsk(): Pick<BridgeContext, "ask"> {
    const { openAsks } = this.#options;
    return openAsks !== undefined && canAsk(this.#execution) ? { ask: (wanted) => this.#ask(wanted, openAsks) } : {};
  }

  /** Requests a permission. A confirmation gives the call a wider grant, against which later acts are checked. */
  async #ask(wanted: AccessQuery, open: OpenPermissionAsks): Promise<boolean> {
    const asks = (this.#asks ??= open(this.#execution, this.time));
    const grant = await asks.ask(wanted, () => this.bridge.grant);
    if (grant === undefined) return false;
    this.#bridge = { ...this.bridge, grant, secrets: this.#options.secrets.forCall(grant, this.bridge.secrets) };
    return true;
  }

  #openData(): Pick<BridgeContext, "data"> {
    const { overlay, decision } = this.#execution;
    const { dataPath: folder } = this;
    if (folder === undefined) return {};
    const database = `${this.#options.dataFolders?.databases ?? ""}/${this.#execution.tool.plugin ?? ""}`;
    return { data: { folder, database, quotaBytes: decision.limits.dataBytes, isDryRun: overlay !== undefined } };
  }

  #openTools(): Pick<BridgeContext, "tools"> {
    const { openTools } = this.#options;
    // This call's overlay cannot hold back the effects of another tool.
    if (openTools === undefined || this.#execution.overlay !== undefined || !asksForTools(this.#execution.tool)) return {};
    return { tools: openTools(this.#execution, this.time) };
  }

  #record(act: CapabilityAct): void {
    if (this.#isEnded) return;
    const { decision, permission, layer, rule, method } = act;
    // A guest may name a megabyte ten thousand times, and event readers keep the events.
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

  /** Fields of every event and log line of the call. */
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
