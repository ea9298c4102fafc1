/**
 * What a running tool calls (SPEC C9): each call goes through dispatch like any other, in the session and the remaining time of
 * the call that makes it.
 *
 * A step has the called tool's own grant, never its caller's: the caller lends it nothing and gets nothing of it but the answer.
 */

import type { ToolCall, ToolResult } from "../call.ts";
import { type Dispatch, dispatch } from "../dispatch.ts";
import type { JsonValue } from "../../manifests/mod.ts";
import type { Clock } from "../platform/platform.ts";
import type { Execution } from "../routes/executor.ts";
import type { OpenToolCalls, ToolCalls } from "../capabilities/mod.ts";
import { createSlots, type Slots } from "../session.ts";
import type { RegisteredTool } from "../tool.ts";
import { Chain, type ChainPlace, type ChainStep, type StepAnswer } from "./chain.ts";
import { keepsState } from "./check-caller.ts";

/** What steps are made with. */
export interface ChainOptions {
  /** The state of the host at this moment; asked once for each step. */
  readonly current: () => Dispatch;
  readonly newId: () => string;
  readonly clock: Pick<Clock, "monotonic">;
}

/** Steps that may wait for a slot of the call that makes them. */
const QUEUE = 64;

/** @returns what gives a call its way to others; nothing is made until it calls one. */
export function createToolCalls(options: ChainOptions): OpenToolCalls {
  return (execution, endsAtMs) => new RunningCalls(execution, endsAtMs, options);
}

class RunningCalls implements ToolCalls {
  readonly #execution: Execution;
  readonly #endsAtMs: number;
  readonly #options: ChainOptions;
  readonly #stop: AbortController = new AbortController();
  readonly #open: Set<Promise<unknown>> = new Set();
  #chain: Chain | undefined;
  #slots: Slots | undefined;

  constructor(execution: Execution, endsAtMs: number, options: ChainOptions) {
    this.#execution = execution;
    this.#endsAtMs = endsAtMs;
    this.#options = options;
    const { signal } = execution;
    if (signal.aborted) this.#stop.abort();
    signal.addEventListener("abort", this.#abort, { once: true });
  }

  readonly #abort = (): void => this.#stop.abort();

  /** A plugin's own tool comes first: nobody takes its place by registering a tool of that name earlier. */
  find(name: string): string | undefined {
    return this.#find(name)?.qualifiedName;
  }

  async call(name: string, args: JsonValue): Promise<JsonValue> {
    const run = this.#run(name, args);
    this.#open.add(run);
    const result = await run;
    this.#open.delete(run);
    return toAnswer(result);
  }

  /** Only of the outermost call: those of the others are among its own. */
  get steps(): readonly ChainStep[] | undefined {
    return this.#execution.call.chain === undefined ? this.#chain?.steps : undefined;
  }

  async close(): Promise<void> {
    this.#execution.signal.removeEventListener("abort", this.#abort);
    this.#abort();
    // What a call began ends before it does, so that its own end is the last of them.
    while (this.#open.size > 0) await Promise.allSettled(this.#open);
  }

  #find(name: string): RegisteredTool | undefined {
    const { plugin } = this.#execution.tool;
    const { registry } = this.#options.current();
    return (plugin !== undefined && !name.includes(".") ? registry.find(`${plugin}.${name}`) : undefined) ?? registry.find(name);
  }

  async #run(name: string, args: JsonValue): Promise<ToolResult> {
    const { call, tool: caller } = this.#execution;
    const { newId } = this.#options;
    const chain = (this.#chain ??= call.chain?.chain ?? new Chain(call.callId));
    this.#slots ??= createSlots(call.session.concurrency, QUEUE);
    const { index, end } = chain.begin();
    const place: ChainPlace = {
      chain,
      index,
      depth: (call.chain?.depth ?? 0) + 1,
      path: [...(call.chain?.path ?? []), caller.qualifiedName],
      parentCallId: call.callId,
      slots: this.#slots,
      holdsState: (call.chain?.holdsState ?? false) || keepsState(caller),
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
      // Asked of the person who is there for the outermost call; where a person may answer later, this call waits for that.
      ...(call.confirm && { confirm: call.confirm }),
      ...(call.onPending && { onPending: ignore }),
      ...this.#wishes(tool, index),
    });
    const result = await dispatch(step, this.#options.current(), this.#stop.signal);
    end({
      ...{ callId: step.callId, tool: result.tool, depth: place.depth, ok: result.ok, durationMs: result.durationMs },
      parentCallId: call.callId,
      ...(!result.ok && { code: result.error.code }),
    });
    return result;
  }

  /** The time that is left, and for guests what their caller has of time and randomness. */
  #wishes(tool: RegisteredTool | undefined, index: number): Pick<ToolCall, "timeoutMs" | "seed" | "timeMs" | "record"> {
    if (tool === undefined) return {};
    const { call } = this.#execution;
    const { policy } = this.#options.current();
    const leftMs = Math.max(1, Math.floor(this.#endsAtMs - this.#options.clock.monotonic()));
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

function ignore(): void {}

function toAnswer(result: ToolResult): StepAnswer {
  if (result.ok) return { ok: true, output: result.output };
  const { code, message } = result.error;
  return { ok: false, error: { code, message, tool: result.tool } };
}
