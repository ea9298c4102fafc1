/** How doors make calls: builds the `ToolCall`, dispatches it and remembers its result (SPEC D4, T5). */

import type { RawArguments } from "../call/argument-text.ts";
import type { HashPlatform } from "../primitives/json/json-hash.ts";
import type { FrozenCalls } from "../effects/frozen/frozen-calls.ts";
import { createAskedCalls, type RestoredCall } from "./asked-calls.ts";
import { changesSomething } from "../audit/journal.ts";
import { callKey } from "../call/call-key.ts";
import type { ToolCall, ToolFailure, ToolResult } from "../call/call.ts";
import { type CallAllOptions, type CallOptions, type CallRequest, ofRequest, toCall } from "./call-options.ts";
import { dispatch, type Dispatch } from "./dispatch.ts";
import { invalidOption, toolError, type ToolErrorData, unavailable } from "../call/errors.ts";
import { chainsOf, runChain, type TurnResponse } from "./chains/turn.ts";
import type { ChainPlace } from "../call/chain.ts";
import { sideEffectClass } from "../../manifests/mod.ts";
import type { Clock } from "../platform/platform.ts";
import type { Session } from "../call/session.ts";
import { defined } from "../primitives/defined.ts";
import { sizeOf } from "../primitives/json/known-size.ts";
import { createRecentResults } from "./recent-results.ts";
import type { EndedCall, LastingResults } from "./results/lasting-results.ts";
import { type CallSelection, follow, OpenTurns, RunningCalls } from "./running-calls.ts";
import type { RegisteredTool } from "../tools/tool.ts";
import { openTrace } from "./trace.ts";

/** Dependencies of `createCalls()`. */
interface CallsOptions {
  /** Returns the current state of the host; called once per call. */
  readonly current: () => Dispatch;
  readonly newId: () => string;
  readonly clock: Pick<Clock, "after">;
  /** Hashes large arguments in slices. */
  readonly platform?: HashPlatform;
  readonly defaultSession: Session;
  /** Awaited before the first call, so that the journal is open by then. Must not reject. */
  readonly prepare?: () => Promise<void>;
  /** Calls that survive the process; absent if none do. */
  readonly frozen?: Pick<FrozenCalls, "isWaiting" | "keepPending"> | undefined;
  /** Results that survive the process; absent if none do. */
  readonly lasting?: Pick<LastingResults, "find" | "keep" | "keepSoon"> | undefined;
  /** Cuts a result to the size that its session accepts. */
  readonly cap?: (result: ToolResult, session: Session) => ToolResult;
}

/** The path from the doors to dispatch: session slots, deadlines and remembered results. */
export interface Calls {
  /** Never rejects. */
  call(tool: string, args: RawArguments, options?: CallOptions): Promise<ToolResult>;
  /** Results in the order of the requests. Never rejects. */
  callAll(requests: readonly CallRequest[], options?: CallAllOptions): Promise<readonly ToolResult[]>;
  /** Like `callAll`, with the chains of the calls. */
  turn(requests: readonly CallRequest[], options?: CallAllOptions): Promise<TurnResponse>;
  /**
   * Cancels the selected calls, with everything that their guests wait for, and waits until they have ended.
   *
   * @returns their results: `cancelled`, or the result that was reached first. Empty if no selected call runs. Never rejects.
   */
  cancel(which: CallSelection): Promise<readonly ToolResult[]>;
  isRunning(callId: string): boolean;
  /** Resolves to whether a call of an earlier process has this id and owner: a repeat of it gets its result. */
  isReturning(callId: string, owner: string): Promise<boolean>;
  /**
   * Returns the result of an ended call, or of one that waits for a confirmation. The last 1,000 are remembered, fewer if they are large.
   */
  result(callId: string): ToolResult | undefined;
  /** Connects the calls of earlier processes. */
  follow(earlier: EarlierCalls): void;
  /** Registers a call of an earlier process, for callers that come back. */
  expect(call: RestoredCall): void;
  /** Adds the result of a call that was lost with an earlier process. A repeat of it by its owner gets this result. */
  addLost(result: ToolFailure, owner: string | undefined): void;
  /** Continues such a call. Never rejects. */
  resume(request: ToolCall, options: ResumeOptions): Promise<ToolResult>;
  /** Ends such a call, because it cannot continue. Never rejects. */
  end(request: ToolCall, key: string, error: ToolErrorData): Promise<ToolResult>;
  /** Refuses new calls, waits up to `drainMs` for running calls, then cancels them and waits until they have ended. Calls that survive the process stay. */
  close(drainMs: number): Promise<void>;
}

interface ResumeOptions {
  /** The call's `callKey`. */
  readonly key: string;
  /** Ends it at once. */
  readonly isCancelled: boolean;
  /** Its tool, if it is one of a version that does not serve any more. */
  readonly tool?: RegisteredTool;
}

/** Calls of earlier processes. Callers come back by the ids of their calls. */
export interface EarlierCalls {
  /** Registers this call, if it is one of them, before it is looked up. */
  need(callId: string): void;
  /** Resolves when the lost ones are known; undefined if they are. */
  looking(): Promise<void> | undefined;
}

const REMEMBERED = 1_000;
const LOOK_MS = 50;

/** Accepts calls until it is closed. */
export function createCalls(options: CallsOptions): Calls {
  const { current, newId, clock, defaultSession, frozen, lasting } = options;
  const isKept = (callId: string): boolean => frozen?.isWaiting(callId) === true;
  const results = createRecentResults(REMEMBERED);
  const asked = createAskedCalls(options.platform);
  const running = new RunningCalls();
  const turns = new OpenTurns();
  let closing = false;
  let preparing = options.prepare;
  let earlier: EarlierCalls | undefined;

  async function call(tool: string, args: RawArguments, wanted: CallOptions = {}, chain?: ChainPlace): Promise<ToolResult> {
    const isWaiting = wanted.confirm !== undefined || wanted.unattended === "refuse";
    let letGo: ToolCall["onPending"];
    const onPending = isWaiting ? undefined : (pending: ToolResult): void => letGo?.(pending);
    const request = toCall(tool, args, wanted, { newId, defaultSession, onPending, chain });
    const host = current();
    if (closing) return await refuse(request, host, unavailable(tool, "the host is closing"));
    if (preparing !== undefined) await prepare();
    if (wanted.callId !== undefined) {
      await earlier?.looking();
      need(wanted.callId);
      const known = await asked.find(request);
      if (known !== undefined) return known;
      // The refusal has a new id, so that no event is recorded under the id of the other call.
      const isTaken = running.isOfAnother(request) || isKept(wanted.callId) || asked.earlierOwner(wanted.callId) !== undefined;
      if (isTaken) return await refuse({ ...request, callId: newId() }, host, takenId());
    }
    const stop = new AbortController();
    const unfollow = wanted.signal && follow(wanted.signal, stop);
    let key: Promise<string> | undefined;
    const ended = run(request, host, stop, (result) => {
      unfollow?.();
      if (key !== undefined) return key.then((known) => keepResult(result, request, known));
      if (wanted.callId === undefined || lasting === undefined) return undefined;
      const keeping = keepChosen(result, request);
      // A call that may have changed something must not run again, even if the host is killed at once.
      return changesSomething(result.sideEffects) ? keeping : undefined;
    });
    if (isWaiting) return await ended;
    return await new Promise((resolve) => {
      // The call needs a confirmation: the caller receives a pending result and can no longer cancel the call.
      letGo = (pending) => {
        unfollow?.();
        if (lasting !== undefined) key = callKey(request.session.owner ?? "", request, options.platform);
        void asked.add(request, pending, ended);
        const tool = host.registry.find(pending.tool);
        // The caller learns that the call waits once it survives the process.
        if (frozen === undefined || tool === undefined) resolve(pending);
        else void frozen.keepPending(request, tool, pending).then(() => resolve(pending));
      };
      void ended.then(resolve);
    });
  }

  async function prepare(): Promise<void> {
    await preparing?.();
    preparing = undefined;
  }

  /** @param onEnd awaited before the caller gets the result */
  async function run(
    request: ToolCall,
    host: Dispatch,
    stop: AbortController,
    onEnd: (result: ToolResult) => undefined | Promise<unknown>,
  ): Promise<ToolResult> {
    const ended = dispatch(request, host, stop);
    const number = running.add(request, ended, stop);
    const whole = await ended;
    running.remove(number);
    const result = options.cap === undefined ? whole : options.cap(whole, request.session);
    results.add(result);
    const keeping = onEnd(result);
    if (keeping) await keeping;
    return result;
  }

  /** Keeps the result of a call whose caller may come back. A call that the next host continues has none yet. */
  function keepResult(result: ToolResult, request: ToolCall, key: string): undefined {
    if (!isKept(request.callId)) lasting?.keep({ result, key, ...ownerOf(request) });
  }

  /** As above, for a call whose caller chose its id. A client of a door gets the result of a repeat instead of a second run. */
  async function keepChosen(result: ToolResult, request: ToolCall): Promise<undefined> {
    if (isKept(request.callId)) return;
    const { owner } = request.session;
    const isRepeated = owner !== undefined && sizeOf(request.args) === undefined;
    const key = isRepeated ? await callKey(owner, request, options.platform) : undefined;
    const ended: EndedCall = { result, ...defined({ owner, key }) };
    if (key !== undefined && changesSomething(result.sideEffects)) lasting?.keep(ended);
    else lasting?.keepSoon(ended);
  }

  /** Registers a call of an earlier process, so that it is found. */
  function need(callId: string): void {
    earlier?.need(callId);
    const ended = lasting?.find(callId);
    if (ended !== undefined && (ended.key !== undefined || isLost(ended.result))) asked.addEnded(ended, isTool(ended.result));
  }

  /** Returns whether a name, as a caller wrote it, is that of the result's tool. */
  function isTool({ tool }: ToolResult): (name: string) => boolean {
    return (name) => name === tool || current().registry.find(name)?.qualifiedName === tool;
  }

  /** Returns the host with this tool in place of the one that serves. Policy decides about this one, so that it gets no permission of another version. */
  function withTool(tool: RegisteredTool | undefined): Dispatch {
    const host = current();
    if (tool === undefined) return host;
    const { registry, revocations } = host;
    return {
      ...host,
      registry: { ...registry, find: (name) => (name === tool.qualifiedName ? tool : registry.find(name)) },
      revocations: {
        decide: (_serving, call) => current().policy.decide(tool, call),
        begin: (call) => revocations.begin(call),
        end: (call) => revocations.end(call),
      },
    };
  }

  /** Refused calls emit events too. */
  async function refuse(request: ToolCall, host: Dispatch, error: ToolErrorData): Promise<ToolResult> {
    const trace = openTrace(request, host);
    const refused = trace.refuse({ stage: error.code === "invalid_args" ? "arguments" : "run", error });
    await host.hooks.ended(request, refused);
    return refused;
  }

  async function callAll(requests: readonly CallRequest[], wanted: CallAllOptions): Promise<readonly ToolResult[]> {
    return await turns.run(wanted, defaultSession, async (signal) => {
      const shared = { ...wanted, signal };
      const run = (request: CallRequest): Promise<ToolResult> => call(request.tool, request.args ?? {}, ofRequest(request, shared));
      if (wanted.sequential !== true) return await Promise.all(requests.map(run));
      const inOrder: ToolResult[] = [];
      for (const request of requests) inOrder.push(await run(request));
      return inOrder;
    });
  }

  async function turn(requests: readonly CallRequest[], wanted: CallAllOptions): Promise<TurnResponse> {
    const { turn: turnId = newId(), mode } = wanted;
    const shared = { ...wanted, turn: turnId };
    if (mode === "chain") return await turns.run(shared, defaultSession, (signal) => chainOf(turnId, requests, { ...shared, signal }));
    const results = await callAll(requests, shared);
    return { turnId, results, toolChains: chainsOf(results) };
  }

  async function chainOf(turnId: string, requests: readonly CallRequest[], shared: CallAllOptions): Promise<TurnResponse> {
    const { sequential = false, parallelMutations = false } = shared;
    const { results, chain } = await runChain(
      requests,
      { sequential, parallelMutations },
      {
        chainId: newId(),
        isMutation: (tool) => isMutation(current().registry.find(tool)),
        call: (request, place) => call(request.tool, request.args ?? {}, ofRequest(request, shared), place),
        skip(request, place, because) {
          const asked = toCall(request.tool, request.args ?? {}, ofRequest(request, shared), { newId, defaultSession, chain: place });
          return refuse(
            asked,
            current(),
            toolError("cancelled", `An earlier step of the chain failed, so this one did not run: ${because}`),
          );
        },
      },
    );
    return { turnId, results, toolChains: [chain] };
  }

  return {
    call: (tool, args, wanted) => call(tool, args, wanted),
    callAll: async (requests, wanted = {}) =>
      wanted.mode === "chain" ? (await turn(requests, wanted)).results : await callAll(requests, wanted),
    turn: (requests, wanted = {}) => turn(requests, wanted),
    async isReturning(callId, owner) {
      await earlier?.looking();
      need(callId);
      return asked.earlierOwner(callId)?.owner === owner;
    },
    isRunning: (callId) => running.isAny({ callId }) || isKept(callId),
    cancel(which) {
      turns.cancel(which);
      return running.cancel(which);
    },
    follow: (them) => void (earlier = them),
    addLost(result, owner) {
      const ended: EndedCall = { result, ...defined({ owner }) };
      asked.addEnded(ended, isTool(result));
      results.add(result);
      lasting?.keep(ended);
    },
    expect: (restored) => asked.restore(restored.request.callId, restored),
    async resume(request, { key, isCancelled, tool }) {
      await prepare();
      const stop = new AbortController();
      if (isCancelled) stop.abort();
      return await run(request, withTool(tool), stop, (result) => keepResult(result, request, key));
    },
    async end(request, key, error) {
      await prepare();
      const result = await refuse(request, current(), error);
      lasting?.keep({ result, key, ...ownerOf(request) });
      current().frozen?.forget(request.callId);
      results.add(result);
      return result;
    },
    result(callId) {
      earlier?.need(callId);
      return results.get(callId) ?? asked.pending(callId) ?? lasting?.find(callId)?.result;
    },
    async close(drainMs) {
      closing = true;
      const stopTimer = clock.after(drainMs, () => void running.cancel({}, isKept));
      // A call may begin to survive the process while it is waited for.
      for (let ended = running.ended(isKept); ended !== undefined; ended = running.ended(isKept))
        await Promise.race([ended, new Promise<void>((resolve) => clock.after(LOOK_MS, resolve))]);
      stopTimer();
    },
  };
}

function ownerOf({ session: { owner } }: ToolCall): Pick<EndedCall, "owner"> {
  return defined({ owner });
}

function isLost(result: ToolResult): boolean {
  return !result.ok && result.error.code === "lost";
}

function takenId(): ToolErrorData {
  return invalidOption("callId", "a call of another session uses it (choose another, or leave it out)");
}

/** An unknown tool counts as read-only, because its call fails without effects. */
function isMutation(tool: RegisteredTool | undefined): boolean {
  if (tool === undefined) return false;
  const { destructive, sideEffects } = tool.definition;
  return destructive || !["none", "read"].includes(sideEffectClass(sideEffects));
}
