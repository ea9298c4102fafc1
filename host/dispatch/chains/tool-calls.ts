/**
 * Calls that a running tool makes (SPEC C9). Each one goes through dispatch like any other call, in the session and the remaining time of
 * its caller.
 *
 * A step runs with the called tool's own grant, never with its caller's; the caller receives only the answer.
 */

import type { ToolCall, ToolResult } from "../../call/call.ts";
import { type Dispatch, dispatch } from "../dispatch.ts";
import { holdLarge, largeIn } from "../../primitives/json/large.ts";
import type { JsonValue } from "../../../manifests/mod.ts";
import type { Execution } from "../../tools/execution.ts";
import type { OpenToolCalls, ToolCalls } from "../../capabilities/mod.ts";
import type { RunTime } from "../../call/run-time.ts";
import { follow } from "../running-calls.ts";
import { createSlots, type Slots } from "../../call/session.ts";
import type { RegisteredTool } from "../../tools/tool.ts";
import { Chain, type ChainPlace, type ChainStep, type StepAnswer } from "../../call/chain.ts";
import { keepsState } from "./check-caller.ts";

/** Dependencies of the steps. */
interface ChainOptions {
  /** Returns the current state of the host; called once per step. */
  readonly current: () => Dispatch;
  readonly newId: () => string;
}

/** Maximum number of steps that wait for a slot of their calling call. */
const QUEUE = 64;

/** Returns a factory of `ToolCalls`. It allocates nothing until the tool makes its first call. */
export function createToolCalls(options: ChainOptions): OpenToolCalls {
  return (execution, time) => new RunningCalls(execution, time, options);
}

class RunningCalls implements ToolCalls {
  readonly #execution: Execution;
  readonly #time: RunTime;
  readonly #options: ChainOptions;
  readonly #stop: AbortController = new AbortController();
  readonly #open: Set<Promise<unknown>> = new Set();
  /** Steps that waited for a confirmation and whose answer the caller has not received yet, by index. */
  readonly #waiting: Map<number, RunningStep> = new Map();
  #chain: Chain | undefined;
  #slots: Slots | undefined;

  constructor(execution: Execution, time: RunTime, options: ChainOptions) {
    this.#execution = execution;
    this.#time = time;
    this.#options = options;
    const { signal } = execution;
    if (signal.aborted) this.#stop.abort();
    signal.addEventListener("abort", this.#abort, { once: true });
  }

  readonly #abort = (): void => this.#stop.abort();

  /** Finds the tool. A plugin's own tools come first, so that no other plugin can take over an unqualified name. */
  find(name: string): string | undefined {
    return this.#find(name)?.qualifiedName;
  }

  async call(name: string, args: JsonValue): Promise<JsonValue> {
    const step = new RunningStep();
    const run = this.#run(name, args, step);
    this.#open.add(run);
    step.ended = run.then(toAnswer).finally(() => this.#open.delete(run));
    return await this.#answer(step);
  }

  async asked(step: number): Promise<void> {
    await this.#waiting.get(step)?.answered;
  }

  async result(step: number): Promise<JsonValue | undefined> {
    const found = this.#waiting.get(step);
    return found && (await this.#answer(found));
  }

  /** Waits for the result, or for a confirmation that comes first. */
  async #answer(step: RunningStep): Promise<JsonValue> {
    const answer = await Promise.race([step.ended, step.asks()]);
    if (answer !== undefined) {
      this.#waiting.delete(step.index);
      return answer;
    }
    this.#waiting.set(step.index, step);
    return { asks: step.index };
  }

  get hasSteps(): boolean {
    return this.#chain !== undefined;
  }

  /** Steps of the outermost call only: its list includes those of nested calls. */
  get steps(): readonly ChainStep[] | undefined {
    return this.#execution.call.chain === undefined ? this.#chain?.steps : undefined;
  }

  async close(): Promise<void> {
    this.#execution.signal.removeEventListener("abort", this.#abort);
    this.#abort();
    // The steps end before their caller, so that its terminal event is the last one.
    while (this.#open.size > 0) await Promise.allSettled(this.#open);
  }

  #find(name: string): RegisteredTool | undefined {
    const { plugin } = this.#execution.tool;
    const { registry } = this.#options.current();
    return (plugin !== undefined && !name.includes(".") ? registry.find(`${plugin}.${name}`) : undefined) ?? registry.find(name);
  }

  async #run(name: string, args: JsonValue, running: RunningStep): Promise<ToolResult> {
    const { call, tool: caller } = this.#execution;
    const { newId } = this.#options;
    const chain = (this.#chain ??= call.chain?.chain ?? new Chain(call.callId));
    this.#slots ??= createSlots(call.session.concurrency, QUEUE);
    const { index, end } = chain.begin();
    running.index = index;
    const place: ChainPlace = {
      chain,
      index,
      depth: (call.chain?.depth ?? 0) + 1,
      path: [...(call.chain?.path ?? []), caller.qualifiedName],
      parentCallId: call.callId,
      slots: this.#slots,
      holdsState: (call.chain?.holdsState ?? false) || keepsState(caller),
      standStill: () => this.#standStill(running),
    };
    const tool = this.#find(name);
    const step: ToolCall = Object.freeze({
      callId: newId(),
      tool: tool?.qualifiedName ?? name,
      args,
      session: call.session,
      caller: "chain",
      chain: place,
      ...(call.turnId !== undefined && { turnId: call.turnId }),
      ...(call.traceparent !== undefined && { traceparent: call.traceparent }),
      // The user of the outermost call is asked. If the user may answer later, this call waits for the answer.
      ...(call.confirm && { confirm: call.confirm }),
      ...(call.onPending && { onPending: ignore }),
      ...this.#wishes(tool, index),
    });
    const stop = new AbortController();
    const unfollow = follow(this.#stop.signal, stop);
    const result = await dispatch(step, this.#options.current(), stop);
    unfollow();
    end({
      ...{ callId: step.callId, tool: result.tool, depth: place.depth, ok: result.ok, durationMs: result.durationMs },
      parentCallId: call.callId,
      ...(!result.ok && { code: result.error.code }),
    });
    return result;
  }

  /** Suspends this call and those that wait for it. On resumption the outermost call takes its slot first, then this one. */
  #standStill(step: RunningStep): () => Promise<void> {
    const above = this.#execution.call.chain?.standStill?.();
    const goOn = this.#time.standStill();
    const answered = step.ask();
    return async () => {
      await above?.();
      await goOn();
      answered();
    };
  }

  /** Returns the remaining time and, for guests, the caller's seed and clock. */
  #wishes(tool: RegisteredTool | undefined, index: number): Pick<ToolCall, "timeoutMs" | "seed" | "timeMs" | "record"> {
    if (tool === undefined) return {};
    const { call } = this.#execution;
    const { policy } = this.#options.current();
    const leftMs = Math.max(1, Math.floor(this.#time.leftMs()));
    const timeoutMs = leftMs < policy.limitsFor(tool, { session: call.session }).wallMs ? leftMs : undefined;
    const decision = policy.decide(tool, { session: call.session });
    const isGuest = decision.kind !== "deny" && decision.route === "wasm" && tool.binding.kind === "plugin";
    const { seed, timeMs, record } = isGuest ? call : {};
    return {
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(seed !== undefined && { seed: `${seed.slice(0, 900)}/${index}` }),
      ...(timeMs !== undefined && { timeMs }),
      ...(record !== undefined && { record }),
    };
  }
}

/** One step, as its caller waits for it: for its end, or for a confirmation before that. */
class RunningStep {
  index = -1;
  ended: Promise<JsonValue> = Promise.resolve(null);
  #questions = 0;
  #begin = Promise.withResolvers<undefined>();
  #over = Promise.withResolvers<void>();

  /** Resolves when a confirmation begins. */
  asks(): Promise<undefined> {
    return this.#begin.promise;
  }

  /** Resolves when no confirmation is open. */
  get answered(): Promise<void> {
    return this.#questions === 0 ? Promise.resolve() : this.#over.promise;
  }

  /** Begins a confirmation; returns the function that ends it. */
  ask(): () => void {
    if (this.#questions++ === 0) {
      this.#over = Promise.withResolvers<void>();
      this.#begin.resolve(undefined);
    }
    return () => {
      if (--this.#questions > 0) return;
      this.#begin = Promise.withResolvers<undefined>();
      this.#over.resolve();
    };
  }
}

function ignore(): void {}

function toAnswer(result: ToolResult): JsonValue & StepAnswer {
  if (result.ok) {
    const large = largeIn(result, "output");
    if (large === undefined) return { ok: true, output: result.output };
    const answer = { ok: true, output: null } as const;
    holdLarge(answer, "output", large);
    return answer;
  }
  const { code, message } = result.error;
  return { ok: false, error: { code, message, tool: result.tool } };
}
