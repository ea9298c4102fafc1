/** The composition root: the only place where the host's parts are put together (SPEC I1). */

import { type Audit, createAudit } from "./audit/audit.ts";
import type { EventBus } from "./audit/event-bus.ts";
import type { HostEvent } from "./audit/events.ts";
import { openEvents } from "./audit/open-events.ts";
import type { RawArguments } from "./arguments.ts";
import type { ToolResult } from "./call.ts";
import { type CallAllOptions, type CallOptions, type CallRequest, createCalls } from "./calls.ts";
import { checkRequired } from "./capabilities/mod.ts";
import { createConfirm } from "./confirmations/confirmations.ts";
import { createPendingConfirmations, type PendingConfirmations } from "./confirmations/pending.ts";
import { isSameDecision } from "./decision-summary.ts";
import type { Consent } from "./consent/consent.ts";
import { type ConsentActs, createConsentActs } from "./consent/consent-acts.ts";
import { openConsent } from "./consent/open-consent.ts";
import type { Dispatch } from "./dispatch.ts";
import { createGrantStore, type GrantStore, type StoredGrant } from "./grants.ts";
import { grantTo } from "./grant-to.ts";
import { createHookGates } from "./hooks.ts";
import { capResult } from "./results/cap-result.ts";
import { createKeptResults, type KeptRange, type KeptRangeWish } from "./results/kept-results.ts";
import { createRecorder } from "./recordings/recorder.ts";
import { createRecordingStore } from "./recordings/store.ts";
import type { HostOptions } from "./host-options.ts";
import type { Installer } from "./installing/installer.ts";
import { lazyInstaller } from "./installing/lazy-installer.ts";
import { createIdleSandbox } from "./idle-sandbox.ts";
import type { ToolFilter, ToolListing } from "./listing.ts";
import type { AccessQuery, PermissionBases, Permissions } from "../manifests/mod.ts";
import { currentPlatform } from "./platform/current.ts";
import type { Platform } from "./platform/platform.ts";
import type { Explanation } from "./policy/explain.ts";
import { createPolicySource, type HostPolicy } from "./policy-source.ts";
import { openPlaces, type Places } from "./places.ts";
import { createQuotas, type QuotaUse } from "./quotas/quotas.ts";
import { createRegistry, type Registry, type RegisterOptions } from "./registry.ts";
import { createExecutors } from "./routes/mod.ts";
import { isolationOf, openSandbox } from "./open-sandbox.ts";
import type { Sandbox } from "../sandbox/mod.ts";
import { createSecrets } from "./secrets/secrets.ts";
import { createSession, type Session } from "./session.ts";
import { createSessions, type HostSessionOptions } from "./sessions.ts";
import { createPluginSettings, type PluginSettingsSource } from "./settings/plugin-settings.ts";
import { hostSettings, type HostSettings, withSettingsWarnings } from "./settings/host-settings.ts";
import { EMPTY_SNAPSHOT, type Snapshot } from "./snapshot.ts";
import { registerBuiltins } from "./sources/builtin.ts";
import { createPluginDirectory, type PluginChange, type PluginDirectory, type PluginStatus } from "./sources/directory/mod.ts";
import { createTelemetry, hostGauges, toPrometheus } from "./telemetry/mod.ts";
import type { RegisteredTool, ToolFactory } from "./tool.ts";
import { VERSION } from "./version.ts";
import { announceTools } from "./audit/announce-tools.ts";

/** Options of one call: a session, or the role and context of one that the host keeps. */
export type HostCallOptions = CallOptions & Pick<HostSessionOptions, "role" | "context">;

/** An explanation with what is left of each quota now. */
export interface HostExplanation extends Omit<Explanation, "quotas"> {
  readonly quotas: readonly QuotaUse[];
}

/** A running host. Close it, or declare it with `await using`. */
export interface Host extends ConsentActs, Installer, AsyncDisposable {
  /** Never rejects: whatever goes wrong is in the result. */
  call(tool: string, args?: RawArguments, options?: HostCallOptions): Promise<ToolResult>;
  /** Up to the session's cap at once; results in the order of the calls. */
  callAll(calls: readonly CallRequest[], options?: CallAllOptions): Promise<readonly ToolResult[]>;
  /** Of an ended call; at least the last 1,000 are remembered. */
  result(callId: string): ToolResult | undefined;
  /** A part of what was left out of a result, by its handle; undefined if the session has no such result, or has it no more (SPEC X6). */
  readResult(handle: string, range?: KeptRangeWish & { readonly session?: Session }): KeptRange | undefined;
  /** A client of its own: role, workspace, concurrency. */
  session(options?: HostSessionOptions): Session;
  /** For doors whose clients go while the host stays: says so in the events. Idempotent. */
  endSession(session: Session): void;

  /** Every tool, with the route and limits that policy gives it. */
  list(filter?: ToolFilter): readonly ToolListing[];
  /** What a model of this session may see: neither hidden from its role, nor denied by policy, nor unavailable (SPEC R4). */
  definitionsFor(session?: Session): readonly ToolListing[];
  /** @throws {ToolRegistrationError} if the definition is wrong, naming the field. @throws {Error} if the host has no registry. */
  register(factory: ToolFactory, options?: RegisterOptions): RegisteredTool;
  readonly policy: HostPolicy;
  /** Why a tool may or may not be called, or do something, and what is left of its quotas (SPEC P6, D9); undefined if there is no such tool. */
  why(tool: string, act?: AccessQuery, session?: Session): HostExplanation | undefined;

  /** Every folder of the plugin roots, loaded or not. */
  plugins(): readonly PluginStatus[];
  /** What `reload` would look at. */
  checkForChanges(): Promise<readonly PluginChange[]>;
  /** Reads plugins, grants and `bascule.json` again; returns how many plugins are served differently now. */
  reload(): Promise<number>;
  /** @throws {TypeError} if there is no such plugin or the permissions are wrong. */
  grant(plugin: string, permissions: Permissions): Promise<StoredGrant>;
  /** Takes back whole kinds (`true`) or items as they were written, or everything; returns how many grants changed. */
  revoke(plugin: string, taken?: Permissions): Promise<number>;
  readonly grants: GrantStore;
  /** What people set for plugins (SPEC G1). */
  readonly settings: HostSettings;
  readonly places: Places;
  /** Lines for people: roots that were created, watching that does not work. */
  notices(): readonly string[];

  /** Each loop is a reader of its own, from its beginning on. */
  readonly events: AsyncIterable<HostEvent>;
  /** Questions that wait for a person. Never hand this to the agent that asked (SPEC E5). */
  readonly confirmations: Pick<PendingConfirmations, "list" | "answer">;
  /** What is counted, as text for Prometheus: how the host is, and with `telemetry` also its calls (SPEC AU7). */
  metrics(): string;
  /** The durable record, where one is kept. */
  readonly audit: Audit;
  /** Refuses new calls, lets running ones end, then cancels them. Idempotent. */
  close(): Promise<void>;
}

const DRAIN_MS = 2_000;

/**
 * Puts a host together and loads its plugins.
 *
 * @throws {ProjectConfigError} if `bascule.json` is wrong.
 * @throws {LockFileError} if `bascule.lock` is, or is missing where the host is frozen to it.
 * @throws {ToolRegistrationError} if one of `tools` is.
 * @example
 * ```ts
 * import { createHost } from "bascule";
 * await using host = await createHost({ config: false });
 * const result = await host.call("echo", { text: "hello" });
 * console.log(result.ok, result.output); // true { text: "hello" }
 * ```
 */
export async function createHost(options: HostOptions = {}): Promise<Host> {
  const given = options.platform ?? currentPlatform();
  const places = await openPlaces(given, options);
  const logger = options.logger ?? given.log;
  const secrets = createSecrets({ platform: { ...given, log: logger }, sources: () => places.project.config().secrets, root: places.root });
  await secrets.refresh();
  const platform: Platform = { ...given, log: secrets.redactLog(logger) };
  const { clock, log, random } = platform;
  const onDefect = (message: string, error?: unknown, fields: Readonly<Record<string, unknown>> = {}): void =>
    log.write("error", message, { ...fields, ...(error !== undefined && { error: describe(error) }) });
  const { bus, redact, store } = openEvents({
    platform,
    places,
    options: options.events ?? {},
    redactSecrets: secrets.redact,
    onDefect,
  });
  const grants = await createGrantStore(platform, places.grantsFile);
  const policies = createPolicySource({ platform, places, grants, options, emit: bus.emit, pluginFolders: () => foldersOf(snapshot()) });
  const registry =
    options.registry === null
      ? undefined
      : (options.registry ?? createRegistry({ newId: random.uuidv7, onWarning: ({ message }) => log.write("warn", message) }));
  const announcing = registry && announceTools(registry, bus.emit);

  const isolation = isolationOf(options.isolation, () => places.project.config().isolation);
  const sandbox = places.pluginRoots.length === 0 ? createIdleSandbox() : openSandbox(platform, isolation, onDefect);
  const settings = createPluginSettings({
    platform,
    folder: places.settingsFolder,
    emit: bus.emit,
    manifestOf: (plugin) => directory.status().find(({ name }) => name === plugin)?.manifest,
    onChange: (plugin) => directory.reconsider(plugin),
  });
  const consent = await openConsent(platform, { places, grants, bases: basesOf(places) }, options.consent);
  const directory = createDirectory(platform, {
    ...{ places, registry, bus, sandbox, settings, consent },
    loadsAtOnce: options.loadsAtOnce,
  });
  const recordings = createRecordingStore(platform, places.state);
  const recorder = createRecorder({ platform, store: recordings, mode: () => places.project.config().audit.record, redact, onDefect });
  const executors = createExecutors({
    ...{ platform, emit: bus.emit, secrets, sandbox, recorder },
    settings: settings.configOf,
    lease: directory.lease,
  });
  const sessions = createSessions({ platform, workspace: places.workspace, emit: bus.emit, checkLayers: policies.checkLayers });
  const confirmations = createPendingConfirmations();
  const confirm = createConfirm({
    emit: bus.emit,
    newId: random.uuidv7,
    clock,
    pending: confirmations,
    timeoutMs: policies.confirmationTimeoutMs,
    isUnchanged: ({ tool, call, decision }) =>
      snapshot().getById(tool.id) === tool && isSameDecision(policies.current().decide(tool, call), decision),
    onDefect,
  });
  const quotas = createQuotas(clock.monotonic);
  const wanted = options.telemetry ?? false;
  const telemetry = wanted === false ? undefined : await createTelemetry(wanted === true ? {} : wanted);
  if (telemetry) bus.subscribe(telemetry.onEvent);
  const hooks = createHookGates(options.hooks ?? {}, onDefect);
  const snapshot = (): Snapshot => registry?.snapshot() ?? EMPTY_SNAPSHOT;

  const kept = createKeptResults(platform);
  const calls = createCalls({
    cap: (result, { id, resultBytes }) => capResult(result, { maxBytes: resultBytes, keep: (text) => kept.keep(id, text, resultBytes) }),
    newId: random.uuidv7,
    clock,
    defaultSession: sessions.default,
    ...(store && { prepare: () => store.prepare().catch((error: unknown) => onDefect("The audit store cannot be prepared", error)) }),
    current: (): Dispatch => ({
      registry: snapshot(),
      policy: policies.current(),
      hooks,
      confirm,
      executors,
      quotas,
      telemetry,
      checkRequired: (requires, args, asker) => checkRequired(requires, args, { ...asker, files: platform.files }),
      emit: bus.emit,
      now: clock.monotonic,
      redact,
      onDefect,
    }),
  });

  async function refreshSettings(): Promise<void> {
    if (options.settings !== false) await settings.refresh();
  }

  async function reload(): Promise<number> {
    await policies.refresh();
    await secrets.refresh();
    await grants.refresh();
    await consent.refresh();
    await refreshSettings();
    return await directory.reloadChanged();
  }

  if (registry && options.builtins !== false) registerBuiltins(registry, { reload, readResult: kept.read });
  if (registry && options.tools) registry.registerMany(options.tools);
  await refreshSettings();
  if (options.scan !== false) await directory.scan();
  let unwatchSettings = (): void => {};
  if (options.watch === true) {
    await directory.watch();
    policies.watch();
    if (options.settings !== false) unwatchSettings = settings.watch();
  }

  let closing: Promise<void> | undefined;
  async function shutDown(): Promise<void> {
    policies.close();
    unwatchSettings();
    await calls.close(DRAIN_MS);
    await directory.close();
    await consent.flush();
    await sandbox.close();
    sessions.close();
    announcing?.stop();
    bus.close();
    await store?.close();
  }
  function close(): Promise<void> {
    closing ??= shutDown();
    return closing;
  }

  return {
    ...createConsentActs({
      ...{ directory, consent, grants, files: platform.files },
      onGrantsChanged: (plugin) => bus.emit({ type: "grant.changed", plugin, payload: {} }),
    }),
    ...lazyInstaller({ platform, directory, consent, grants, roots: places.pluginRoots }),
    async call(tool, args = {}, options) {
      // Callers without types pass null too, and no call rejects.
      const wish = options ?? {};
      const session = await sessions.resolve(wish.session ?? sessions.of(wish.role, wish.context));
      return await calls.call(tool, args, { ...wish, session });
    },
    async callAll(requests, options) {
      const wish = options ?? {};
      const session = await sessions.resolve(wish.session ?? sessions.default);
      return await calls.callAll(requests, { ...wish, session });
    },
    result: calls.result,
    readResult: (handle, { session = sessions.default, ...range } = {}) => kept.read(session.id, handle, range),
    session: sessions.open,
    endSession: sessions.end,
    list: (filter) => (registry?.list(filter) ?? []).map((listing) => policies.enrich(listing, snapshot(), sessions.default)),
    definitionsFor(session = sessions.default) {
      const callable = snapshot().tools.filter((tool) => policies.canUse(tool, session));
      const ids = new Set(callable.map(({ id }) => id));
      return (registry?.list() ?? []).filter(({ id }) => ids.has(id)).map((listing) => policies.enrich(listing, snapshot(), session));
    },
    register(factory, into) {
      if (!registry) throw new Error("Cannot register a tool: the host was created with registry: null");
      return registry.register(factory, into);
    },
    policy: {
      addLayer: policies.addLayer,
      canUse(role, name, context = {}) {
        const tool = snapshot().find(name);
        const asking = createSession({ id: "", workspace: places.workspace, context, ...(role !== undefined && { role }) });
        return tool !== undefined && policies.canUse(tool, asking);
      },
    },
    why(name, act, session = sessions.default) {
      const tool = snapshot().find(name);
      if (tool === undefined) return undefined;
      const explanation = policies.explain(tool, session, act);
      return { ...explanation, quotas: quotas.read({ tool, session, quotas: explanation.quotas }) };
    },
    plugins: () => directory.status().map((status) => withSettingsWarnings(status, settings)),
    checkForChanges: directory.checkForChanges,
    reload,
    grant: (plugin, permissions) => grantTo(plugin, permissions, { directory, grants, consent, bus }),
    async revoke(plugin, taken) {
      const changed = await grants.revoke(plugin, taken);
      if (changed > 0) bus.emit({ type: "grant.changed", plugin, payload: { revoked: true } });
      return changed;
    },
    grants,
    settings: hostSettings(settings, directory.status),
    places,
    notices: directory.notices,
    events: { [Symbol.asyncIterator]: () => bus.events() },
    confirmations: { list: confirmations.list, answer: confirmations.answer },
    metrics: () =>
      toPrometheus([
        ...hostGauges({
          version: VERSION,
          tools: snapshot().tools.length,
          plugins: directory.status().map(({ state }) => state),
          confirmations: confirmations.list().length,
          ...(sandbox.use && { sandbox: sandbox.use() }),
        }),
        ...(telemetry?.families() ?? []),
      ]),
    audit: createAudit({ journals: platform.journals, files: platform.files, folder: places.auditFolder }, store),
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface DirectoryParts {
  readonly places: Places;
  readonly registry: Registry | undefined;
  readonly bus: EventBus;
  readonly sandbox: Sandbox;
  readonly settings: PluginSettingsSource;
  readonly consent: Consent;
  readonly loadsAtOnce: HostOptions["loadsAtOnce"];
}

function createDirectory(platform: Platform, parts: DirectoryParts): PluginDirectory {
  const { places, registry, bus, sandbox, settings, consent, loadsAtOnce } = parts;
  return createPluginDirectory({
    roots: places.pluginRoots,
    ...(loadsAtOnce !== undefined && { loadsAtOnce }),
    platform,
    sandbox,
    registry: registry ?? { replaceOwner: () => undefined, removeOwner: () => undefined },
    emit: bus.emit,
    log: platform.log,
    switches: settings,
    gate: consent,
    bases: basesOf(places),
  });
}

/** What a plugin's permission items resolve against. */
function basesOf({ folders }: Places): (plugin: string, directory: string) => PermissionBases {
  return (plugin, directory) => ({ ...folders, base: directory, plugin: directory, data: `${folders.data}/${plugin}` });
}

/** Where the plugins that serve really are. */
function foldersOf(snapshot: Snapshot): readonly string[] {
  const known = FOLDERS.get(snapshot);
  if (known !== undefined) return known;
  const folders = new Set<string>();
  for (const { binding } of snapshot.tools) if (binding.kind === "plugin") folders.add(binding.version.directory);
  const list = [...folders];
  FOLDERS.set(snapshot, list);
  return list;
}

/** A snapshot never changes, and is asked at every act on a file. */
const FOLDERS: WeakMap<Snapshot, readonly string[]> = new WeakMap();

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
