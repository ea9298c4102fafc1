import { expect, it } from "vitest";
import { matchesGlob } from "../../../host/policy/glob.ts";
import { matchRules } from "../../../host/policy/match.ts";
import { parseProject } from "../../../manifests/mod.ts";
import { pluginToolOf } from "../../support/registered.ts";
import { projectOf } from "../../support/test-host.ts";

const rules = (pattern: string): string => JSON.stringify({ policy: { rules: [{ pattern, allow: false }] } });

it.each(["(remove_all)", "remove_all|x", "^remove_all$", "[r]emove_all", "remove_al+l", "\\w+", "remove_all\n", "{remove_all}"])(
  "attack: the rule's pattern %j, a regular expression on other hosts, is refused [P2.pattern]",
  (pattern) => {
    expect(parseProject(rules(pattern))).toMatchObject({ ok: false, problems: [{ pointer: "/policy/rules/0/pattern" }] });
  },
);

it.each([".*", "remove.all"])("attack: the pattern %j matches literally, dots included [P2.pattern]", (pattern) => {
  const remove = pluginToolOf("files", { name: "remove_all", sideEffects: ["write"] });
  const { policy } = projectOf({ policy: { rules: [{ pattern, allow: false }] } });
  expect(matchRules(policy, remove).allow.value).toBe(true);
});

it("attack: a pattern with many stars and a name that almost matches keep the host busy [P2.cost]", () => {
  expect(matchesGlob(`${"*a".repeat(500)}*b`, "a".repeat(5_000))).toBe(false);
  expect(matchesGlob(`${"a*".repeat(500)}`, "a".repeat(5_000))).toBe(true);
  expect(matchesGlob(`${"?*".repeat(500)}!`, "a".repeat(5_000))).toBe(false);
});
