import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchRules } from "../../../host/policy/match.ts";
import type { JsonObject, PolicyRule } from "../../../manifests/mod.ts";
import { functionOf, pluginToolOf } from "../../support/registered.ts";
import { projectOf } from "../../support/test-host.ts";
import "../../support/seed.ts";

const grep = pluginToolOf("words", { name: "grep", category: "data", sideEffects: ["read"] });

function merged(rules: readonly JsonObject[], base: JsonObject = {}, tool = grep, groups: JsonObject = {}): ReturnType<typeof matchRules> {
  return matchRules(projectOf({ policy: { default: base, rules, groups } }).policy, tool);
}

describe("matchRules()", () => {
  it("allows everything without rules [P1]", () => {
    expect(merged([])).toMatchObject({ allow: { value: true, because: { layer: "default", rule: "default" } }, limits: {}, grants: [] });
  });

  it("lets the more specific selector win, field by field [P2]", () => {
    const bySpecificity: readonly JsonObject[] = [
      { tool: "words.grep" },
      { tool: "grep" },
      { plugin: "words" },
      { pattern: "words.gr*" },
      { pattern: "w*" },
      { category: "data" },
      { group: "group:read" },
    ];
    for (const [index, selector] of bySpecificity.entries()) {
      const rules = bySpecificity.slice(index).map((other, rank) => ({ ...other, limits: { operations: 100 - rank } }));
      expect(merged(rules.toReversed()).limits, JSON.stringify(selector)).toEqual({ operations: 100 });
    }
    expect(
      merged(
        [
          { tool: "grep", route: "host" },
          { plugin: "words", route: "remote", confirm: "prompt" },
        ],
        { limits: { wallMs: 5 } },
      ),
    ).toMatchObject({
      route: { value: "host", because: { layer: "rule", rule: "tool grep" } },
      confirm: { value: "prompt", because: { rule: "plugin words" } },
      limits: { wallMs: 5 },
    });
  });

  it("takes the stricter among equally specific rules [P2.equals]", () => {
    const rules = [
      { tool: "grep", route: "host", confirm: "auto", limits: { wallMs: 10, operations: 5 } },
      { tool: "grep", route: "wasm", confirm: "prompt_once", limits: { wallMs: 20 } },
    ];
    for (const order of [rules, rules.toReversed()]) {
      expect(merged(order)).toMatchObject({
        route: { value: "wasm" },
        confirm: { value: "prompt_once" },
        limits: { wallMs: 10, operations: 5 },
      });
    }
  });

  it("denies if any matching rule but the default does [P2.deny]", () => {
    expect(
      merged([
        { tool: "words.grep", allow: true },
        { group: "all", allow: false },
      ]).allow,
    ).toEqual({ value: false, because: { layer: "rule", rule: "group all" } });
    expect(merged([{ tool: "words.grep", allow: true }], { allow: false }).allow.value).toBe(true);
    expect(merged([{ tool: "other", allow: true }], { allow: false }).allow).toEqual({
      value: false,
      because: { layer: "default", rule: "default" },
    });
  });

  it("never allows a tool because a denial was added, in any order of rules [P2.order]", () => {
    const selector = fc.constantFrom<JsonObject>(
      { tool: "words.grep" },
      { tool: "grep" },
      { tool: "other" },
      { plugin: "words" },
      { pattern: "*" },
      { category: "data" },
      { group: "read" },
    );
    const rule = fc
      .tuple(selector, fc.record({ allow: fc.boolean(), route: fc.constantFrom("wasm", "host") }, { requiredKeys: [] }))
      .map(([which, effect]): PolicyRule => ({ ...which, ...effect }));
    const config = projectOf({}).policy;
    fc.assert(
      fc.property(
        fc.array(rule, { maxLength: 6 }),
        fc.array(fc.integer({ min: -1, max: 1 }), { minLength: 40, maxLength: 40 }),
        (rules, noise) => {
          let next = 0;
          const result = matchRules({ ...config, rules }, grep);
          const shuffled = rules.toSorted(() => noise[next++ % noise.length] ?? 0);
          expect(matchRules({ ...config, rules: shuffled }, grep).allow.value).toBe(result.allow.value);
          expect(matchRules({ ...config, rules: shuffled }, grep).route?.value).toBe(result.route?.value);
          expect(matchRules({ ...config, rules: [...rules, { pattern: "*", allow: false }] }, grep).allow.value).toBe(false);
        },
      ),
    );
  });

  it("matches a tool without a plugin by its bare name", () => {
    expect(merged([{ tool: "double", allow: false }], {}, functionOf("double")).allow.value).toBe(false);
  });

  it("resolves the project's groups, including patterns and nested groups [P4]", () => {
    const groups = { mine: ["words.*", "group:theirs"], theirs: ["double", "group:mine"] };
    expect(merged([{ group: "mine", allow: false }], {}, grep, groups).allow.value).toBe(false);
    expect(merged([{ group: "group:mine", allow: false }], {}, functionOf("double"), groups).allow.value).toBe(false);
    expect(merged([{ group: "mine", allow: false }], {}, functionOf("triple"), groups).allow.value).toBe(true);
  });

  it("sorts tools into the built-in groups [P4]", () => {
    const inGroup = (
      group: string,
      effects: readonly ("read" | "write" | "network" | "execute" | "system")[],
      category?: string,
    ): boolean =>
      !merged([{ group, allow: false }], {}, functionOf("t", { sideEffects: effects, ...(category !== undefined && { category }) })).allow
        .value;
    expect([inGroup("read", []), inGroup("read", ["read"]), inGroup("read", ["write"]), inGroup("read", ["network"])]).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect([inGroup("write", ["write"]), inGroup("write", ["execute"]), inGroup("write", ["system"]), inGroup("write", ["read"])]).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect([inGroup("web", [], "web"), inGroup("web", [], "math"), inGroup("all", [])]).toEqual([true, false, true]);
  });
});
