import { describe, expect, it } from "vitest";

import { DEFAULT_PROJECT, parseProject } from "../../../manifests/mod.ts";

function problemsOf(document: unknown): readonly string[] {
  const parsed = parseProject(JSON.stringify(document));
  return parsed.ok ? [] : parsed.problems.map(({ pointer, message }) => `${pointer} ${message}`);
}

describe("parseProject()", () => {
  it("returns the default for an empty file: every tool is callable, nothing is granted [P1.default]", () => {
    expect(parseProject("{}")).toEqual({ ok: true, value: DEFAULT_PROJECT, warnings: [] });
    expect(DEFAULT_PROJECT).toMatchObject({
      plugins: ["plugins"],
      policy: { default: { allow: true }, rules: [] },
      confirmation: { timeoutMs: 300_000 },
      trusted: [],
    });
  });

  it("reads every key [P1.keys] [P2.fields]", () => {
    const file = {
      $schema: "x",
      plugins: ["plugins", "../more"],
      workspace: "work",
      policy: {
        default: { allow: false, confirm: "prompt" },
        rules: [
          {
            tool: "words.grep",
            allow: true,
            route: "wasm",
            limits: { wallMs: 5 },
            confirm: "auto",
            grants: { read: ["$workspace"] },
            quota: [{ calls: 5, per: "session", windowMs: 1_000 }],
            dryRun: true,
          },
          { tool: "echo" },
          { plugin: "notes" },
          { category: "web" },
          { group: "group:write" },
          { pattern: "notes.*" },
        ],
        layers: [{ name: "l", level: "global", deny: ["group:web"] }],
        groups: { mine: ["words.grep"] },
        permissionTypes: { shell: { requiresApproval: true } },
        protected: [".env", "*.pem"],
      },
      confirmation: {
        default: { write: "auto" },
        perTool: { "notes.add": "prompt_once" },
        trustedWorkspaces: ["."],
        trustedWorkspaceOverrides: { x: "deny" },
        timeoutMs: 5,
        preview: true,
      },
      trusted: ["words", { name: "notes", unconfined: true }],
      isolation: ["words"],
      mcpServers: {
        a: { command: "serve", env: { KEY: { fromEnv: "A_KEY" } } },
        b: { url: "https://mcp.example/", type: "http", timeoutMs: 5 },
      },
      remotes: {
        a: { url: "https://a.test/b", token: "A", tools: ["words.*"], addresses: ["10.0.0.0/8"], plaintext: false },
        b: { url: "http://127.0.0.1:7420" },
        c: { url: "tls://nats.test:4222", cluster: "farm", tools: ["words.*"] },
        d: { url: "nats://10.0.0.7:4222", plaintext: true },
      },
      cluster: { members: { alpha: `U${"A".repeat(55)}` }, callers: { web: `U${"B".repeat(55)}` } },
      tools: [{ name: "x", description: "X", inputSchema: { type: "object" }, sideEffects: [], remote: { url: "https://a.test/b" } }],
      roles: { a: {} },
      secrets: { A: { env: "B", hosts: ["a.test"] }, C: { file: "c.txt" } },
      audit: { store: true, redact: [], record: "failures", required: "all" },
      undo: { keep: false, maxBytes: 1, maxDays: 2 },
      server: {
        host: "0.0.0.0",
        port: 1,
        tokens: [{ name: "ci", sha256: "a".repeat(64), scopes: ["call", "metrics"], role: "ci" }],
        allowedHosts: ["a.test:8443"],
        allowedOrigins: ["https://a.test"],
        limits: { bodyBytes: 1, requests: 2, sessions: 3, streams: 4 },
      },
    };
    const { $schema: _, ...rest } = file;
    const trusted = [
      { name: "words", unconfined: false },
      { name: "notes", unconfined: true },
    ];
    const isolation = { by: "thread", alone: ["words"] };
    const common = { args: [], config: {}, env: {}, headers: {}, enabled: true, toolSideEffects: {} };
    const mcpServers = {
      a: { ...common, command: "serve", env: { KEY: { fromEnv: "A_KEY" } } },
      b: { ...common, url: "https://mcp.example/", timeoutMs: 5 },
    };
    const tools = [{ definition: expect.objectContaining({ name: "x", callers: ["direct"] }), remote: { url: "https://a.test/b" } }];
    expect(parseProject(JSON.stringify(file))).toEqual({
      ok: true,
      value: { ...rest, trusted, isolation, mcpServers, tools },
      warnings: [],
    });
  });

  it.each<[unknown, object]>([
    ["process", { by: "process", alone: [] }],
    ["thread", { by: "thread", alone: [] }],
    [["words"], { by: "thread", alone: ["words"] }],
    [{ by: "process" }, { by: "process", alone: [] }],
    [
      { by: "process", alone: ["words"] },
      { by: "process", alone: ["words"] },
    ],
  ])("takes %j as isolation [P1.isolation]", (isolation, meant) => {
    expect(parseProject(JSON.stringify({ isolation }))).toMatchObject({ ok: true, value: { isolation: meant } });
  });

  it.each<[unknown, string]>([
    ["container", '"isolation" is not one of "thread", "process"'],
    [7, '"isolation" is not one of "thread", "process"'],
    [{ by: "x" }, '"by" is not one of "thread", "process"'],
    [{ process: true }, "process"],
    [["No Name"], "No Name"],
  ])("refuses %j as isolation [P1.isolation]", (isolation, message) => {
    const parsed = parseProject(JSON.stringify({ isolation }));
    expect(parsed.ok ? "" : JSON.stringify(parsed.problems)).toContain(JSON.stringify(message).slice(1, -1));
  });

  it("fills in the scope and window of a quota [D9.scopes, P2.fields]", () => {
    const quota = { calls: 1 };
    const rules = [
      { plugin: "words", quota },
      { tool: "echo", quota },
      { category: "web", quota: [quota, { cpuMs: 5, per: "plugin" }] },
    ];
    const parsed = parseProject(JSON.stringify({ policy: { rules } }));
    expect(parsed.ok && parsed.value.policy.rules.map((rule) => rule.quota)).toEqual([
      [{ calls: 1, per: "plugin", windowMs: 60_000 }],
      [{ calls: 1, per: "tool", windowMs: 60_000 }],
      [
        { calls: 1, per: "tool", windowMs: 60_000 },
        { cpuMs: 5, per: "plugin", windowMs: 60_000 },
      ],
    ]);
  });

  it("refuses a secret in the file, without repeating it [C7.source, P1.secrets]", () => {
    const [problem = ""] = problemsOf({ secrets: { KEY: "hunter2-hunter2" } });
    expect(problem).toContain("/secrets/KEY");
    expect(problem).toContain("Secrets must not be stored in this file");
    expect(problem).not.toContain("hunter2");
  });

  it("lists every problem with its place [P1.checked]", () => {
    const text = `{
  "plugin": [],
  "policy": {
    "default": { "allow": "yes" },
    "rules": [ { "tool": "a", "plugin": "b" }, { "allow": true }, { "tool": "a", "grants": { "reed": true } }, { "tool": "a", "route": "vm" } ],
    "groups": { "group:read": [], "x": 1 }
  },
  "confirmation": { "default": { "writes": "auto" }, "perTool": { "a": "never" } },
  "trusted": [{ "unconfined": true }]
}`;
    const parsed = parseProject(text);
    expect(parsed.ok ? [] : parsed.problems.map(({ pointer, line, fix }) => [pointer, line, fix])).toEqual([
      ["/plugin", 2, 'did you mean "plugins"?'],
      ["/policy/default/allow", 4, "write true or false"],
      ["/policy/rules/0", 5, "write one of tool, plugin, category, group, pattern"],
      ["/policy/rules/1", 5, "write one of tool, plugin, category, group, pattern"],
      ["/policy/rules/2/grants/reed", 5, 'did you mean "read"?'],
      ["/policy/rules/3/route", 5, "write one of host, wasm, remote, microvm"],
      ["/policy/groups/group:read", 6, "choose another name"],
      ["/policy/groups/x", 6, 'write a list such as ["words.grep", "notes.*"]'],
      ["/confirmation/default/writes", 8, 'did you mean "write"?'],
      ["/confirmation/perTool/a", 8, "write one of auto, prompt, prompt_once, deny"],
      ["/trusted/0", 9, 'add "name"'],
    ]);
  });

  it.each<[string, object, string]>([
    ["a list as policy", { policy: [] }, "/policy"],
    ["hidden text", { workspace: "a\u202e" }, "/workspace"],
    ["a tool that is not an object", { tools: [1] }, "/tools/0"],
    ["servers that are not an object", { mcpServers: [] }, "/mcpServers"],
    ["a server of two kinds", { mcpServers: { a: { command: "x", url: "https://a.test" } } }, "/mcpServers/a"],
    ["a server of a name with __", { mcpServers: { a__b: { command: "x" } } }, "/mcpServers/a__b"],
    ["a server's address with a password", { mcpServers: { a: { url: "https://a:b@c.test/" } } }, "/mcpServers/a/url"],
    ["a server's address of another kind", { mcpServers: { a: { url: "file:///etc/passwd" } } }, "/mcpServers/a/url"],
    [
      "a line end in a server's header",
      { mcpServers: { a: { url: "https://a.test", headers: { A: "b\r\nC: d" } } } },
      "/mcpServers/a/headers/A",
    ],
    [
      "unknown effects of a server's tools",
      { mcpServers: { a: { command: "x", toolSideEffects: { t: ["nothing"] } } } },
      "/mcpServers/a/toolSideEffects/t",
    ],
    ["an invalid pattern", { policy: { rules: [{ pattern: "a b" }] } }, "/policy/rules/0/pattern"],
    ["a tool selector that is a pattern", { policy: { rules: [{ tool: "a.*" }] } }, "/policy/rules/0/tool"],
    ["a quota without limits", { policy: { rules: [{ tool: "a", quota: { windowMs: 1_000 } }] } }, "/policy/rules/0/quota"],
    [
      "a quota of an unknown resource",
      { policy: { default: { quota: [{ calls: 1 }, { calls: 1, call: 1 }] } } },
      "/policy/default/quota/1/call",
    ],
    ["a quota of zero", { policy: { default: { quota: { calls: 0 } } } }, "/policy/default/quota/calls"],
    ["a window that is too short", { policy: { default: { quota: { calls: 1, windowMs: 10 } } } }, "/policy/default/quota/windowMs"],
    ["a secret without a source", { secrets: { A: {} } }, "/secrets/A"],
    ["a secret with two sources", { secrets: { A: { env: "B", file: "c" } } }, "/secrets/A"],
    ["a secret for no host", { secrets: { A: { env: "B", hosts: [] } } }, "/secrets/A/hosts"],
    ["a secret for a URL", { secrets: { A: { env: "B", hosts: ["https://a.test/"] } } }, "/secrets/A/hosts/0"],
    ["a secret with a name that no variable can have", { secrets: { "a-b": { env: "B" } } }, "/secrets/a-b"],
    ["a server's token itself", { server: { tokens: [{ name: "a", token: "s3cret" }] } }, "/server/tokens/0"],
    ["a token's hash that is not one", { server: { tokens: [{ name: "a", sha256: "s3cret" }] } }, "/server/tokens/0/sha256"],
    ["an unknown scope", { server: { tokens: [{ name: "a", sha256: "a".repeat(64), scopes: ["all"] }] } }, "/server/tokens/0/scopes/0"],
    ["an origin with a path", { server: { allowedOrigins: ["https://a.test/"] } }, "/server/allowedOrigins/0"],
    ["an origin that matches all", { server: { allowedOrigins: ["*"] } }, "/server/allowedOrigins/0"],
    ["a host that is a URL", { server: { allowedHosts: ["http://a.test"] } }, "/server/allowedHosts/0"],
    ["a server without limits", { server: { limits: { bodyBytes: 1e12 } } }, "/server/limits/bodyBytes"],
    ["a remote without a URL", { remotes: { a: {} } }, "/remotes/a"],
    ["a remote over plain NATS", { remotes: { a: { url: "nats://a.test" } } }, "/remotes/a/url"],
    ["a path of a NATS server", { remotes: { a: { url: "tls://a.test/farm" } } }, "/remotes/a/url"],
    ["a token for a NATS server", { remotes: { a: { url: "tls://a.test", token: "A" } } }, "/remotes/a/token"],
    ["a cluster of an HTTP server", { remotes: { a: { url: "https://a.test", cluster: "farm" } } }, "/remotes/a/cluster"],
    ["a cluster's name with dots", { remotes: { a: { url: "tls://a.test", cluster: "a.b" } } }, "/remotes/a/cluster"],
    ["a seed as a member's key", { cluster: { members: { a: `SU${"A".repeat(56)}` } } }, "/cluster/members/a"],
    ["a caller's key that is not one", { cluster: { callers: { a: "U1" } } }, "/cluster/callers/a"],
    ["a remote with a password", { remotes: { a: { url: "https://a:b@a.test" } } }, "/remotes/a/url"],
    ["a remote over plain HTTP with a token", { remotes: { a: { url: "http://a.test" } } }, "/remotes/a/url"],
    ["a remote's token itself", { remotes: { a: { url: "https://a.test", token: "s3cr-t" } } }, "/remotes/a/token"],
    ["a remote's name as an address", { remotes: { a: { url: "https://a.test", addresses: ["a.test"] } } }, "/remotes/a/addresses/0"],
    ["a timeout of zero", { confirmation: { timeoutMs: 0 } }, "/confirmation/timeoutMs"],
  ])("refuses %s [P1.checked]", (_, document, pointer) => {
    expect(problemsOf(document).map((problem) => problem.split(" ")[0])).toEqual([pointer]);
  });

  it("keeps `allow` true if a default rule omits it [P1.default]", () => {
    const parsed = parseProject('{"policy": {"default": {"confirm": "prompt"}}}');
    expect(parsed.ok && parsed.value.policy.default).toEqual({ allow: true, confirm: "prompt" });
  });
});
