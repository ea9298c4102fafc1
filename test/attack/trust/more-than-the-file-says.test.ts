/** A checkout whose file both restricts and allows: without the user's trust, all its restrictions still apply. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MODES_BY_STRICTNESS } from "../../../host/call/strictness.ts";
import { intersectCompiled, uniteCompiled } from "../../../host/policy/combine.ts";
import { matchRules } from "../../../host/policy/match.ts";
import { confirmationMode } from "../../../host/policy/confirmation-mode.ts";
import { trustRequestsOf, withoutTrustRequests } from "../../../host/project/trust/trust-requests.ts";
import {
  compilePermissions,
  DEFAULT_LIMITS,
  evaluateAccess,
  LIMIT_NAMES,
  parseProject,
  type ProjectConfig,
} from "../../../manifests/mod.ts";
import { pluginToolOf } from "../../support/registered.ts";
import "../../support/seed.ts";

const TOOL = pluginToolOf("words", { name: "run", category: "data" });
const ROUTES = ["microvm", "wasm", "remote", "host"];
const BASES = { base: "/project" };
const PATHS = ["/project/a", "/project/a/b", "/project/c"];

const items = fc.oneof(fc.constant(true), fc.subarray(["a", "c"]));
const effect = fc.record(
  {
    allow: fc.boolean(),
    route: fc.constantFrom(...ROUTES),
    confirm: fc.constantFrom("auto", "prompt", "prompt_once", "deny"),
    dryRun: fc.boolean(),
    limits: fc.record({ wallMs: fc.constantFrom(5, 60_000, 90_000) }),
    grants: fc.record({ read: fc.record({ allow: items, deny: fc.subarray(["a/b", "c"], { minLength: 1 }) }, { requiredKeys: [] }) }),
    quota: fc.constant([{ per: "tool", windowMs: 1_000, calls: 1 }]),
  },
  { requiredKeys: [] },
);
const selector = fc.constantFrom({ tool: "words.run" }, { tool: "run" }, { plugin: "words" }, { category: "data" }, { group: "all" });
const rule = fc.tuple(selector, effect).map(([selected, said]) => ({ ...selected, ...said }));
const mode = fc.constantFrom("auto", "prompt", "prompt_once", "deny");
const file = fc.record({
  policy: fc.record({ default: effect, rules: fc.array(rule, { maxLength: 4 }) }),
  confirmation: fc.record(
    {
      default: fc.record({ none: mode }, { requiredKeys: [] }),
      perTool: fc.record({ run: mode }, { requiredKeys: [] }),
      trustedWorkspaces: fc.subarray(["."]),
      trustedWorkspaceOverrides: fc.record({ none: mode }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  ),
});

/** Returns how strict the file is for one tool: larger numbers are stricter. */
function strictness({ policy, confirmation }: ProjectConfig): Readonly<Record<string, number>> {
  const rules = matchRules(policy, TOOL);
  const granted = rules.grants.map((grants) => compilePermissions(grants, BASES));
  const permissions = uniteCompiled(granted.length === 0 ? [] : [granted.reduce(intersectCompiled)], BASES);
  const layer = { name: "user grant", permissions, unnamed: "none", otherwise: "prompt" } as const;
  const confirm = confirmationMode({
    tool: TOOL,
    class: "none",
    writesOnlyData: false,
    session: { workspace: "/project" },
    config: confirmation,
    ...(rules.confirm && { rule: rules.confirm }),
    isTrusted: () => confirmation.trustedWorkspaces.length > 0,
  });
  const states = ["granted", "prompt", "denied"];
  return {
    allow: rules.allow.value ? 0 : 1,
    route: -ROUTES.indexOf(rules.route?.value ?? "wasm"),
    dryRun: rules.dryRun?.value === true ? 1 : 0,
    confirm: -MODES_BY_STRICTNESS.indexOf(confirm.mode),
    quotas: rules.quotas.length,
    ...Object.fromEntries(LIMIT_NAMES.map((name) => [name, -(rules.limits[name] ?? DEFAULT_LIMITS[name])])),
    ...Object.fromEntries(PATHS.map((path) => [path, states.indexOf(evaluateAccess([layer], { kind: "read", path }).state)])),
  };
}

describe("a partly trusted file", () => {
  it("is never more lenient than the file itself, whichever part is trusted [P1.takes-away]", () => {
    fc.assert(
      fc.property(file, fc.infiniteStream(fc.boolean()), (options, agreed) => {
        const parsed = parseProject(JSON.stringify(options));
        if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
        const names = trustRequestsOf(parsed.value, () => false).map(({ name }) => name);
        const withheld = names.filter(() => agreed.next().value !== true);
        const [whole, left] = [strictness(parsed.value), strictness(withoutTrustRequests(parsed.value, new Set(withheld)))];
        const lenient = Object.keys(whole).filter((key) => (left[key] ?? 0) < (whole[key] ?? 0));
        expect(lenient).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});
