/** The composition root: the only place that connects the host's parts (SPEC I1). */

import { openRunRecord } from "../routes/run-record.ts";
import { problemToText, type RecordMode } from "../../manifests/mod.ts";
import { createAudit } from "../audit/audit.ts";
import { openEvents } from "./open-events.ts";
import { asGiven, JsonArgumentText, requestsAsGiven, showLarge } from "../call/arguments.ts";
import type { Decision, ToolCall } from "../call/call.ts";
import { checkOptions, guardLog } from "./check-options.ts";
import { createCalls } from "../dispatch/calls.ts";
import { checkRequired } from "../capabilities/mod.ts";
import { type ConfirmationOptions, createConfirm } from "../confirmations/confirmations.ts";
import { createPermissionAsks } from "../confirmations/permission-asks.ts";
import { createRefusals } from "../confirmations/refusals.ts";
import { createPendingConfirmations } from "../confirmations/pending.ts";
import { isSameDecision } from "../call/decision-summary.ts";
import { createConsentActs } from "../plugins/consent/consent-acts.ts";
import { openConsent } from "../plugins/consent/open-consent.ts";
import type { Dispatch } from "../dispatch/dispatch.ts";
import { defectText } from "../call/errors.ts";
import { exportTools } from "../tools/exports/mod.ts";
import { stillExported } from "../tools/exports/names.ts";
import { createGrantStore } from "../project/grants/grants.ts";
import { grantTo, revokeFrom } from "../plugins/consent/grant-to.ts";
import { createHookGates } from "../dispatch/hooks.ts";
import { capResult } from "../dispatch/results/cap-result.ts";
import { createKeptResults } from "../dispatch/results/kept-results.ts";
import { createRecorder } from "../effects/recordings/recorder.ts";
import { createRecordingStore } from "../effects/recordings/store.ts";
import type { HostOptions } from "./host-options.ts";
import { lazyBundles } from "../plugins/bundles/lazy-bundles.ts";
import { lazyInstaller } from "../plugins/installing/lazy-installer.ts";
import { createIdleSandbox } from "./idle-sandbox.ts";
import { createListings } from "./listings.ts";
import { currentPlatform } from "../platform/current.ts";
import type { Platform } from "../platform/platform.ts";
import { createPolicySource } from "./policy-source.ts";
import { openPlaces } from "../project/places.ts";
import { createQuotas } from "../policy/quotas/quotas.ts";
import { createRegistry } from "../tools/registry.ts";
import { createExecutors } from "../routes/mod.ts";
import { keepingAlive, keptAlive } from "./kept-alive.ts";
import { basesOf, foldersOf, openDirectory } from "./open-directory.ts";
import { isolationOf, openSandbox } from "./open-sandbox.ts";
import { createSecrets } from "../capabilities/secrets/secrets.ts";
import { createDryRuns } from "../effects/overlay/dry-runs.ts";
import type { RegisteredTool } from "../tools/tool.ts";
import { createPreview } from "../effects/overlay/preview.ts";
import { openUndos } from "../effects/undo/open-undos.ts";
import { refuseToUndo } from "../effects/undo/undos.ts";
import { Revocations } from "../dispatch/revocations.ts";
import { createSessions } from "../dispatch/sessions.ts";
import { WaitingArguments } from "../dispatch/waiting-arguments.ts";
import { createSkills } from "../sources/skills.ts";
import { createToolkits } from "../sources/toolkits.ts";
import { createToolCalls } from "../dispatch/chains/tool-calls.ts";
import { createPluginSettings } from "../plugins/settings/plugin-settings.ts";
import { hostSettings, withSettingsWarnings } from "../plugins/settings/host-settings.ts";
import { noticesOf } from "../project/trust/project-trust.ts";
import { EMPTY_SNAPSHOT, type Snapshot } from "../tools/snapshot.ts";
import { openMcpSource } from "../sources/mcp/open-mcp-source.ts";
import { registerBuiltins } from "../sources/builtin.ts";
import { createProjectTools } from "../sources/project-tools.ts";
import { createTelemetry, hostGauges, toPrometheus } from "../audit/telemetry/mod.ts";
import { VERSION } from "../primitives/version.ts";
import { announceTools } from "../audit/announce-tools.ts";
import type { Host } from "./host-interface.ts";

const DRAIN_MS = 2_000;

/**
 * Creates a host and loads its plugins.
 *
 * @throws {TypeError} if an option is invalid.
 * @throws {ProjectConfigError} if `bascule.json` is invalid.
 * @throws {LockFileError} if `bascule.lock` is invalid, or is missing for a frozen host.
 * @throws {ToolRegistrationError} if one of `tools` is invalid.
 * @example
 * ```ts
 * import { createHost } from "bascule";
 * await using host = await createHost({ config: false });
 * const result = await host.call("echo", { text: "hello" });
 * console.log(result.ok, result.output); // true { text: "hello" }
 * ```
 */
export async function createHost(options: HostOptions = {}): Promise<Host> {
  checkOptions(options);
  const given = options.platform ?? currentPlatform();
  return await keptAlive(given.clock, openOrClose(given, options));
}

async function openOrClose(given: Platform, options: HostOptions): Promise<Host> {
  const opened: (() => Promise<void>)[] = [];
  try {
    return await openHost(given, options, opened);
  } catch (error) {
    // The caller gets no host that it could close.
    for (const close of opened.toReversed()) await close();
    throw error;
  }
}

/** @param opened receives the functions that close the started parts, in order of their start */
async function openHost(given: Platform, options: HostOptions, opened: (() => Promise<void>)[]): Promise<Host> {
  const places = await openPlaces(given, options);
  const logger = options.logger === undefined ? given.log : guardLog(options.logger, given.log);
  const secrets = createSecrets({ platform: { ...given, log: logger }, sources: () => places.project.config().secrets, root: places.root });
  await secrets.refresh();
  const platform: Platform = { ...given, log: secrets.redactLog(logger) };
  const { clock, log, random } = platform;
  const onDefect = (message: string, error?: unknown, fields: Readonly<Record<string, unknown>> = {}): void =>
    log.write("error", message, { ...fields, ...(error !== undefined && { error: defectText(error) }) });
  const { bus, redact, redactLarge, store, service } = openEvents({
    platform,
    places,
    options: options.events ?? {},
    redactSecrets: secrets.redact,
    onDefect,
  });
  opened.push(
    () => service.close(),
    async () => await store?.close(),
  );
  const revocations = new Revocations(() => ({ policy: policies.current(), registry: snapshot() }));
  const recheck = (): void => revocations.recheck();
  const grants = await createGrantStore(platform, places.grantsFile, places.trust, recheck);
  const policies = createPolicySource({
    ...{ platform, places, grants, options, emit: bus.emit },
    acceptedLimits: (version) => consent.acceptedLimits(version),
    pluginFolders: [() => foldersOf(snapshot()), () => directory.places()],
    onChange: recheck,
    onRefresh: async () => void (await Promise.all([consent.refresh(), projectTools?.refresh()])),
  });
  const registry =
    options.registry === null
      ? undefined
      : (options.registry ?? createRegistry({ newId: random.uuidv7, onWarning: ({ message }) => log.write("warn", message) }));
  const snapshot = (): Snapshot => registry?.snapshot() ?? EMPTY_SNAPSHOT;
  const announcing = registry && announceTools(registry, bus.emit);
  const projectTools = registry && createProjectTools({ platform, places, registry });

  const isolation = isolationOf(options.isolation, () => places.project.config().isolation);
  const sandbox = places.pluginRoots.length === 0 ? createIdleSandbox() : openSandbox(platform, isolation, onDefect);
  opened.push(() => sandbox.close());
  const settings = createPluginSettings({
    platform,
    folder: places.settingsFolder,
    emit: bus.emit,
    manifestOf: (plugin) => directory.status().find(({ name }) => name === plugin)?.manifest,
    onChange: (plugin) => directory.reconsider(plugin),
  });
  const consent = await openConsent(platform, { places, grants, bases: basesOf(places), registry }, options.consent);
  const directory = openDirectory(platform, {
    ...{ places, registry, bus, sandbox, settings, consent },
    loadsAtOnce: options.loadsAtOnce,
  });
  const mcp = openMcpSource({ platform, places, registry, emit: bus.emit, consent, secrets, wanted: options.mcpServers });
  opened.push(
    () => directory.close(),
    () => mcp.close(),
  );
  const granting = { directory, grants, consent, bus, files: platform.files, root: places.root };
  const recordings = createRecordingStore(platform, places.state);
  const { redactBytes } = secrets;
  const mode = (): RecordMode => places.project.config().audit.record;
  const recorder = createRecorder({ platform, store: recordings, mode, redact, redactLarge, redactBytes, onDefect });
  const undos = openUndos({ platform, service, places, isWanted: options.undo ?? false, emit: bus.emit, onDefect });
  const dryRuns = createDryRuns({
    ...{ platform, service, emit: bus.emit },
    openRecord: (execution) => openRunRecord(execution, { platform, emit: bus.emit, secrets, undos }),
    isUnchanged: ({ tool, call, decision }) => isUnchanged(tool, call, decision),
    confirm: (input, signal) => confirm(input, signal),
  });
  const confirmations = createPendingConfirmations();
  const asking: ConfirmationOptions = {
    emit: bus.emit,
    newId: random.uuidv7,
    platform,
    clock,
    pending: confirmations,
    refusals: createRefusals(clock),
    timeoutMs: policies.confirmationTimeoutMs,
    isUnchanged: ({ tool, call, decision }) => isUnchanged(tool, call, decision),
    onDefect,
  };
  const executors = createExecutors({
    ...{ platform, emit: bus.emit, secrets, sandbox, recorder, dryRuns, undos },
    openAsks: createPermissionAsks({ ...asking, files: platform.files }),
    openTools: createToolCalls({ current: () => current(), newId: random.uuidv7 }),
    settings: settings.configOf,
    remotes: () => places.project.config().remotes,
    lease: directory.lease,
  });
  const kept = createKeptResults(platform);
  const onEnd = (id: string): void => [sandbox, kept].forEach((holder) => holder.endSession(id));
  const sessions = createSessions({
    ...{ platform, workspace: places.workspace, emit: bus.emit, checkLayers: policies.checkLayers, onEnd },
    ...(places.workspaceNamed !== undefined && { named: places.workspaceNamed }),
  });
  const confirm = createConfirm(asking);
  const quotas = createQuotas(clock.monotonic);
  const preview = createPreview({ dryRuns, executors, quotas, isWanted: () => places.project.config().confirmation.preview });
  const wanted = options.telemetry ?? false;
  const telemetry = wanted === false ? undefined : await createTelemetry(wanted === true ? {} : wanted);
  if (telemetry) bus.subscribe(telemetry.onEvent);
  const hooks = createHookGates(options.hooks ?? {}, onDefect);
  const isUnchanged = (tool: RegisteredTool, call: ToolCall, decision: Decision): boolean =>
    snapshot().getById(tool.id) === tool && isSameDecision(policies.current().decide(tool, call), decision);

  const waitingArguments = new WaitingArguments();
  const current = (): Dispatch => ({
    registry: snapshot(),
    policy: policies.current(),
    ...{ hooks, confirm, preview, executors, revocations, quotas, telemetry, redact, onDefect },
    checkRequired: (requires, args, asker) => checkRequired(requires, args, { ...asker, files: platform.files }),
    emit: bus.emitKept,
    now: clock.monotonic,
    showLarge: (args) =>
      platform.slices.run(showLarge(args, { redaction: redactLarge(), sha256: platform.sha256, redact: secrets.redactBytes })),
    ...{ slices: platform.slices, waitingArguments },
    keep: kept.keep,
  });
  const calls = createCalls({
    cap: (result, session) => capResult(result, { maxBytes: session.resultBytes, keep: (text) => kept.keep(session, text) }),
    newId: random.uuidv7,
    clock,
    platform,
    defaultSession: sessions.default,
    ...(store && { prepare: () => store.prepare().catch((error: unknown) => onDefect("The audit store cannot be prepared", error)) }),
    current,
  });

  /** Waits until the effects are durable before the caller gets the result, if the journal can be written. */
  async function recorded<T>(done: Promise<T>): Promise<T> {
    const result = await done;
    await store?.flush();
    return result;
  }

  async function refreshSettings(): Promise<void> {
    if (options.settings !== false) await settings.refresh();
  }

  async function reload(): Promise<number> {
    await policies.refresh();
    await secrets.refresh();
    await grants.refresh();
    await refreshSettings();
    if (options.mcpServers !== false) await mcp.apply();
    return await directory.reloadChanged();
  }
  async function reloadServers(): Promise<void> {
    await policies.refresh();
    if (options.mcpServers !== false) await mcp.apply();
  }

  if (registry && options.builtins !== false) registerBuiltins(registry, { reload, readResult: kept.read });
  if (registry && options.tools) registry.registerMany(options.tools);
  const toolkits = createToolkits({ registry, clock, log });
  for (const toolkit of options.toolkits ?? []) await toolkits.add(toolkit);
  await projectTools?.refresh();
  await refreshSettings();
  if (options.scan !== false) await directory.scan();
  if (options.mcpServers !== false) {
    await mcp.apply();
    bus.subscribe(({ type }) => {
      if (type === "policy.reloaded") void mcp.apply().catch((error: unknown) => onDefect("MCP servers cannot be connected", error));
    });
  }
  registry?.keepNames();
  const policy = policies.forHost({ snapshot, plugins: () => directory.status().flatMap(({ name }) => name ?? []) });
  if (options.loadsAtOnce === undefined)
    for (const problem of policy.warnings()) log.write("warn", `bascule.json: ${problemToText(problem)}`);
  let unwatchSettings = (): void => {};
  if (options.watch === true) {
    await directory.watch();
    policies.watch();
    if (options.settings !== false) unwatchSettings = settings.watch();
  }

  const listings = createListings({ snapshot, policies, defaultSession: () => sessions.default });

  let closing: Promise<void> | undefined;
  async function shutDown(): Promise<void> {
    policies.close();
    unwatchSettings();
    await calls.close(DRAIN_MS);
    // Before the plugins are unloaded, because the lock includes their names.
    await consent.flush();
    for (const source of [directory, mcp]) await source.close();
    await consent.flush();
    await sandbox.close();
    sessions.close();
    announcing?.stop();
    bus.close();
    await store?.close();
    await service.close();
    await log.flush?.();
  }
  function close(): Promise<void> {
    return (closing ??= keptAlive(clock, shutDown()));
  }

  return keepingAlive(clock, {
    ...createConsentActs({
      ...{ directory, consent, grants, files: platform.files },
      onGrantsChanged: (plugin) => bus.emit({ type: "grant.changed", plugin, payload: {} }),
    }),
    ...mcp.acts,
    ...lazyBundles({ platform, service, places, consent, mcp: mcp.acts, reload: reloadServers }),
    ...lazyInstaller({ platform, service, directory, consent, grants, roots: places.pluginRoots }),
    async call(tool, args = {}, options) {
      // Untyped callers may pass null, and no call rejects.
      const [given, request] = [asGiven(args), { ...options }];
      const session = await sessions.resolve(request.session ?? sessions.of(request.role, request.context));
      return await calls.call(tool, given, { ...request, session });
    },
    async callAll(requests, options) {
      const [given, request] = [requestsAsGiven(requests), { ...options }];
      const session = await sessions.resolve(request.session ?? sessions.default);
      return await calls.callAll(given, { ...request, session });
    },
    async turn(requests, options) {
      const [given, request] = [requestsAsGiven(requests), { ...options }];
      const session = await sessions.resolve(request.session ?? sessions.default);
      return await calls.turn(given, { ...request, session });
    },
    skills: createSkills(registry),
    toolkits: keepingAlive(clock, { ...toolkits }),
    cancelCall: async (callId) => (await calls.cancel({ callId })).at(-1),
    cancelTurn: ({ id }, turnId) => calls.cancel({ sessionId: id, turnId }),
    cancelSession: (sessionId) => calls.cancel({ sessionId }),
    result: calls.result,
    commit: async (...args) => await recorded(dryRuns.commit(...args)),
    undo: async (id, request) =>
      calls.isRunning(id) || dryRuns.isCommitting(id) ? refuseToUndo(id) : await recorded(undos.undo(id, request)),
    undoable: undos.list,
    readResult: (handle, { session = sessions.default, ...range } = {}) => kept.read(session.id, handle, range),
    session: sessions.open,
    async endSession(session) {
      await calls.cancel({ sessionId: session.id });
      sessions.end(session);
    },
    ...listings,
    definitions: (format, names, session = sessions.default) =>
      exportTools(format, {
        tools: listings.byExportName(listings.definitionsFor(session)),
        ...(names && { names }),
        call: async (tool, args, signal) => {
          const raw = asGiven(typeof args === "string" ? new JsonArgumentText(args) : args);
          const called = sessions
            .resolve(session)
            .then((one) => calls.call(stillExported(tool, snapshot()), raw, { session: one, ...(signal && { signal }) }));
          return await keptAlive(clock, called);
        },
      }),
    register(factory, into) {
      if (!registry) throw new Error("Cannot register a tool: the host was created with registry: null");
      return registry.register(factory, into);
    },
    policy,
    why(name, act, session = sessions.default) {
      const tool = snapshot().find(name);
      if (tool === undefined) return undefined;
      const explanation = policies.explain(tool, session, act);
      return { ...explanation, quotas: quotas.read({ tool, session, quotas: explanation.quotas }) };
    },
    plugins: () => directory.status().map((status) => withSettingsWarnings(status, settings)),
    checkForChanges: directory.checkForChanges,
    reload,
    grant: async (plugin, permissions) => await recorded(grantTo(plugin, permissions, granting)),
    revoke: (plugin, taken) => revokeFrom(plugin, taken, granting),
    grants,
    settings: hostSettings(settings, directory.status),
    places,
    notices: () =>
      [policies.notices(), consent.notices(), directory.notices(), noticesOf(places.trust), policy.warnings().map(problemToText)].flat(),
    events: { [Symbol.asyncIterator]: () => bus.events() },
    subscribe: bus.subscribe,
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
    audit: createAudit({ service, slices: platform.slices, store }, places),
    close,
    [Symbol.asyncDispose]: close,
  });
}
