import { describe, expect, it } from "vitest";
import { confirmationMode } from "../../../host/policy/confirmation-mode.ts";
import { createSession } from "../../../host/call/session.ts";
import { matchRules } from "../../../host/policy/match.ts";
import { createPolicy } from "../../../host/policy/policy.ts";
import { createRegistry } from "../../../host/tools/registry.ts";
import type { RegisteredTool } from "../../../host/tools/tool.ts";
import type { JsonObject } from "../../../manifests/mod.ts";
import { projectOf } from "../../support/test-host.ts";
import { pluginVersion, publishedTools } from "../../support/tools.ts";

/** Tools of a loaded plugin, and of one that was added later with a tool of the same name. */
function twoOfAName(): { readonly own: RegisteredTool; readonly late: RegisteredTool } {
  const registry = createRegistry({ newId: () => String(Math.random()) });
  registry.keepNames();
  for (const name of ["zebra", "aardvark"]) {
    registry.replaceOwner(name, publishedTools(pluginVersion(name, { tools: [{ name: "deploy", sideEffects: ["write", "execute"] }] })));
    registry.snapshot();
  }
  return { own: registry.get("deploy"), late: registry.get("aardvark.deploy") };
}

const GRANTS = { write: { allow: ["/srv"], deny: ["/srv/keys"] } };
const LOOSE = { allow: true, confirm: "auto", route: "host", limits: { wallMs: 600_000, operations: 5 }, grants: GRANTS, dryRun: false };

describe("attack: a new plugin has a tool with the name of an allowed tool", () => {
  it("keeps the name with its first owner", () => {
    const { own, late } = twoOfAName();
    expect([own.owner, own.yieldsTo, late.owner, late.yieldsTo]).toEqual(["zebra", undefined, "aardvark", "zebra"]);
  });

  it.each<[what: string, selector: JsonObject]>([
    ["tool", { tool: "deploy" }],
    ["pattern", { pattern: "deploy" }],
    ["wide pattern", { pattern: "dep*" }],
    ["group", { group: "mine" }],
  ])("a rule by the %s loosens nothing for the new tool, and its restrictions apply to both [P2.bare]", (_what, selector) => {
    const { own, late } = twoOfAName();
    const groups = { mine: ["deploy"] };
    const base = { allow: false };
    const merged = (tool: RegisteredTool, effect: JsonObject): ReturnType<typeof matchRules> =>
      matchRules(projectOf({ policy: { default: base, rules: [{ ...selector, ...effect }], groups } }).policy, tool);
    expect(merged(own, LOOSE)).toMatchObject({
      allow: { value: true },
      confirm: { value: "auto" },
      route: { value: "host" },
      grants: [GRANTS],
    });
    expect(merged(late, LOOSE)).toMatchObject({
      allow: { value: false },
      grants: [{ write: { deny: ["/srv/keys"] } }],
      limits: { operations: 5 },
    });
    expect(Object.keys(merged(late, LOOSE))).toEqual(["allow", "limits", "grants", "quotas", "matched"]);
    const strict = { allow: false, confirm: "prompt", route: "wasm", limits: { operations: 5 }, dryRun: true };
    for (const tool of [own, late])
      expect(merged(tool, strict)).toMatchObject({
        ...{ allow: { value: false, because: { layer: "rule" } }, confirm: { value: "prompt" }, route: { value: "wasm" } },
        ...{ limits: { operations: 5 }, dryRun: { value: true } },
      });
    // The qualified name selects the new tool.
    const named = projectOf({ policy: { rules: [{ tool: "aardvark.deploy", ...LOOSE }] } }).policy;
    expect(matchRules(named, late)).toMatchObject({ confirm: { value: "auto" }, grants: [GRANTS] });
  });

  it.each<[what: string, layer: JsonObject, own: string, late: string]>([
    ["a layer allows", { allow: ["deploy"] }, "allow", "deny"],
    ["a layer allows by a group", { allow: ["group:mine"] }, "allow", "deny"],
    ["a layer denies", { deny: ["deploy"] }, "deny", "deny"],
    ["a layer denies by a group", { deny: ["group:mine"] }, "deny", "deny"],
  ])("%s: the new tool gets no more than before [P3.bare]", (_what, rules, own, late) => {
    const tools = twoOfAName();
    const policy = createPolicy({
      root: "/project",
      project: projectOf({
        policy: { layers: [{ name: "l", level: "global", ...rules }], groups: { mine: ["deploy"] } },
        confirmation: { default: { execute: "auto" } },
      }),
      grants: { find: () => ({ write: true, run: true }) },
    });
    const session = createSession({ id: "s", workspace: "/w" });
    expect([policy.decide(tools.own, { session }).kind, policy.decide(tools.late, { session }).kind]).toEqual([own, late]);
  });

  it.each([
    ["perTool", {}, { perTool: { deploy: "auto" } }, ["auto", "prompt"]],
    ["perTool with prompt_once", {}, { perTool: { deploy: "prompt_once" } }, ["prompt_once", "prompt"]],
    ["perTool with prompt", { execute: "auto" }, { perTool: { deploy: "prompt" } }, ["prompt", "prompt"]],
    ["perTool with deny", { execute: "auto" }, { perTool: { deploy: "deny" } }, ["deny", "deny"]],
  ] as const)("%s: fewer confirmations apply only to the tool that owns the name [E1.bare]", (_what, byClass, table, expected) => {
    const tools = twoOfAName();
    const config = projectOf({ confirmation: { default: byClass, ...table } }).confirmation;
    const modes = [tools.own, tools.late].map(
      (tool) =>
        confirmationMode({ tool, class: "execute", writesOnlyData: false, session: { workspace: "/w" }, config, isTrusted: () => false })
          .mode,
    );
    expect(modes).toEqual(expected);
  });
});
