import { describe, expect, it } from "vitest";
import { CASES } from "./cases.ts";
import { type Evidence, type HostEvidence, judge } from "./judge.ts";

const MIB = 2 ** 20;
const IDLE = { sleep: [100, 101, 102] };
const QUIET = { calls: [], probe: "pid 2\n" };

/** Rounds of a second each, from 1,000 on. */
function host(slowest: readonly number[], probe: readonly string[] = [], peakMb = 100): HostEvidence {
  return {
    played: {
      idle: IDLE,
      wrong: [],
      ends: {},
      rounds: slowest.map((sleep, nth) => ({
        of: "",
        beginAt: (nth + 1) * 1_000,
        endAt: (nth + 1) * 1_000 + 900,
        calls: { sleep: [sleep] },
      })),
    },
    probe: ["pid 1", ...probe].join("\n"),
    outside: [sampleAt(500, 100), sampleAt(1_500, peakMb)],
    log: "",
  };
}

/** An idle machine. */
function sampleAt(at: number, mb: number): HostEvidence["outside"][number] {
  return { at, residentBytes: mb * MIB, cpuMs: 0, machineMs: 2 * at, idleMs: 2 * at };
}

function problemsOf(hosts: readonly HostEvidence[], control: Evidence["control"] = QUIET): readonly string[] {
  return judge({ wanted: { name: "x", growthMb: 50 }, mode: "threads", hosts, control }).problems;
}

describe("the verdict on a host's liveness", () => {
  it("treats calls as delayed if they take more than three times as long as alone, in most rounds [LV1.judge]", () => {
    expect(problemsOf([host([300, 299, 5_000])])).toEqual([]);
    expect(problemsOf([host([310, 299, 5_000])])).toEqual(["Canary sleep 310 (alone 101.0, beside 0) ms"]);
    expect(problemsOf([host([5_000]), host([5_000]), host([100])])).toHaveLength(1);
  });

  it("multiplies the bounds by the leeway [LV1.judge]", () => {
    const control: Evidence["control"] = QUIET;
    const evidence = { wanted: { name: "x", growthMb: 50 }, mode: "threads", control, leeway: 4 };
    expect(judge({ ...evidence, hosts: [host([1_200, 1_200, 1_200])] }).problems).toEqual([]);
    expect(judge({ ...evidence, hosts: [host([1_220, 1_220, 1_220])] }).problems).toHaveLength(1);
  });

  it("weighs a call by its duration [LV1.judge]", () => {
    const evidence = (times: readonly number[]): HostEvidence => {
      const { played, ...rest } = host([100, 100, 100]);
      return { ...rest, played: played && { ...played, rounds: played.rounds.map((round) => ({ ...round, calls: { sleep: times } })) } };
    };
    expect(problemsOf([evidence([...Array<number>(16).fill(100), 400])])).toEqual([]);
    expect(problemsOf([evidence([...Array<number>(4).fill(100), 400])])).toHaveLength(1);
  });

  it("attributes delays of the control host to the machine [LV1.judge]", () => {
    const calls = [1_000, 2_000, 3_000].map((beginAt) => ({ tool: "sleep", beginAt, endAt: beginAt + 200 }));
    expect(problemsOf([host([590, 590, 590])], { calls, probe: "" })).toEqual([]);
    expect(problemsOf([host([610, 610, 610])], { calls, probe: "" })).toHaveLength(1);
  });

  it("allows for processor time used by others [LV1.judge]", () => {
    const busy = (took: number, cpuMs: number): HostEvidence => ({
      ...host([took]),
      outside: [
        { at: 1_000, residentBytes: 0, cpuMs: 0, machineMs: 0, idleMs: 0 },
        { at: 1_900, residentBytes: 0, cpuMs, machineMs: 1_800, idleMs: 100 },
      ],
    });
    expect(problemsOf([busy(370, 800)])).toEqual([]);
    expect(problemsOf([busy(390, 800)])).toHaveLength(1);
    expect(problemsOf([busy(450, 0)])).toEqual([]);
    expect(problemsOf([busy(460, 0)])).toHaveLength(1);
  });

  it("reports a loop held for more than 50 ms in most rounds, beyond the idle thread [LV1.judge]", () => {
    const held = (ms: number, idle: number): readonly string[] =>
      [1_500, 2_500].flatMap((at) => [`loop ${at} ${ms}`, `idle ${at} ${idle}`]);
    const rounds = [100, 100, 100];
    expect(problemsOf([host(rounds, held(55, 10))])).toEqual([]);
    expect(problemsOf([host(rounds, held(65, 10))])).toEqual(["The event loop was held for 55 ms"]);
    expect(problemsOf([host(rounds, ["loop 1500 5000"])])).toEqual([]);
    expect(problemsOf([host(rounds, held(65, 0))], { calls: [], probe: held(20, 0).join("\n") })).toEqual([]);
    // Nothing attacks the host between rounds.
    expect(problemsOf([host(rounds, ["loop 1950 900", "loop 2950 900", "loop 3950 900"])])).toEqual([]);
  });

  it("fails on memory growth above the case's bound, wrong answers and a lost host [LV1.judge]", () => {
    expect(problemsOf([host([100], [], 150)])).toEqual([]);
    expect(problemsOf([host([100], [], 151)])).toEqual(["Memory grew by 51 MB, not by 50 at most"]);
    const { played, ...lost } = host([100]);
    expect(problemsOf([{ ...lost, played: undefined, log: "the end\n" }])).toEqual(["The host did not come back: the end"]);
    expect(problemsOf([{ ...lost, played: played && { ...played, wrong: ["brief: Error: timeout"] } }])).toEqual([
      "Canary brief: Error: timeout",
    ]);
  });
});

describe("the table of the liveness suite", () => {
  it("names each case once, and finds the hostile programs of the other attacks [LV1.table]", () => {
    const names = CASES.map(({ name }) => name);
    expect(names.filter((name, nth) => names.indexOf(name) !== nth)).toEqual([]);
    for (const name of [
      "program.native.1",
      "program.apis.6",
      "program.deep-recursion",
      "program.promise-bombs",
      "program.operation-floods",
    ])
      expect(names).toContain(name);
  });
});
