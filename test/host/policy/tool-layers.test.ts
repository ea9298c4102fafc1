import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createHost, ProjectConfigError } from "../../../host/mod.ts";
import { createPolicy } from "../../../host/policy/policy.ts";
import { createSession, type Session, type SessionOptions } from "../../../host/call/session.ts";
import type { RegisteredTool } from "../../../host/tools/tool.ts";
import { evaluateAccess, type JsonObject, type LayerRules, parseProject } from "../../../manifests/mod.ts";
import { builtinOf, functionOf, pluginToolOf } from "../../support/registered.ts";
import { projectOf } from "../../support/test-host.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";
import { hostTool } from "../../support/tools.ts";
import "../../support/seed.ts";

const permissions = { read: ["$workspace"], write: ["$workspace"], net: ["example.com"] } as const;
const TOOLS = {
  add: functionOf("add", { sideEffects: [], category: "math" }),
  grep: pluginToolOf("words", { name: "grep", sideEffects: ["read"], category: "code" }, { permissions }),
  save: pluginToolOf("words", { name: "save", sideEffects: ["write"], category: "data" }, { permissions }),
  fetch: pluginToolOf("pages", { name: "fetch", sideEffects: ["network"], category: "web" }, { permissions }),
  both: pluginToolOf("pages", { name: "both", sideEffects: ["network", "write"] }, { permissions }),
  ask: functionOf("ask", { sideEffects: ["llm"] }),
  wipe: functionOf("wipe", { sideEffects: [], destructive: true }),
  shell: builtinOf("shell", { sideEffects: ["execute"] }),
};
const ALL = Object.keys(TOOLS).join(" ");

function sessionOf(options: Partial<SessionOptions> = {}): Session {
  return createSession({ id: "s", workspace: "/w", ...options });
}

function policyOf(project: JsonObject): (tool: RegisteredTool, session?: Session) => ReturnType<ReturnType<typeof createPolicy>["decide"]> {
  const stored = { read: true, write: true, net: true } as const;
  const policy = createPolicy({ root: "/project", project: projectOf(project), grants: { find: () => stored } });
  return (tool, session = sessionOf()) => policy.decide(tool, { session });
}

/** Names of the tools that are not denied. */
function usable(project: JsonObject, session?: Session): string {
  const decide = policyOf(project);
  return Object.entries(TOOLS)
    .filter(([, tool]) => decide(tool, session).kind !== "deny")
    .map(([name]) => name)
    .join(" ");
}

const layers = (...list: JsonObject[]): JsonObject => ({ policy: { layers: list } });
const layer = (rules: JsonObject): JsonObject => layers({ name: "l", level: "global", ...rules });

describe("policy layers", () => {
  it.each<[what: string, rules: JsonObject, left: string]>([
    ["allow keeps only the named tools", { allow: ["grep", "words.save"] }, "grep save"],
    ["a bare name and a qualified one", { deny: ["grep", "pages.fetch"] }, "add save both ask wipe shell"],
    ["a pattern over a plugin's tools", { deny: ["words.*"] }, "add fetch both ask wipe shell"],
    ["deny wins over allow", { allow: ["words.*"], deny: ["save"] }, "grep"],
    ["nothing allowed", { allow: [] }, ""],
    ["groups by effect", { allow: ["group:read"] }, "add grep wipe"],
    ["groups by category", { allow: ["group:math", "group:data"] }, "add save"],
    ["the group of writing tools", { deny: ["group:write"] }, "add grep fetch ask wipe"],
    ["a category", { deny: ["category:web", "category:math"] }, "grep save both ask wipe shell"],
    ["everything", { deny: ["group:all"] }, ""],
  ])("%s [P3] [P4]", (_what, rules, left) => {
    expect(usable(layer(rules))).toBe(left);
  });

  it("must all allow a tool, and report which one did not [P3]", () => {
    const decide = policyOf(
      layers({ name: "house", level: "global", allow: ["grep", "save"] }, { name: "night", level: "global", deny: ["save"] }),
    );
    expect(decide(TOOLS.grep).kind).not.toBe("deny");
    expect(decide(TOOLS.save)).toEqual({ kind: "deny", because: { layer: "night", rule: "deny save" }, by: "policy" });
    expect(decide(TOOLS.add)).toEqual({ kind: "deny", because: { layer: "house", rule: "not in allow" }, by: "policy" });
  });

  it("cannot undo a rule's denial, and no rule can undo theirs [P2] [P3]", () => {
    const rules = [
      { tool: "grep", allow: false },
      { tool: "save", allow: true },
    ];
    const list = [{ name: "l", level: "global", allow: ["grep", "save"], deny: ["save"] }];
    expect(usable({ policy: { rules, layers: list } })).toBe("");
  });

  it("apply to the role that they name only [P3.role]", () => {
    const project = layers({ name: "guests", level: "role", role: "guest", deny: ["group:write"] });
    expect(usable(project)).toBe(ALL);
    expect(usable(project, sessionOf({ role: "admin" }))).toBe(ALL);
    expect(usable(project, sessionOf({ role: "guest" }))).toBe("add grep fetch ask wipe");
  });

  it("apply to delegated sessions if their level is delegation [P3.delegation]", () => {
    const project = layers({ name: "helpers", level: "delegation", deny: ["shell"] });
    expect(usable(project)).toBe(ALL);
    expect(usable(project, sessionOf({ parent: sessionOf() }))).not.toContain("shell");
  });

  it("allow nothing through a group that was removed since [P3.gone]", () => {
    expect(usable({}, sessionOf({ layers: [{ name: "l", deny: ["group:gone"] }] }))).toBe("");
    expect(usable({}, sessionOf({ layers: [{ name: "l", allow: ["group:gone", "grep"] }] }))).toBe("grep");
  });

  it("bound the tools' permissions, for the kinds that they name [C2] [PA3]", () => {
    const decide = policyOf(layer({ permissions: { read: ["/w/docs"], net: false } }));
    const state = (tool: RegisteredTool, query: Parameters<typeof evaluateAccess>[1]): string => {
      const decision = decide(tool);
      if (decision.kind === "deny") throw new Error("denied");
      const { state: answer, decidedBy } = evaluateAccess(decision.grant.layers, query);
      return answer === "granted" ? answer : `${answer} by ${decidedBy.layer}`;
    };
    expect(state(TOOLS.grep, { kind: "read", path: "/w/docs/a" })).toBe("granted");
    expect(state(TOOLS.grep, { kind: "read", path: "/w/a" })).toBe("denied by l");
    expect(state(TOOLS.save, { kind: "write", path: "/w/a" })).toBe("granted");
    expect(state(TOOLS.fetch, { kind: "net", host: "example.com" })).toBe("denied by l");
  });
});

describe("roles", () => {
  it.each<[what: string, flat: JsonObject, left: string]>([
    ["no fields", {}, ALL],
    ["no web", { webAccess: false }, "add grep save wipe shell"],
    ["categories", { allowedCategories: ["math", "web"] }, "add fetch"],
    ["categories without web", { allowedCategories: ["math", "web"], webAccess: false }, "add"],
    ["only these tools", { allowedTools: ["grep"] }, "grep"],
    [
      "tools in addition to categories, web or not",
      { allowedCategories: ["math"], allowedTools: ["fetch"], webAccess: false },
      "add fetch",
    ],
    ["forbidden wins", { allowedTools: ["grep", "save"], forbiddenTools: ["words.*"] }, ""],
    ["a forbidden group", { forbiddenTools: ["group:write"] }, "add grep fetch ask wipe"],
  ])("are flat permissions: %s [P5.flat]", (_what, guest, left) => {
    expect(usable({ roles: { guest } }, sessionOf({ role: "guest" }))).toBe(left);
    expect(usable({ roles: { guest } }, sessionOf({ role: "other" }))).toBe(ALL);
  });

  it("do not include inherited properties of objects [P5.flat]", () => {
    expect(usable({ roles: {} }, sessionOf({ role: "constructor" }))).toBe(ALL);
  });
});

describe("task context", () => {
  it("readOnly removes writing tools and every write grant [P5.readOnly]", () => {
    const session = sessionOf({ context: { readOnly: true } });
    expect(usable({}, session)).toBe("add grep fetch ask");
    const decision = policyOf({})(TOOLS.fetch, session);
    if (decision.kind === "deny") throw new Error("denied");
    expect(evaluateAccess(decision.grant.layers, { kind: "write", path: "/w/a" }).layers).toContainEqual(
      expect.objectContaining({ layer: "readOnly", state: "denied" }),
    );
  });

  it("noWeb removes network tools and every net grant [P5.noWeb]", () => {
    const session = sessionOf({ context: { noWeb: true } });
    expect(usable({}, session)).toBe("add grep save wipe shell");
    const decision = policyOf({})(TOOLS.save, session);
    if (decision.kind === "deny") throw new Error("denied");
    expect(evaluateAccess(decision.grant.layers, { kind: "net", host: "example.com" }).layers).toContainEqual(
      expect.objectContaining({ layer: "noWeb", state: "denied" }),
    );
  });
});

describe("delegated sessions", () => {
  it("inherit role, task and layers of every parent [P3] [T1]", () => {
    const project = layers({ name: "guests", level: "role", role: "guest", deny: ["shell"] });
    const parent = sessionOf({ role: "guest", context: { noWeb: true }, layers: [{ name: "own", deny: ["add"] }] });
    const child = sessionOf({ parent, role: "admin", context: { readOnly: true } });
    expect(usable(project, parent)).toBe("grep save wipe");
    expect(usable(project, child)).toBe("grep");
    expect(usable(project, sessionOf({ parent: child, layers: [{ name: "last", allow: ["add"] }] }))).toBe("");
  });

  it("get no more concurrency, no weaker confirmation and no workspace outside of the parent's [T1]", () => {
    const parent = sessionOf({ concurrency: 2, confirmation: { read: "prompt", write: "deny" } });
    const child = sessionOf({
      parent,
      concurrency: 9,
      workspace: "/w/sub",
      confirmation: { read: "auto", write: "auto", network: "deny" },
    });
    expect(child).toMatchObject({ concurrency: 2, confirmation: { read: "prompt", write: "deny", network: "deny" } });
    expect(sessionOf({ parent })).toMatchObject({ concurrency: 2, confirmation: { read: "prompt", write: "deny" } });
    for (const workspace of ["/", "/other", "/wider"]) {
      expect(() => sessionOf({ parent, workspace })).toThrow(`Cannot delegate to "${workspace}"`);
    }
  });
});

describe("any layers", () => {
  const selector = fc.constantFrom(
    ...Object.keys(TOOLS),
    ...["words.*", "pages.fetch", "*a*", "group:read", "group:write", "group:all", "group:web", "category:math", "category:data"],
  );
  const rules: fc.Arbitrary<LayerRules> = fc.record(
    { name: fc.constant("l"), allow: fc.array(selector, { maxLength: 4 }), deny: fc.array(selector, { maxLength: 2 }) },
    { requiredKeys: ["name"] },
  );
  const usableIn = (list: readonly LayerRules[]): Set<string> =>
    new Set(
      usable({}, sessionOf({ layers: list }))
        .split(" ")
        .filter((name) => name !== ""),
    );

  it("never widen the set of tools, and a denial counts at any position [P3.narrow]", () => {
    fc.assert(
      fc.property(fc.array(rules, { maxLength: 4 }), rules, fc.nat({ max: 4 }), (before, added, at) => {
        const after = usableIn(before.toSpliced(at, 0, added));
        expect([...after].filter((name) => !usableIn(before).has(name))).toEqual([]);
        const denied = usableIn([{ name: "only", deny: added.deny ?? [] }]);
        expect([...after].filter((name) => !denied.has(name))).toEqual([]);
        // The order of layers does not matter.
        expect(usableIn([added, ...before.toReversed()])).toEqual(after);
      }),
      { numRuns: 200 },
    );
  });
});

describe("permission types", () => {
  const modes = (permissionTypes: JsonObject, confirmation: JsonObject = {}): string => {
    const decide = policyOf({ policy: { permissionTypes }, confirmation });
    return Object.entries(TOOLS)
      .filter(([, tool]) => decide(tool).kind === "ask")
      .map(([name]) => name)
      .join(" ");
  };

  it("decide whether tools of a type need a confirmation [P7]", () => {
    expect(modes({})).toBe("save fetch both ask wipe shell");
    expect(modes({ network: { requiresApproval: false } })).toBe("save wipe shell");
    expect(modes({ filesystem: { requiresApproval: false }, shell: { requiresApproval: false } })).toBe("fetch both ask wipe");
    expect(modes({ compute: { requiresApproval: true } })).toBe("add save fetch both ask wipe shell");
  });

  it("combine with the project's modes as the stricter, and yield to tool modes and trusted workspaces [P7] [E1]", () => {
    expect(modes({ network: { requiresApproval: false } }, { default: { network: "prompt" } })).toContain("fetch");
    expect(modes({ network: { requiresApproval: true } }, { default: { network: "auto" } })).toContain("fetch");
    expect(modes({ network: { requiresApproval: true } }, { perTool: { fetch: "auto" } })).not.toContain("fetch");
    expect(modes({ filesystem: { requiresApproval: true } }, { trustedWorkspaces: ["/w"] })).not.toContain("save");
  });

  it("keep reading and writing within their paths [P7.paths]", () => {
    const decide = policyOf({
      policy: { permissionTypes: { filesystem: { allowedPaths: ["$workspace/docs"] }, network: { allowedPaths: ["/w/docs/web"] } } },
    });
    const may = (tool: RegisteredTool, path: string): string => {
      const decision = decide(tool);
      if (decision.kind === "deny") throw new Error("denied");
      return evaluateAccess(decision.grant.layers, { kind: "read", path }).state;
    };
    expect([may(TOOLS.grep, "/w/docs/a"), may(TOOLS.grep, "/w/a"), may(TOOLS.grep, "/w/docs-other")]).toEqual([
      "granted",
      "denied",
      "denied",
    ]);
    expect([may(TOOLS.fetch, "/w/docs/web/a"), may(TOOLS.fetch, "/w/docs/a")]).toEqual(["granted", "denied"]);
  });
});

describe("createHost()", () => {
  const tools = [() => hostTool("grep", { sideEffects: ["read"] }), () => hostTool("save", { sideEffects: ["write"] })].map((make) =>
    make(),
  );

  it("adds layers from code, checks them without running a tool, and removes them again [P3.code] [P5.canUse]", async () => {
    await using host = await createHost({ config: false, tools });
    expect(host.policy.canUse("guest", "save")).toBe(true);
    expect(host.policy.canUse("guest", "save", { readOnly: true })).toBe(false);
    expect(host.policy.canUse("guest", "nothing")).toBe(false);
    const remove = host.policy.addLayer("role", { name: "guests", role: "guest", deny: ["save"] });
    expect(host.policy.canUse("guest", "save")).toBe(false);
    expect(host.policy.canUse(undefined, "save")).toBe(true);
    const denied = await host.call("save", {}, { role: "guest" });
    expect(denied).toMatchObject({
      ok: false,
      error: { code: "permission_denied" },
      decision: { because: { layer: "guests", rule: "deny save" } },
    });
    const names = host.definitionsFor(host.session({ role: "guest" })).map(({ name }) => name);
    expect([names.includes("grep"), names.includes("save")]).toEqual([true, false]);
    remove();
    expect(host.policy.canUse("guest", "save")).toBe(true);
  });

  it("does not let a link in the parent's workspace lead out of it [T1.link]", async () => {
    const platform = memoryPlatform({
      "/outside/secret.txt": "secret",
      "/workspace/out": { link: "/outside" },
      "/workspace/in/a.txt": "a",
    });
    await using host = await createHost({ config: false, platform, workspace: "/workspace" });
    const parent = host.session();
    const read = async (workspace: string, path: string): Promise<unknown> => {
      const result = await host.call("read_file", { path }, { session: host.session({ parent, workspace }) });
      return result.ok ? result.output : result.error.code;
    };
    expect(await read("/workspace/in", "a.txt")).toMatchObject({ content: "a" });
    expect(await read("/workspace/out", "secret.txt")).toBe("permission_denied");
  });

  it("takes a session's layers and its parent, and refuses invalid ones with the reason [P3.code] [T1]", async () => {
    await using host = await createHost({ config: false, tools });
    const parent = host.session({ layers: [{ name: "p", deny: ["save"] }] });
    const child = host.session({ parent, context: { readOnly: false } });
    expect(await host.call("save", {}, { session: child })).toMatchObject({ error: { code: "permission_denied" } });
    expect(() => host.session({ layers: [{ name: "x", deny: ["group:nobody"] }] })).toThrow(ProjectConfigError);
    expect(() => host.policy.addLayer("role", { name: "x", deny: ["save"] })).toThrow('Layer of level "role" has no "role"');
  });
});

describe("parseProject()", () => {
  it("reports what is wrong with layers, roles and permission types [P1] [P3]", () => {
    const parsed = parseProject(
      JSON.stringify({
        roles: { guest: { webaccess: true, allowedTools: ["a b"] } },
        policy: {
          layers: [
            { name: "a", level: "task", deny: ["x"] },
            { name: "b", level: "global", role: "r", deny: [] },
            { name: "c", level: "global" },
            { level: "global", allow: ["group:*"] },
          ],
          permissionTypes: { shell: { requiresApproval: 1 }, disk: {}, network: { allowedPaths: [""] } },
        },
      }),
    );
    expect(parsed.ok ? [] : parsed.problems.map(({ pointer, message, fix }) => `${pointer}: ${message}; ${fix}`)).toMatchInlineSnapshot(`
      [
        "/roles/guest/webaccess: Unknown field "webaccess" in role; did you mean "webAccess"?",
        "/roles/guest/allowedTools/0: "a b" selects no tools; write "grep", "words.grep", "words.*", "group:read" or "category:web"",
        "/policy/layers/0/level: Task layers come with a session; open the session with { "readOnly": true } or { "noWeb": true }",
        "/policy/layers/1/role: A global layer applies to every role; write "level": "role", or leave "role" out",
        "/policy/layers/2: Layer has no effect; add "allow", "deny", "permissions" or "audit"",
        "/policy/layers/3: Layer has no "name"; add "name"",
        "/policy/layers/3/allow/0: "group:*" selects no tools; write "grep", "words.grep", "words.*", "group:read" or "category:web"",
        "/policy/permissionTypes/shell/requiresApproval: "requiresApproval" is not true or false; write true or false",
        "/policy/permissionTypes/disk: Unknown field "disk" in permission types; write one of network, filesystem, shell, compute",
        "/policy/permissionTypes/network/allowedPaths/0: Is not a string; write a string that is not empty",
      ]
    `);
  });
});
