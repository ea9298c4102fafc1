import { describe, expect, it } from "vitest";
import { trustRequestsOf, grantsTrustRequest, withoutTrustRequests } from "../../../../host/project/trust/trust-requests.ts";
import { DEFAULT_PROJECT, DEFAULT_PROTECTED, type JsonObject, parseProject, type ProjectConfig } from "../../../../manifests/mod.ts";
import { PROJECT_FIELDS } from "../../../../manifests/project/parse-project.ts";

/** Each section with requests that need trust, and what remains without it. */
const ASKS: Readonly<Record<string, { readonly wish: JsonObject; readonly names: readonly string[]; readonly left: JsonObject }>> = {
  plugins: { wish: { plugins: ["plugins", "/out"] }, names: ["plugins./out"], left: { plugins: ["plugins"] } },
  workspace: { wish: { workspace: "/out" }, names: ["workspace"], left: {} },
  mcpServers: {
    wish: { mcpServers: { a: { command: "x" }, off: { command: "y", enabled: false }, b: { url: "https://b.example.com" } } },
    names: ["mcpServers.a", "mcpServers.b"],
    left: { mcpServers: { off: { command: "y", enabled: false } } },
  },
  remotes: { wish: { remotes: { gpu: { url: "https://gpu.example.com" } } }, names: ["remotes.gpu"], left: {} },
  cluster: { wish: { cluster: { callers: { web: `U${"A".repeat(55)}` } } }, names: ["cluster"], left: {} },
  tools: {
    wish: {
      tools: [
        { name: "far", description: "Far", inputSchema: { type: "object" }, sideEffects: [], remote: { url: "https://x.example.com" } },
        { name: "near", description: "Near", inputSchema: { type: "object" }, sideEffects: [], module: "near.ts" },
      ],
    },
    names: ["tools.far"],
    left: { tools: [{ name: "near", description: "Near", inputSchema: { type: "object" }, sideEffects: [], module: "near.ts" }] },
  },
  trusted: {
    wish: { trusted: ["words", { name: "notes", unconfined: true }] },
    names: ["trusted.words", "trusted.notes"],
    left: {},
  },
  secrets: {
    wish: { secrets: { A: { env: "AWS_SECRET_ACCESS_KEY", hosts: ["a.example.com"] }, B: { file: "/out" }, C: { env: "C" } } },
    names: ["secrets.A", "secrets.B"],
    left: { secrets: { A: { env: "A", hosts: ["a.example.com"] }, B: { env: "B" }, C: { env: "C" } } },
  },
  policy: {
    wish: {
      policy: {
        default: { confirm: "auto", limits: { wallMs: 5 } },
        rules: [
          { tool: "shell", grants: { run: true }, confirm: "prompt_once", limits: { wallMs: 5 } },
          { tool: "denied", grants: { read: { allow: ["a"], deny: ["a/b"] }, env: { allow: true, ignore: ["HOME"] }, net: true } },
          { tool: "only-denied", grants: { read: { deny: ["b"] }, write: [] }, route: "microvm" },
          { plugin: "words", route: "host", allow: false },
          { plugin: "words", route: "remote" },
          { plugin: "notes", route: "wasm", confirm: "deny", dryRun: true },
          { pattern: "notes.*", dryRun: false },
          { tool: "big", limits: { memoryBytes: 536870912, wallMs: 5 } },
        ],
        layers: [{ name: "house", level: "global", deny: ["shell"] }],
        permissionTypes: { shell: { requiresApproval: false, allowedPaths: ["a"] }, network: { requiresApproval: true } },
        protected: ["*.pem"],
      },
    },
    names: [
      "policy.default",
      "policy.rules.tool:shell",
      "policy.rules.tool:denied",
      "policy.rules.plugin:words",
      "policy.rules.plugin:words#2",
      "policy.rules.pattern:notes.*",
      "policy.rules.tool:big",
      "policy.permissionTypes",
      "policy.protected",
    ],
    left: {
      policy: {
        default: { limits: { wallMs: 5 } },
        rules: [
          { tool: "shell", grants: {}, confirm: "prompt", limits: { wallMs: 5 } },
          { tool: "denied", grants: { read: { deny: ["a/b"] }, env: { ignore: ["HOME"] } } },
          { tool: "only-denied", grants: { read: { deny: ["b"] }, write: [] }, route: "microvm" },
          { plugin: "words", allow: false },
          { plugin: "words", route: "wasm" },
          { plugin: "notes", route: "wasm", confirm: "deny", dryRun: true },
          { pattern: "notes.*" },
          { tool: "big", limits: { memoryBytes: 67108864, wallMs: 5 } },
        ],
        layers: [{ name: "house", level: "global", deny: ["shell"] }],
        permissionTypes: { shell: { allowedPaths: ["a"] }, network: { requiresApproval: true } },
        protected: [...DEFAULT_PROTECTED, "*.pem"],
      },
    },
  },
  confirmation: {
    wish: {
      confirmation: {
        default: { none: "auto", read: "prompt_once", write: "auto", network: "prompt_once", execute: "deny" },
        perTool: { a: "prompt_once", b: "prompt" },
        trustedWorkspaces: ["."],
        trustedWorkspaceOverrides: { c: "auto", d: "deny" },
        timeoutMs: 1000,
      },
    },
    names: ["confirmation"],
    left: {
      confirmation: {
        default: { none: "auto", read: "prompt_once", network: "prompt", execute: "deny" },
        perTool: { a: "prompt", b: "prompt", d: "deny" },
        timeoutMs: 1000,
      },
    },
  },
  server: {
    wish: {
      server: { port: 1, tokens: [{ name: "x", sha256: "0".repeat(64), scopes: ["admin"] }], allowedOrigins: ["https://x.example.com"] },
    },
    names: ["server"],
    left: { server: { port: 1 } },
  },
  audit: { wish: { audit: { store: false, redact: ["name"] } }, names: ["audit"], left: { audit: { redact: ["name"] } } },
};

/** Sections that only restrict, or stay within what the sandbox allows anyway. */
const HARMLESS: Readonly<Record<string, JsonObject>> = {
  $schema: { $schema: "x" },
  roles: { roles: { reader: { webAccess: false } } },
  isolation: { isolation: { by: "process", alone: ["words"] } },
  undo: { undo: { keep: false } },
};

function read(file: JsonObject): ProjectConfig {
  const parsed = parseProject(JSON.stringify(file));
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
}

const isOutside = (path: string): boolean => path === "/out";

describe("trustRequestsOf()", () => {
  it("finds trust requests in every section that could allow anything, and keeps the restrictions without them [P1.trust]", () => {
    for (const [section, { wish: options, names, left }] of Object.entries(ASKS)) {
      const trustRequests = trustRequestsOf(read(options), isOutside);
      expect([section, trustRequests.map(({ name }) => name)]).toEqual([section, names]);
      expect([section, withoutTrustRequests(read(options), new Set(names))]).toEqual([section, read(left)]);
      // The rest contains no further request.
      expect([section, trustRequestsOf(read(left), isOutside)]).toEqual([section, []]);
    }
    for (const options of Object.values(HARMLESS)) expect(trustRequestsOf(read(options), isOutside)).toEqual([]);
    expect(Object.keys({ ...ASKS, ...HARMLESS }).toSorted()).toEqual([...PROJECT_FIELDS].toSorted());
    expect(trustRequestsOf(DEFAULT_PROJECT, isOutside)).toEqual([]);
  });

  it("removes requests that are not trusted, and nothing else [P1.trust]", () => {
    const options = { mcpServers: { a: { command: "x" }, b: { command: "y" } }, workspace: "/out" };
    expect(withoutTrustRequests(read(options), new Set(["mcpServers.b"]))).toEqual(
      read({ mcpServers: { a: { command: "x" } }, workspace: "/out" }),
    );
  });

  it("includes everything that changes a server in the trusted value: program, arguments, folder, variables, headers, effects [K3.trust]", () => {
    const server = { command: "x", args: ["a"], cwd: "c", env: { NODE_OPTIONS: "--import ./evil.mjs", T: { fromEnv: "TOKEN" } } };
    const variants: readonly JsonObject[] = [
      server,
      { ...server, args: ["b"] },
      { ...server, cwd: "d" },
      { ...server, env: { ...server.env, NODE_OPTIONS: "" } },
      { ...server, env: { ...server.env, T: { fromEnv: "OTHER" } } },
      { ...server, sideEffects: ["read"] },
      { ...server, toolSideEffects: { write: ["read"] } },
      { url: "https://a.example.com" },
      { url: "https://a.example.com", headers: { Authorization: { fromEnv: "TOKEN" } } },
      { bundle: "0".repeat(64), config: { folder: "/" } },
      { bundle: "0".repeat(64), config: { folder: "." } },
    ];
    const values = variants.map((a) => JSON.stringify(trustRequestsOf(read({ mcpServers: { a } }), isOutside)[0]?.value));
    expect(new Set(values).size).toBe(variants.length);
    const [plain, more] = [server, { ...server, timeoutMs: 5, tools: ["t"] }].map((a) =>
      trustRequestsOf(read({ mcpServers: { a } }), isOutside),
    );
    expect(more).toEqual(plain);
  });
});

describe("grantsTrustRequest()", () => {
  it("contains every grant of the file, and is undefined for a file without grants [C3.trust]", () => {
    const grants = [{ plugin: "words", directory: "/p", permissions: { read: true }, changedAt: "" }];
    expect(grantsTrustRequest(JSON.stringify({ version: 1, grants }))).toMatchObject({ name: ".bascule/grants.json", value: grants });
    for (const text of ["", "{", "[]", "{}", '{"grants":[]}', '{"grants":{}}']) expect(grantsTrustRequest(text)).toBeUndefined();
  });
});
