/** A minimal host in memory for dispatch: registry, policy, host and wasm routes, a fake sandbox, and recorded events. */

import { openRunRecord } from "../../host/routes/run-record.ts";
import { showLarge } from "../../host/call/arguments.ts";
import { localService } from "./local-service.ts";
import { createEventBus } from "../../host/audit/event-bus.ts";
import type { EventType, HostEvent } from "../../host/audit/events.ts";
import type { RawArguments } from "../../host/call/argument-text.ts";
import type { ToolResult } from "../../host/call/call.ts";
import { createToolCalls } from "../../host/dispatch/chains/tool-calls.ts";
import { createCalls, type Calls } from "../../host/dispatch/calls.ts";
import type { CallOptions } from "../../host/dispatch/call-options.ts";
import { checkRequired } from "../../host/capabilities/mod.ts";
import { createRefusals } from "../../host/confirmations/refusals.ts";
import { createSessionAnswers } from "../../host/confirmations/session-answers.ts";
import { createPendingConfirmations, type PendingConfirmations } from "../../host/confirmations/pending.ts";
import { createConfirm } from "../../host/confirmations/confirmations.ts";
import type { Dispatch } from "../../host/dispatch/dispatch.ts";
import { createHookGates, type Hooks } from "../../host/dispatch/hooks.ts";
import type { MemoryPlatform } from "../../host/platform/memory/memory.ts";
import { createPolicy, type Policy, type PolicyOptions } from "../../host/policy/policy.ts";
import { createQuotas } from "../../host/policy/quotas/quotas.ts";
import { createRegistry, type Registry } from "../../host/tools/registry.ts";
import { createDryRuns } from "../../host/effects/overlay/dry-runs.ts";
import { Revocations } from "../../host/dispatch/revocations.ts";
import { createPreview } from "../../host/effects/overlay/preview.ts";
import { createExecutors } from "../../host/routes/mod.ts";
import { createSecrets } from "../../host/capabilities/secrets/secrets.ts";
import { createSession, type Session } from "../../host/call/session.ts";
import { WaitingArguments } from "../../host/dispatch/waiting-arguments.ts";
import { EMPTY_SNAPSHOT } from "../../host/tools/snapshot.ts";
import type { ToolFactory } from "../../host/tools/tool.ts";
import { DEFAULT_PROJECT, type JsonObject, parseProject, type ProjectConfig } from "../../manifests/mod.ts";
import { fakeSandbox, type FakeSandbox } from "./fake-sandbox.ts";
import { memoryPlatform, WORKSPACE } from "./memory-platform.ts";

export interface TestHostOptions {
  readonly tools?: readonly ToolFactory[];
  /** Contents of `bascule.json`. */
  readonly project?: JsonObject;
  /** Replaces the project's policy. */
  readonly policy?: Policy;
  readonly policyOptions?: Partial<PolicyOptions>;
  readonly hooks?: Hooks;
  readonly platform?: MemoryPlatform;
  readonly session?: Session;
  readonly sandbox?: FakeSandbox;
  /** Uses an empty registry. */
  readonly noRegistry?: true;
  /** Replaces parts of the dispatch context. */
  readonly dispatch?: Partial<Dispatch>;
}

export interface TestHost {
  readonly calls: Calls;
  /** Returns the current dispatch context. */
  current(): Dispatch;
  readonly registry: Registry;
  readonly platform: MemoryPlatform;
  readonly session: Session;
  readonly sandbox: FakeSandbox;
  readonly events: HostEvent[];
  readonly confirmations: PendingConfirmations;
  call(tool: string, args?: RawArguments, options?: CallOptions): Promise<ToolResult>;
  /** Returns the types of the events so far, in order. Events of the registry are not included. */
  types(): EventType[];
}

export function testHost(options: TestHostOptions = {}): TestHost {
  const { platform = memoryPlatform(), sandbox = fakeSandbox() } = options;
  const { random, clock, log } = platform;
  const events: HostEvent[] = [];
  const onDefect = (message: string, error?: unknown): void => log.write("error", message, { error: String(error) });
  const bus = createEventBus({ newId: random.uuidv7, now: clock.now, onDefect });
  bus.subscribe((event) => events.push(event));
  const registry = createRegistry({ newId: random.uuidv7, onWarning: ({ message }) => log.write("warn", message) });
  if (options.tools) registry.registerMany(options.tools);
  const project = projectOf(options.project);
  const policy = options.policy ?? createPolicy({ project, root: WORKSPACE, grants: { find: () => undefined }, ...options.policyOptions });
  const session = options.session ?? createSession({ id: "session-1", workspace: WORKSPACE });
  const secrets = createSecrets({ platform, sources: () => project.secrets, root: WORKSPACE });
  const dryRuns = createDryRuns({
    service: localService(platform),
    platform,
    emit: bus.emit,
    openRecord: (execution) => openRunRecord(execution, { platform, emit: bus.emit, secrets }),
    isUnchanged: ({ tool }) => registry.snapshot().getById(tool.id) === tool,
    confirm: (input, signal) => confirm(input, signal),
  });
  const executors = createExecutors({
    ...{ platform, emit: bus.emit, secrets, sandbox, dryRuns, lease: sandbox.lease },
    openTools: createToolCalls({ current: () => current(), newId: random.uuidv7 }),
  });
  const confirmations = createPendingConfirmations();
  const { confirm, asks } = createConfirm({
    emit: bus.emit,
    newId: random.uuidv7,
    platform,
    clock,
    pending: confirmations,
    refusals: createRefusals(clock),
    answers: createSessionAnswers(),
    timeoutMs: () => project.confirmation.timeoutMs,
    isUnchanged: ({ tool }) => registry.snapshot().getById(tool.id) === tool,
    onDefect,
  });
  const quotas = createQuotas(clock.monotonic);
  const preview = createPreview({ dryRuns, executors, quotas, isWanted: () => project.confirmation.preview });
  const waitingArguments = new WaitingArguments();
  const revocations = new Revocations(() => ({ policy, registry: registry.snapshot() }));
  const calls = createCalls({
    newId: random.uuidv7,
    clock,
    defaultSession: session,
    current,
  });
  function current(): Dispatch {
    return {
      registry: options.noRegistry === true ? EMPTY_SNAPSHOT : registry.snapshot(),
      policy,
      hooks: createHookGates(options.hooks ?? {}, onDefect),
      confirm,
      asks,
      preview,
      executors,
      revocations,
      quotas,
      telemetry: undefined,
      checkRequired: (requires, args, asker) => checkRequired(requires, args, { ...asker, files: platform.files }),
      emit: bus.emitKept,
      now: clock.monotonic,
      redact: (value) => value,
      slices: platform.slices,
      waitingArguments,
      showLarge: (args) =>
        platform.slices.run(showLarge(args, { redaction: { isHidden: undefined }, sha256: platform.sha256, redact: secrets.redactBytes })),
      keep: () => undefined,
      onDefect,
      ...options.dispatch,
    };
  }
  return {
    current,
    confirmations,
    calls,
    registry,
    platform,
    session,
    sandbox,
    events,
    call: (tool, args = {}, request = {}) => calls.call(tool, args, request),
    types: () => events.map(({ type }) => type),
  };
}

export function projectOf(document: JsonObject | undefined): ProjectConfig {
  if (document === undefined) return DEFAULT_PROJECT;
  const parsed = parseProject(JSON.stringify(document));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
}
