/** Stage of a host: sessions, the routes that run calls, and the path from the doors to them. */

import type { JsonValue } from "../../manifests/mod.ts";
import type { EndedHost } from "../audit/host-mark.ts";
import { LOST_CALLS, type LostCall } from "../audit/lost-calls.ts";
import { type ClusterLinks, createClusterLinks } from "../cluster/links.ts";
import { createTelemetry, type Telemetry } from "../audit/telemetry/mod.ts";
import { showLarge } from "../call/arguments.ts";
import { checkRequired } from "../capabilities/mod.ts";
import { type Calls, createCalls } from "../dispatch/calls.ts";
import { createToolCalls } from "../dispatch/chains/tool-calls.ts";
import type { CheckRequired } from "../dispatch/dispatch.ts";
import { createHookGates, type Hooks } from "../dispatch/hooks.ts";
import { capResult } from "../dispatch/results/cap-result.ts";
import { createKeptResults, type KeptResults } from "../dispatch/results/kept-results.ts";
import { createLastingResults, type LastingResults } from "../dispatch/results/lasting-results.ts";
import { createResumedCalls, type ResumedCalls } from "../dispatch/resume-calls.ts";
import { createSessions, type Sessions } from "../dispatch/sessions.ts";
import { WaitingArguments } from "../dispatch/waiting-arguments.ts";
import { createEarlierTool } from "../plugins/consent/earlier-tool.ts";
import { createVersions } from "../plugins/consent/versions.ts";
import { createPreview } from "../effects/overlay/preview.ts";
import { createQuotas, type Quotas } from "../policy/quotas/quotas.ts";
import { createPlainReads } from "../routes/plain-reads.ts";
import { createExecutors } from "../routes/mod.ts";
import type { Executors } from "../tools/execution.ts";
import { createLastingQuotas, type LastingQuotas } from "../dispatch/lasting-quotas.ts";
import { endLostCalls } from "../dispatch/lost-calls.ts";
import { createCurrentDispatch, type CurrentDispatch } from "./current-dispatch.ts";
import type { HostOptions } from "./host-options.ts";
import type { ConfirmationsStage } from "./open-confirmations.ts";
import type { EffectsStage } from "./open-effects.ts";
import type { GroundStage } from "./open-ground.ts";
import type { PluginsStage } from "./open-plugins.ts";
import type { PoliciesStage } from "./open-policies.ts";
import type { RegistryStage } from "./open-registry.ts";

export interface CallsStage {
  readonly calls: Calls;
  readonly sessions: Sessions;
  /** Truncated results. */
  readonly kept: KeptResults;
  readonly quotas: Quotas;
  /** Connections to the clusters that this host calls. */
  readonly clusters: ClusterLinks;
  /** Waiting calls of earlier processes. */
  readonly resumed: ResumedCalls | undefined;
  /** Results that survive the process. */
  readonly lastingResults: LastingResults | undefined;
  /** Use of quotas that survives the process. */
  readonly lastingQuotas: LastingQuotas | undefined;
  /** Undefined if telemetry is disabled. */
  readonly telemetry: Telemetry | undefined;
}

interface EarlierStages {
  readonly ground: GroundStage;
  readonly tools: RegistryStage;
  readonly plugins: PluginsStage;
  readonly policies: PoliciesStage;
  readonly confirmations: ConfirmationsStage;
  readonly effects: EffectsStage;
}

export async function openCalls(stages: EarlierStages, options: HostOptions): Promise<CallsStage> {
  const { platform, bus } = stages.ground;
  const current = createCurrentDispatch();
  const clusters = createClusterLinks(platform, stages.ground.places.clusterKeyFile);
  const executors = openExecutors(stages, current, clusters);
  const kept = createKeptResults(platform);
  const sessions = openSessions(stages, kept);
  const lastingQuotas = openLastingQuotas(stages.ground);
  const quotas = createQuotas(platform.clock.monotonic, lastingQuotas?.note);
  const wanted = options.telemetry ?? false;
  const telemetry = wanted === false ? undefined : await createTelemetry(wanted === true ? {} : wanted);
  if (telemetry) bus.subscribe(telemetry.onEvent);
  setDispatch(current, stages, { hooks: options.hooks ?? {}, executors, kept, quotas, telemetry });
  const lastingResults = openLastingResults(stages.ground);
  const calls = openPath(stages, current, { sessions, kept, lastingResults });
  return {
    calls,
    sessions,
    kept,
    quotas,
    clusters,
    resumed: openResumed(stages, calls, options),
    lastingResults,
    lastingQuotas,
    telemetry,
  };
}

/** Continues the calls of ended hosts, and ends those that were lost with them. Called once the plugins are loaded. */
export async function openEarlier(
  ground: GroundStage,
  { calls, quotas, resumed, lastingResults, lastingQuotas }: CallsStage,
): Promise<void> {
  const { lasting, mark, bus, store, service, places, onDefect } = ground;
  if (lasting === undefined || resumed === undefined) return;
  try {
    await lasting.takeOver();
  } catch (error) {
    onDefect("What an earlier host left cannot be read", error);
  }
  lastingQuotas?.open(quotas);
  lastingResults?.open();
  const kept = resumed.open();
  const find = (hosts: readonly EndedHost[]): Promise<readonly LostCall[]> =>
    service.run(LOST_CALLS, { folder: places.auditFolder, hosts }, { owner: "audit" });
  const isKept = (callId: string): boolean => {
    resumed.need(callId);
    return kept.has(callId);
  };
  const flush = async (): Promise<void> => {
    // Nothing is written before the first call otherwise.
    await store?.prepare();
    await store?.flush();
  };
  let looking = mark && endLostCalls({ mark, find, isKept, calls, emit: bus.emit, flush, onDefect });
  void looking?.then(() => (looking = undefined));
  calls.follow({ need: resumed.need, looking: () => looking });
}

function openResumed(
  { ground, tools, plugins, policies, confirmations, effects: { frozen } }: EarlierStages,
  calls: Calls,
  { resume = true }: HostOptions,
): ResumedCalls | undefined {
  return (
    frozen &&
    createResumedCalls({
      ...{ frozen, calls, pending: confirmations.pending, registry: tools.snapshot, ...ground.platform },
      earlierTool: createEarlierTool({
        versions: createVersions(ground.platform, ground.places.versionsFolder),
        ...{ consent: plugins.consent, newId: ground.platform.random.uuidv7 },
      }),
      ...{ timeoutMs: policies.policies.confirmationTimeoutMs, isResuming: resume, onDefect: ground.onDefect },
    })
  );
}

function openLastingQuotas({ platform, lasting, onDefect }: GroundStage): LastingQuotas | undefined {
  const { clock, random } = platform;
  return lasting && createLastingQuotas({ store: lasting.space("quota"), newId: random.uuidv7, clock, onDefect });
}

function openLastingResults({ platform, lasting, onDefect }: GroundStage): LastingResults | undefined {
  const { clock, slices } = platform;
  return lasting && createLastingResults({ store: lasting.space("result"), clock, slices, onDefect });
}

function openExecutors(
  { ground, plugins, confirmations, effects }: EarlierStages,
  current: CurrentDispatch,
  clusters: ClusterLinks,
): Executors {
  const { platform, places, bus, secrets, dataFolders, fileService } = ground;
  const { sandbox, settings, directory } = plugins;
  return createExecutors({
    platform,
    emit: bus.emit,
    secrets,
    sandbox,
    ...effects,
    openAsks: confirmations.openAsks,
    openTools: createToolCalls({ current: current.get, newId: platform.random.uuidv7 }),
    settings: settings.configOf,
    dataFolders,
    readPlain: createPlainReads(fileService, platform.clock),
    remotes: () => places.project.config().remotes,
    clusters,
    members: () => places.project.config().cluster.members,
    lease: directory.lease,
  });
}

/** Opens the default session, too. */
function openSessions({ ground, plugins, policies, confirmations }: EarlierStages, kept: KeptResults): Sessions {
  const { platform, places, bus } = ground;
  const { workspace, workspaceNamed } = places;
  return createSessions({
    platform,
    workspace,
    ...(workspaceNamed !== undefined && { named: workspaceNamed }),
    emit: bus.emit,
    checkLayers: policies.policies.checkLayers,
    onEnd: (id) => [plugins.sandbox, kept, confirmations].forEach((holder) => holder.endSession(id)),
  });
}

interface DispatchParts extends Pick<CallsStage, "kept" | "quotas" | "telemetry"> {
  readonly hooks: Hooks;
  readonly executors: Executors;
}

/** Registry and policy are read for each call. All other parts stay. */
function setDispatch(current: CurrentDispatch, stages: EarlierStages, { hooks, executors, kept, quotas, telemetry }: DispatchParts): void {
  const { platform, places, bus, secrets, redact, redactLarge, onDefect } = stages.ground;
  const { files, slices, sha256 } = platform;
  const { dryRuns } = stages.effects;
  const { snapshot } = stages.tools;
  const { policies, revocations } = stages.policies;
  const parts = {
    hooks: createHookGates(hooks, onDefect),
    confirm: stages.confirmations.confirm,
    asks: stages.confirmations.asks,
    preview: createPreview({ dryRuns, executors, quotas, isWanted: () => places.project.config().confirmation.preview }),
    executors,
    revocations,
    quotas,
    frozen: stages.effects.frozen,
    telemetry,
    redact,
    onDefect,
    checkRequired: ((requires, args, asker) => checkRequired(requires, args, { ...asker, files })) satisfies CheckRequired,
    emit: bus.emitKept,
    now: platform.clock.monotonic,
    showLarge: (args: JsonValue) => slices.run(showLarge(args, { redaction: redactLarge(), sha256, redact: secrets.redactBytes })),
    slices,
    waitingArguments: new WaitingArguments(),
    keep: kept.keep,
  };
  current.set(() => ({ registry: snapshot(), policy: policies.current(), ...parts }));
}

function openPath(
  { ground: { platform, store, onDefect }, effects: { frozen } }: EarlierStages,
  current: CurrentDispatch,
  { sessions, kept, lastingResults }: Pick<CallsStage, "sessions" | "kept" | "lastingResults">,
): Calls {
  return createCalls({
    cap: (result, session) => capResult(result, { maxBytes: session.resultBytes, keep: (text) => kept.keep(session, text) }),
    newId: platform.random.uuidv7,
    clock: platform.clock,
    platform,
    defaultSession: sessions.default,
    frozen,
    lasting: lastingResults,
    ...(store && { prepare: () => store.prepare().catch((error: unknown) => onDefect("The audit store cannot be prepared", error)) }),
    current: current.get,
  });
}
