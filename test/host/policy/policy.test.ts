import { describe, expect, it } from "vitest";
import { createPolicy, type PolicyOptions, type ProjectPolicy } from "../../../host/policy/policy.ts";
import type { CallGrant } from "../../../host/call/grant.ts";
import { createSession } from "../../../host/call/session.ts";
import type { RegisteredTool } from "../../../host/tools/tool.ts";
import { type AccessQuery, evaluateAccess, type JsonObject, type Permissions } from "../../../manifests/mod.ts";
import { builtinOf, functionOf, pluginToolOf } from "../../support/registered.ts";
import { projectOf } from "../../support/test-host.ts";

const session = createSession({ id: "s", workspace: "/w" });

interface Wish extends Partial<Omit<PolicyOptions, "project">> {
  readonly project?: JsonObject;
  readonly stored?: Permissions;
}

function policy({ project = {}, stored, ...options }: Wish = {}): ProjectPolicy {
  return createPolicy({
    root: "/project",
    project: projectOf(project),
    grants: { find: (plugin, directory) => (directory === `/plugins/${plugin}` ? stored : undefined) },
    ...options,
  });
}

function allowed(
  tool: RegisteredTool,
  wanted: Wish = {},
  timeoutMs?: number,
): Extract<ReturnType<ProjectPolicy["decide"]>, { kind: "allow" | "ask" }> {
  const decision = policy(wanted).decide(tool, { session, ...(timeoutMs !== undefined && { timeoutMs }) });
  if (decision.kind === "deny") throw new Error("denied");
  return decision;
}

function state(tool: RegisteredTool, query: AccessQuery, wanted: Wish = {}): string {
  const { state: answer, decidedBy } = evaluateAccess(allowed(tool, wanted).grant.layers, query);
  return answer === "granted" ? "granted" : `${answer} by ${decidedBy.layer}`;
}

const readsAll = { permissions: { read: ["$workspace"], write: ["$workspace"] } } as const;
const reader = pluginToolOf("words", { name: "grep", sideEffects: ["read"] }, readsAll);
const writer = pluginToolOf("words", { name: "save", sideEffects: ["write"] }, readsAll);
const file = { kind: "read", path: "/w/a.txt" } as const;
const write = { kind: "write", path: "/w/a.txt" } as const;

describe("createPolicy()", () => {
  it("asks for a tool that writes only its plugin's data, unless the sandbox holds it to that [AX3.confirm]", () => {
    const requests = { permissions: { read: ["$workspace", "$data"], write: ["$data/notes"] } } as const;
    const keeper = pluginToolOf("words", { name: "keep", sideEffects: ["read", "write"] }, requests);
    const native = { project: { policy: { rules: [{ plugin: "words", route: "host" }] } } } as const;
    const both = pluginToolOf("words", { name: "keep", sideEffects: ["write"] }, { permissions: { write: ["$data", "notes"] } });
    const sends = pluginToolOf("words", { name: "keep", sideEffects: ["write", "network"] }, requests);
    expect([allowed(keeper), allowed(keeper, native), allowed(both), allowed(sends)].map(({ kind }) => kind)).toEqual([
      "allow",
      "ask",
      "ask",
      "ask",
    ]);
  });

  it("resolves ~ in trustedWorkspaces to the home folder [SR1.trusted]", () => {
    const folders = { data: "/state/data", tmp: "/tmp", home: "/home/me" };
    const modes = ["~", "~/work", "~other", "/home/me/work/deep"].map((trusted) => {
      const asked = policy({ project: { confirmation: { trustedWorkspaces: [trusted] } }, stored: { write: true }, folders });
      return asked.decide(writer, { session: createSession({ id: "s", workspace: "/home/me/work" }) }).kind;
    });
    expect(modes).toEqual(["allow", "allow", "ask", "ask"]);
  });

  it("puts plugins on the wasm route, built-ins and functions on the host route [P1, O2]", () => {
    expect([reader, functionOf("f"), builtinOf("echo")].map((tool) => allowed(tool).route)).toEqual(["wasm", "host", "host"]);
    expect(allowed(functionOf("f"), { project: { policy: { default: { route: "wasm" } } } }).route).toBe("host");
    expect(allowed(functionOf("f"), { project: { policy: { rules: [{ tool: "f", route: "remote" }] } } }).route).toBe("remote");
    expect(allowed(reader, { project: { policy: { rules: [{ plugin: "words", route: "host" }] } } }).route).toBe("host");
  });

  it("grants a plugin nothing until the user does [C2]", () => {
    expect(state(reader, file)).toBe("prompt by user grant");
    expect(state(reader, file, { stored: { read: ["$workspace"] } })).toBe("granted");
    expect(state(reader, file, { stored: { read: ["/w/b.txt"] } })).toBe("prompt by user grant");
  });

  it("keeps the host's own files from tools in every spelling, on file systems that ignore case [C4.case]", () => {
    const paths = [
      { access: "write" as const, path: "/w/bascule.json" },
      { access: "read" as const, path: "/w/.bascule", except: "/w/.bascule/data" },
    ];
    const wanted: Wish = {
      stored: { read: ["$workspace"], write: ["$workspace"] },
      protect: [{ name: "host state", pluginsOnly: false, paths }],
    };
    expect(state(writer, { kind: "write", path: "/w/BASCULE.json" }, wanted)).toBe("denied by host state");
    expect(state(writer, { kind: "read", path: "/w/.Bascule/grants.json" }, wanted)).toBe("denied by host state");
    expect(state(writer, { kind: "read", path: "/w/.bascule/data/x" }, wanted)).toBe("granted");
    expect(state(writer, { kind: "read", path: "/w/.bascule/DATA/x" }, wanted)).toBe("denied by host state");
    expect(state(writer, { kind: "write", path: "/w/bascule.json.md" }, wanted)).toBe("granted");
  });

  it("returns the outlook without reading grants, and the same object while session and limits are the same [LV2.listings]", () => {
    const looks: string[] = [];
    const grants = { find: (plugin: string): undefined => void looks.push(plugin) };
    const decided = policy({ grants });
    const outlook = decided.outlook(reader, { session });
    expect([outlook === decided.outlook(reader, { session }), looks]).toEqual([true, []]);

    const decision = decided.decide(reader, { session });
    expect([decision === decided.decide(reader, { session }), looks]).toEqual([true, ["words", "words"]]);
    if (decision.kind === "deny") throw new Error("denied");
    const { grant, ...rest } = decision;
    expect([rest, grant.layers.length > 0]).toEqual([outlook, true]);
  });

  it("never grants more than the manifest requests [C2]", () => {
    const modest = pluginToolOf("words", { name: "grep", sideEffects: ["read"] }, { permissions: { read: ["$workspace/docs"] } });
    expect(state(modest, file, { stored: { read: true } })).toBe("denied by manifest");
    expect(state(modest, { kind: "read", path: "/w/docs/a" }, { stored: { read: true } })).toBe("granted");
    const none = pluginToolOf("words", { name: "grep", sideEffects: ["read"] });
    expect(state(none, file, { stored: { read: true } })).toBe("denied by manifest");
  });

  it("narrows the grant to the tool's own request [C2, PA3]", () => {
    const narrow = pluginToolOf("words", { name: "grep", sideEffects: ["read"], permissions: { read: ["$workspace/docs"] } }, readsAll);
    expect(state(narrow, file, { stored: { read: true } })).toBe("denied by tool");
    expect(state(narrow, { kind: "read", path: "/w/docs/a" }, { stored: { read: true } })).toBe("granted");
  });

  it("denies writing to a tool that does not declare it, whatever the plugin holds [P8]", () => {
    const stored = { read: true, write: true, net: true } as const;
    expect(state(reader, write, { stored })).toBe("denied by class");
    expect(state(writer, write, { stored })).toBe("granted");
    const greedy = pluginToolOf("words", { name: "grep", sideEffects: ["read"] }, { permissions: { net: true } });
    expect(state(greedy, { kind: "net", host: "example.com" }, { stored })).toBe("denied by class");
  });

  it("adds up grants of the store, the run and the rules [P2, C3]", () => {
    const project = { policy: { rules: [{ tool: "words.grep", grants: { read: ["/w/c"] } }] } };
    const runGrants = { base: "/w", all: { read: ["b"] }, perPlugin: new Map([["words", { read: ["d"] }]]) };
    const wanted: Wish = { stored: { read: ["/w/a.txt"] }, project, runGrants };
    expect(["/w/a.txt", "/w/b", "/w/c", "/w/d", "/w/e"].map((path) => state(reader, { kind: "read", path }, wanted))).toEqual([
      "granted",
      "granted",
      "granted",
      "granted",
      "prompt by user grant",
    ]);
    expect(state(writer, { kind: "read", path: "/w/c" }, { project })).toBe("prompt by user grant");
  });

  it("resolves grants of rules against the project's folder, and grants of the run against their own base [PA2]", () => {
    const wanted: Wish = {
      project: { policy: { rules: [{ plugin: "words", grants: { read: ["docs"] } }] } },
      runGrants: { base: "/w/sub", all: { read: ["docs"] } },
    };
    const everything = pluginToolOf("words", { name: "grep", sideEffects: ["read"] }, { permissions: { read: true } });
    expect(["/project/docs/a", "/w/sub/docs/a", "/w/docs/a"].map((path) => state(everything, { kind: "read", path }, wanted))).toEqual([
      "granted",
      "granted",
      "prompt by user grant",
    ]);
  });

  it("takes the stricter of equally specific rules that both grant [P2.equals]", () => {
    const rules = [
      { tool: "words.grep", grants: { read: ["/w/a", "/w/b"] } },
      { tool: "words.grep", grants: { read: ["/w/b", "/w/c"] } },
    ];
    expect(["/w/a", "/w/b", "/w/c"].map((path) => state(reader, { kind: "read", path }, { project: { policy: { rules } } }))).toEqual([
      "prompt by user grant",
      "granted",
      "prompt by user grant",
    ]);
  });

  it("applies denials of the run to every tool, built-ins included [C3]", () => {
    const wanted: Wish = { stored: { read: true }, runGrants: { base: "/w", denied: { read: { deny: ["secret"] } } } };
    expect(state(reader, { kind: "read", path: "/w/secret/x" }, wanted)).toBe("denied by --deny");
    expect(state(builtinOf("read_file", { sideEffects: ["read"] }), { kind: "read", path: "/w/secret/x" }, wanted)).toBe(
      "denied by --deny",
    );
    expect(state(reader, file, wanted)).toBe("granted");
  });

  it("grants built-ins read and write in the session's workspace, and nothing else [C2]", () => {
    const tool = builtinOf("write_file", { sideEffects: ["write"] });
    expect([state(tool, write), state(tool, { kind: "write", path: "/etc/x" }), state(tool, { kind: "net", host: "example.com" })]).toEqual(
      ["granted", "denied by builtin", "denied by builtin"],
    );
    expect(state(builtinOf("read_file", { sideEffects: ["read"] }), write)).toBe("denied by class");
  });

  it("applies a changed grant to the next call", () => {
    let stored: Permissions | undefined;
    const changing = createPolicy({ root: "/project", grants: { find: () => stored } });
    const ask = (): string => {
      const decision = changing.decide(reader, { session });
      return decision.kind === "deny" ? "denied" : evaluateAccess(decision.grant.layers, file).state;
    };
    expect(ask()).toBe("prompt");
    stored = { read: true };
    expect(ask()).toBe("granted");
    stored = undefined;
    expect(ask()).toBe("prompt");
  });

  it("applies what the user granted for one call to that call of that plugin only, and above no other layer [C3.once]", () => {
    const asking = policy();
    const stateFor = (tool: RegisteredTool, query: AccessQuery, callGrant?: CallGrant): string => {
      const decision = asking.decide(tool, { session, ...(callGrant && { callGrant }) });
      return decision.kind === "deny" ? "denied" : evaluateAccess(decision.grant.layers, query).state;
    };
    const once = { plugin: "words", permissions: { read: ["$workspace"], write: true } } as const;
    expect(stateFor(reader, file, once)).toBe("granted");
    expect(stateFor(reader, file)).toBe("prompt");
    expect(stateFor(reader, file, { ...once, plugin: "other" })).toBe("prompt");
    // Neither the class nor the manifest allows more.
    expect(stateFor(reader, write, once)).toBe("denied");
    expect(stateFor(writer, { kind: "write", path: "/elsewhere" }, once)).toBe("denied");
    expect(asking.decide(reader, { session, callGrant: once })).toBe(asking.decide(reader, { session, callGrant: once }));
  });

  it("decides again for another session, grant, timeout, policy or version of the tool, and else returns the same decision [D6]", () => {
    let stored: Permissions | undefined;
    const changing = createPolicy({ root: "/project", grants: { find: () => stored } });
    const first = changing.decide(reader, { session });
    const careful = createSession({ id: "s", workspace: "/w", confirmation: { read: "prompt" } });
    const elsewhere = createSession({ id: "s", workspace: "/elsewhere" });
    const inElsewhere = { kind: "read", path: "/elsewhere/a.txt" } as const;
    const newVersion = pluginToolOf("words", { name: "grep", sideEffects: ["read"], timeoutMs: 7_000 }, readsAll);
    const stricter = createPolicy({
      root: "/project",
      grants: { find: () => stored },
      project: projectOf({ policy: { default: { allow: false } } }),
    });

    expect(changing.decide(reader, { session })).toBe(first);
    expect(changing.decide(reader, { session: careful })).toMatchObject({ kind: "ask", confirm: "prompt" });
    expect(changing.decide(reader, { session, timeoutMs: 9 })).toMatchObject({ kind: "allow", limits: { wallMs: 9 } });
    expect(changing.decide(newVersion, { session })).toMatchObject({ kind: "allow", limits: { wallMs: 7_000 } });
    expect(stricter.decide(reader, { session })).toMatchObject({ kind: "deny" });
    const states = (): (string | false)[] =>
      [session, elsewhere].map((one) => {
        const decision = changing.decide(reader, { session: one });
        return decision.kind !== "deny" && evaluateAccess(decision.grant.layers, inElsewhere).state;
      });
    expect(states()).toEqual(["denied", "prompt"]);
    stored = { read: ["$workspace"] };
    expect(states()).toEqual(["denied", "granted"]);
    stored = undefined;
    expect(states()).toEqual(["denied", "prompt"]);
  });

  it("applies grants only to the folder they were given for [C3]", () => {
    const elsewhere = createPolicy({
      root: "/project",
      grants: { find: (_plugin, directory) => (directory === "/other/words" ? { read: true } : undefined) },
    });
    const decision = elsewhere.decide(reader, { session });
    expect(decision.kind !== "deny" && evaluateAccess(decision.grant.layers, file).state).toBe("prompt");
  });

  it("takes the caller's deadline, else the tool's, else the class default, within policy and ceiling [T2]", () => {
    const slow = pluginToolOf("words", { name: "slow", timeoutMs: 5_000 });
    const wall = (tool: RegisteredTool, wanted: Wish = {}, timeoutMs?: number): number => allowed(tool, wanted, timeoutMs).limits.wallMs;
    expect([wall(slow), wall(slow, {}, 1_000), wall(slow, {}, 60_000), wall(slow, {}, 1e9), wall(reader)]).toEqual([
      5_000, 1_000, 60_000, 600_000, 30_000,
    ]);
    expect(wall(slow, { project: { policy: { rules: [{ tool: "slow", limits: { wallMs: 2_000 } }] } } }, 60_000)).toBe(2_000);
    const host = [
      functionOf("f"),
      functionOf("f", { sideEffects: ["execute"] }),
      functionOf("f", { sideEffects: ["network"] }),
      functionOf("f", { sideEffects: ["write"] }),
    ];
    expect(host.map((tool) => wall(tool))).toEqual([60_000, 600_000, 600_000, 60_000]);
  });

  it("treats a manifest's limits as requests: never above policy, nor above the defaults without it [M2] [B3.policy]", () => {
    const big = pluginToolOf("words", { name: "big" }, { manifest: { limits: { memoryBytes: 100_000_000, operations: 5 } } });
    expect(allowed(big).limits).toMatchObject({ memoryBytes: 67_108_864, operations: 5, outputBytes: 1_048_576 });
    expect(
      allowed(big, { project: { policy: { rules: [{ plugin: "words", limits: { memoryBytes: 500_000_000 } }] } } }).limits,
    ).toMatchObject({
      memoryBytes: 100_000_000,
      outputBytes: 1_048_576,
    });
    expect(allowed(big, { project: { policy: { default: { limits: { memoryBytes: 1_000_000 } } } } }).limits).toMatchObject({
      memoryBytes: 1_000_000,
    });
  });

  it("protects the host's own files from every tool, and plugins' sources from plugins [C2.protect]", () => {
    const protect = [
      { name: "host state", pluginsOnly: false, paths: [{ access: "write", path: "/w/.bascule", except: "/w/.bascule/data" }] },
      { name: "plugin sources", pluginsOnly: true, paths: [{ access: "write", path: "/w/plugins" }] },
    ] as const;
    const wanted: Wish = { stored: { read: true, write: true }, protect };
    const builtin = builtinOf("write_file", { sideEffects: ["write"] });
    const states = (tool: RegisteredTool): readonly string[] =>
      ["/w/.bascule", "/w/.bascule/grants.json", "/w/.bascule/data/words/x", "/w/plugins/words/main.ts", "/w/.basculex"].map((path) =>
        state(tool, { kind: "write", path }, wanted),
      );
    expect(states(writer)).toEqual(["denied by host state", "denied by host state", "granted", "denied by plugin sources", "granted"]);
    expect(states(builtin)).toEqual(["denied by host state", "denied by host state", "denied by protected names", "granted", "granted"]);
    expect(state(writer, { kind: "read", path: "/w/.bascule/x" }, wanted)).toBe("granted");
    expect(evaluateAccess(allowed(writer, wanted).grant.layers, { kind: "write", path: "/w" }).partial).toBe(true);
  });
});

describe("explain()", () => {
  it("shows each layer's verdict and the line that decided [P6]", () => {
    const explanation = policy({ project: { policy: { rules: [{ plugin: "words", confirm: "prompt" }] } } }).explain(reader, session, file);
    expect(explanation).toMatchObject({
      tool: "words.grep",
      verdict: "asks",
      because: { layer: "rule", rule: "plugin words" },
      class: "read",
      route: "wasm",
      rules: [{ rule: "plugin words" }, { rule: "default" }],
      act: { verdict: { state: "prompt", decidedBy: { layer: "user grant" } } },
    });
    expect(explanation.act?.verdict.layers.map(({ layer, state: verdict, rule }) => [layer, verdict, rule])).toEqual([
      ["manifest", "granted", "$workspace"],
      ["class", "granted", "true"],
      ["user grant", "prompt", undefined],
    ]);
    expect(explanation.text).toEqual([
      "words.grep: asks (rule: plugin words)",
      "  class    read",
      "  route    wasm",
      "  confirm  prompt (plugin words)",
      '  rule     plugin words: {"plugin":"words","confirm":"prompt"}',
      '  rule     default: {"allow":true}',
      '  act      read "/w/a.txt": prompt (decided by user grant)',
      "  layer    manifest: granted by $workspace",
      "  layer    class: granted by true",
      "  layer    user grant: prompt",
    ]);
  });

  it("shows which rule denies a tool [P6]", () => {
    expect(policy({ project: { policy: { rules: [{ tool: "words.grep", allow: false }] } } }).explain(reader, session)).toMatchObject({
      verdict: "denied",
      because: { layer: "rule", rule: "tool words.grep" },
    });
  });
});
