import { afterEach, describe, expect, it } from "vitest";
import { createHost, type Host, type TurnResponse } from "../../../../host/mod.ts";
import { memoryPlatform } from "../../../support/memory-platform.ts";
import { chainHost } from "../../../support/chain-host.ts";
import { hostTool } from "../../../support/tools.ts";

const hosts: Host[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.close();
});

const CHAIN = { callers: ["direct", "chain"] } as const;

interface Seen {
  readonly host: Host;
  /** `+name` when a tool begins and `-name` when it ends. */
  readonly order: string[];
}

/** Makes `look` and `see` each wait until the other runs. */
function meeting(order: readonly string[]): () => Promise<void> {
  let both: () => void = () => {};
  const met = new Promise<void>((resolve) => (both = resolve));
  return async () => {
    if (order.includes("+look") && order.includes("+see")) both();
    await met;
  };
}

async function start(): Promise<Seen> {
  const order: string[] = [];
  const run =
    (name: string, act: () => Promise<void> = async () => {}) =>
    async () => {
      order.push(`+${name}`);
      await act();
      order.push(`-${name}`);
      return name;
    };
  const meet = meeting(order);
  const host = await createHost({
    platform: memoryPlatform(),
    config: { confirmation: { default: { write: "auto" } } },
    tools: [
      hostTool("look", {}, run("look", meet)),
      hostTool("see", {}, run("see", meet)),
      hostTool("write", { ...CHAIN, sideEffects: ["write"] }, run("write")),
      hostTool("move", { ...CHAIN, sideEffects: ["write"] }, run("move")),
      hostTool("alone", { sideEffects: ["write"] }, run("alone")),
    ],
  });
  hosts.push(host);
  return { host, order };
}

const shape = ({ toolChains }: TurnResponse): unknown =>
  toolChains.map(({ modeRequested, modeUsed, fallbackToSeq, parallelMutationsEnabled, waves, steps }) => ({
    ...{ modeRequested, modeUsed, fallbackToSeq, parallelMutationsEnabled, waves },
    steps: steps.map(({ tool, ok }) => `${ok ? "" : "!"}${tool}`),
  }));

describe("host.turn()", () => {
  it("runs a chain in waves: read-only steps together, every other step alone [K6.waves] [AU6.metadata]", async () => {
    const { host, order } = await start();
    const calls = ["look", "see", "write", "move", "echo"].map((tool) => ({ tool, args: tool === "echo" ? { text: "x" } : {} }));
    const turn = await host.turn(calls, { mode: "chain" });
    expect(turn.results.map(({ ok, chain }) => [ok, chain?.chainIndex])).toEqual([
      [true, 0],
      [true, 1],
      [true, 2],
      [true, 3],
      [true, 4],
    ]);
    expect(order.slice(4)).toEqual(["+write", "-write", "+move", "-move"]);
    expect(shape(turn)).toEqual([
      {
        ...{ modeRequested: "parallel", modeUsed: "parallel", fallbackToSeq: false, parallelMutationsEnabled: false },
        waves: [[0, 1], [2], [3], [4]],
        steps: ["look", "see", "write", "move", "echo"],
      },
    ]);
    expect(turn.results.every(({ chain }) => chain?.chainId === turn.toolChains[0]?.chainId)).toBe(true);
  });

  it("runs steps that change something one after the other, and together if the caller allows it [K6.mutations] [AU6.metadata]", async () => {
    const { host } = await start();
    const calls = [{ tool: "write" }, { tool: "move" }];
    const expected = { modeRequested: "parallel", steps: ["write", "move"] };
    expect(shape(await host.turn(calls, { mode: "chain" }))).toEqual([
      { ...expected, modeUsed: "sequential", fallbackToSeq: true, parallelMutationsEnabled: false, waves: [[0], [1]] },
    ]);
    expect(shape(await host.turn(calls, { mode: "chain", parallelMutations: true }))).toEqual([
      { ...expected, modeUsed: "parallel", fallbackToSeq: false, parallelMutationsEnabled: true, waves: [[0, 1]] },
    ]);
  });

  it("runs the steps one after the other on request [K6.waves] [AU6.metadata]", async () => {
    const { host } = await start();
    const calls = ["a", "b"].map((text) => ({ tool: "echo", args: { text } }));
    expect(shape(await host.turn(calls, { mode: "chain", sequential: true }))).toEqual([
      {
        ...{ modeRequested: "sequential", modeUsed: "sequential", fallbackToSeq: false, parallelMutationsEnabled: false },
        ...{ waves: [[0], [1]], steps: ["echo", "echo"] },
      },
    ]);
  });

  it("stops after the first wave that fails; the remaining steps have a result and a record [K6.stop]", async () => {
    const { host, order } = await start();
    const turn = await host.turn([{ tool: "write" }, { tool: "alone" }, { tool: "move" }], { mode: "chain", turn: "t1" });
    expect(turn.turnId).toBe("t1");
    expect(turn.results.map((result) => (result.ok ? "ok" : result.error.code))).toEqual(["ok", "permission_denied", "cancelled"]);
    expect(turn.results[2]).toMatchObject({ error: { message: expect.stringContaining("alone (permission_denied)") } });
    expect(order).toEqual(["+write", "-write"]);
    expect((await host.callAll([{ tool: "alone" }], { mode: "chain" }))[0]).toMatchObject({ ok: false });
  });

  it("of plain calls is direct, and returns the chains that they started [K6.direct] [AU6.turn]", async () => {
    const order: string[] = [];
    const meet = meeting(order);
    const tools = ["look", "see"].map((name) =>
      hostTool(name, {}, async () => {
        order.push(`+${name}`);
        await meet();
        return name;
      }),
    );
    const plugin = {
      main: `export const both = (_args, { tools }) => Promise.all([tools.call("look"), tools.call("see")]);
        export const none = () => 1;`,
      tools: { both: {}, none: {} },
      calls: ["look", "see"],
    };
    await using made = await chainHost({ p: plugin }, { tools });
    const turn = await made.host.turn([{ tool: "p.both" }, { tool: "p.none" }]);
    expect(turn.results.map(({ ok, chain }) => [ok, chain])).toEqual([
      [true, undefined],
      [true, undefined],
    ]);
    expect(shape(turn)).toEqual([
      {
        ...{ modeRequested: "parallel", modeUsed: "parallel", fallbackToSeq: false, parallelMutationsEnabled: true },
        ...{ waves: [[0, 1]], steps: ["look", "see"] },
      },
    ]);
    expect(turn.toolChains[0]?.chainId).toBe(turn.results[0]?.callId);
  });
});
