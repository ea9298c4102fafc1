import { describe, expect, it } from "vitest";
import { matchRules } from "../../../host/policy/match.ts";
import { pluginToolOf } from "../../support/registered.ts";
import { projectOf } from "../../support/test-host.ts";

const remove = pluginToolOf("files", { name: "remove_all", sideEffects: ["write"] });

describe("attack: a tool evades a pattern because its qualified name begins with the plugin's name", () => {
  it.each(["remove_*", "*_all", "files.*", "*"])("the pattern %j denies files.remove_all [P2.pattern]", (pattern) => {
    const { policy } = projectOf({ policy: { rules: [{ pattern, allow: false }] } });
    expect(matchRules(policy, remove).allow).toEqual({ value: false, because: { layer: "rule", rule: `pattern ${pattern}` } });
  });

  it.each(["remove", "emove_*", "other.*"])("the pattern %j does not [P2.pattern]", (pattern) => {
    const { policy } = projectOf({ policy: { rules: [{ pattern, allow: false }] } });
    expect(matchRules(policy, remove).allow.value).toBe(true);
  });
});
