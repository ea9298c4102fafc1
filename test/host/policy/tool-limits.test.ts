import { describe, expect, it } from "vitest";
import { limitHint, withLimitHint } from "../../../host/call/limit-hint.ts";
import { decideLimits, loadRule, type LimitSources } from "../../../host/policy/tool-limits.ts";
import { resourceExhausted, wallTimeout } from "../../../host/call/errors.ts";
import { DEFAULT_LIMITS, LIMIT_CEILINGS, type LimitRequest } from "../../../manifests/mod.ts";
import type { RegisteredTool } from "../../../host/tools/tool.ts";
import { functionOf, pluginToolOf } from "../../support/registered.ts";

const MIB = 1024 * 1024;
const ASKS: LimitRequest = { memoryBytes: 256 * MIB, cpuMs: 60_000, operations: 5 };
const big = pluginToolOf("words", { name: "big", timeoutMs: 90_000 }, { manifest: { limits: ASKS } });

function decided(tool: RegisteredTool, sources: Partial<LimitSources> = {}): ReturnType<typeof decideLimits> {
  return decideLimits(tool, { rules: {}, accepted: {}, classWallMs: DEFAULT_LIMITS.wallMs, ...sources });
}

describe("decideLimits()", () => {
  it("gives a plugin the defaults, or less if it requests less, until the user accepts more [B3.requests]", () => {
    expect(decided(big)).toEqual({
      limits: { ...DEFAULT_LIMITS, operations: 5 },
      lacking: [
        { limit: "wallMs", asked: 90_000, allowed: 30_000, by: "consent" },
        { limit: "cpuMs", asked: 60_000, allowed: 10_000, by: "consent" },
        { limit: "memoryBytes", asked: 256 * MIB, allowed: 64 * MIB, by: "consent" },
      ],
    });
  });

  it("gives what the user accepted, and no more than the plugin requests [B3.requests]", () => {
    const accepted = { memoryBytes: 100 * MIB, cpuMs: 120_000, wallMs: 90_000, outputBytes: 16 * MIB };
    expect(decided(big, { accepted })).toEqual({
      limits: { ...DEFAULT_LIMITS, wallMs: 90_000, cpuMs: 60_000, memoryBytes: 100 * MIB, operations: 5 },
      lacking: [{ limit: "memoryBytes", asked: 256 * MIB, allowed: 100 * MIB, by: "consent" }],
    });
  });

  it("lets a rule replace both: it allows more, or less than was accepted [B3.policy]", () => {
    const rules = { memoryBytes: 512 * MIB, cpuMs: 5_000, wallMs: 80_000 };
    expect(decided(big, { rules, accepted: { cpuMs: 60_000 } })).toEqual({
      limits: { ...DEFAULT_LIMITS, wallMs: 80_000, cpuMs: 5_000, memoryBytes: 256 * MIB, operations: 5 },
      lacking: [
        { limit: "wallMs", asked: 90_000, allowed: 80_000, by: "policy" },
        { limit: "cpuMs", asked: 60_000, allowed: 5_000, by: "policy" },
      ],
    });
  });

  it("needs no consent for limits of the program's own tools and for the caller's timeout [B3.own] [T2]", () => {
    const own = functionOf("own", { timeoutMs: 500_000 });
    expect(decided(own)).toEqual({ limits: { ...DEFAULT_LIMITS, wallMs: 500_000 }, lacking: [] });
    const { limits, lacking } = decided(big, { timeoutMs: 200_000 });
    expect([limits.wallMs, limits.cpuMs, lacking.map(({ limit }) => limit)]).toEqual([200_000, 10_000, ["cpuMs", "memoryBytes"]]);
    expect(decided(big, { timeoutMs: 200_000, rules: { wallMs: 1_000 } }).limits.wallMs).toBe(1_000);
  });

  it("treats the class default of the route as the default, and never exceeds the ceiling [B3.requests] [T2]", () => {
    const most = pluginToolOf("words", { name: "most", timeoutMs: 600_000 }, { manifest: { limits: { memoryBytes: 9e12 } } });
    expect(decided(most, { classWallMs: 600_000 })).toEqual({
      limits: { ...DEFAULT_LIMITS, wallMs: 600_000 },
      lacking: [{ limit: "memoryBytes", asked: LIMIT_CEILINGS.memoryBytes, allowed: 64 * MIB, by: "consent" }],
    });
  });
});

describe("loadRule()", () => {
  const rules = [
    { plugin: "words", limits: { loadMs: 20_000, cpuMs: 1 } },
    { plugin: "words", limits: { loadMs: 9_000 } },
    { tool: "words.big", limits: { loadMs: 1 } },
    { plugin: "calm", limits: { cpuMs: 1 } },
  ];

  it("takes the strictest rule that names the plugin, else the default's [AX6.load]", () => {
    const usual = { limits: { loadMs: 7_000 } };
    expect(["words", "calm", "other"].map((plugin) => loadRule({ rules, default: usual }, plugin))).toEqual([
      { loadMs: 9_000 },
      { loadMs: 7_000 },
      { loadMs: 7_000 },
    ]);
    expect(loadRule({ rules, default: {} }, "calm")).toEqual({});
  });
});

describe("withLimitHint()", () => {
  const { lacking } = decided(big, { rules: { cpuMs: 10_000 } });
  const call = { plugin: "words", lacking };

  it("names what a plugin requests and the smallest change that allows it [X3.limits]", () => {
    expect(withLimitHint(wallTimeout(30_000), call).hint).toEqual({
      command: "bascule accept words",
      text: 'Plugin "words" requests wallMs 90 s, but 30 s is allowed',
    });
    expect(withLimitHint(resourceExhausted("cpuMs", 10_000), call).hint).toEqual({
      text: 'Plugin "words" requests cpuMs 60 s, but 10 s is allowed by a rule of "policy" (to allow it, set {"cpuMs":60000} in the rule\'s "limits")',
    });
  });

  it("adds no hint if the plugin requests no more, or the limit is a quota [X3.limits]", () => {
    const quota = resourceExhausted("memoryBytes", 1);
    const errors = [resourceExhausted("outputBytes", 1), { ...quota, details: { ...quota.details, windowMs: 1 } }];
    expect(errors.map((error) => withLimitHint(error, call))).toEqual(errors);
    expect([limitHint("memoryBytes", {}), limitHint("operations", call), limitHint("__proto__", call)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
