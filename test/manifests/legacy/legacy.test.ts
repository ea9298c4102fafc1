import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { legacyModuleCandidates, manifestToJson, parseManifest, type Manifest, type ManifestContext } from "../../../manifests/mod.ts";

const VECTOR = fileURLToPath(new URL("../../../../shared/vectors/legacy-manifest.json", import.meta.url));

const OLDER = { schema_version: "1.0", name: "older", version: "1.0.0", description: "An older plugin" };

function manifestOf(tool: object, change: object = {}, context: ManifestContext = {}): Manifest {
  const parsed = parseManifest(JSON.stringify({ ...OLDER, tools: [{ name: "t", description: "Does t", ...tool }], ...change }), context);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
}

function problemsOf(tool: object, change: object = {}, context: ManifestContext = {}): readonly string[] {
  const parsed = parseManifest(JSON.stringify({ ...OLDER, tools: [{ name: "t", description: "Does t", ...tool }], ...change }), context);
  return parsed.ok ? [] : parsed.problems.map(({ pointer, message }) => `${pointer} ${message}`);
}

describe("parseManifest() with the older spelling", () => {
  it("reads the older manifest of the test vectors with a module beside it [M9.vector]", (context) => {
    context.skip(!existsSync(VECTOR), `"${VECTOR}" is absent`);
    const parsed = parseManifest(readFileSync(VECTOR, "utf8"), { files: new Set(["manifest.json", "canvas_tools.ts"]) });
    expect(parsed).toMatchObject({
      ok: true,
      value: {
        schemaVersion: "1.0",
        name: "canvas_tools",
        dependencies: {},
        notes: ["Depends on kuzu"],
        settingsSchema: { type: "object", properties: { canvas_directory: { type: "string", default: "canvases" } } },
        tools: [
          {
            name: "export_reasoning_canvas",
            module: "canvas_tools.ts",
            export: "export_reasoning_canvas",
            inputSchema: { type: "object", properties: { graph_type: { type: "string" } } },
            sideEffects: ["network"],
            assumed: true,
          },
        ],
      },
      warnings: [{ severity: "warning", pointer: "/dependencies/0", line: 7, column: 20 }],
    });
  });

  it("treats a parameter as required unless it has `required: false` [M9.parameters]", () => {
    const parameters = { a: { type: "string" }, b: { type: "integer", required: false }, c: { type: "boolean", required: true } };
    expect(manifestOf({ parameters }).tools[0]?.inputSchema).toEqual({
      type: "object",
      properties: { a: { type: "string" }, b: { type: "integer" }, c: { type: "boolean" } },
      required: ["a", "c"],
    });
  });

  it("keeps a whole schema, and builds one from a bare property map [M9.map]", () => {
    const whole = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
    expect(manifestOf({ input_schema: whole, output_schema: { b: { type: "null" } } }).tools[0]).toMatchObject({
      inputSchema: whole,
      outputSchema: { type: "object", properties: { b: { type: "null" } } },
    });
    expect(manifestOf({ input_schema: { type: { type: "string" } } }).tools[0]?.inputSchema).toEqual({
      type: "object",
      properties: { type: { type: "string" } },
    });
    expect(manifestOf({}).tools[0]?.inputSchema).toEqual({ type: "object", properties: {} });
  });

  it("maps every side effect, and assumes network if none is declared [M9.effects] [P8.older]", () => {
    const all = ["local_exec", "calls_llm", "modifies_files", "network_access", "system_state", "read_only"];
    const declared = manifestOf({ side_effects: all }).tools[0];
    expect([declared?.sideEffects, declared?.assumed]).toEqual([["execute", "llm", "write", "network", "system", "read"], undefined]);
    for (const tool of [{}, { side_effects: [] }])
      expect(manifestOf(tool).tools[0]).toMatchObject({ sideEffects: ["network"], assumed: true });
  });

  it("renames the remaining fields [M9.fields]", () => {
    const tool = { function: "run", allowed_callers: ["direct", "chain"], timeout_ms: 500, module: "lib.x.ts", requires_capability: false };
    expect(manifestOf(tool).tools[0]).toMatchObject({ export: "run", callers: ["direct", "chain"], timeoutMs: 500, module: "lib.x.ts" });
    const parsed = parseManifest(JSON.stringify({ ...OLDER, tools: [{ name: "t", description: "d", ...tool }] }));
    expect(parsed.ok && parsed.warnings).toMatchObject([{ pointer: "/tools/0/requires_capability", severity: "warning" }]);
  });

  it("tries the possible modules of a dotted name in order [M9.module]", () => {
    expect(legacyModuleCandidates("a.b.c")).toEqual([
      "a/b/c.ts",
      "a/b/c.js",
      "a/b/c.mjs",
      "b/c.ts",
      "b/c.js",
      "b/c.mjs",
      "c.ts",
      "c.js",
      "c.mjs",
    ]);
    const moduleWith = (...files: string[]): string | undefined =>
      manifestOf({ module: "a.b.c" }, {}, { files: new Set(files) }).tools[0]?.module;
    expect(moduleWith("c.ts", "b/c.mjs", "b/c.js")).toBe("b/c.js");
    expect(moduleWith("c.mjs", "a/b/c.mjs")).toBe("a/b/c.mjs");
    expect(problemsOf({ module: "a.b" }, {}, { files: new Set(["c.ts"]) })).toEqual([
      '/tools/0/module Module "a.b" not found in the plugin',
    ]);
    expect(problemsOf({ module: "..x" })).toEqual(['/tools/0/module Module "..x" not found in the plugin']);
  });

  it.each([
    [
      "a list",
      [
        { arg: "a", mode: "r" },
        { arg: "b", mode: "rw" },
        { arg: "c", mode: "write" },
      ],
    ],
    ["a map", { a: "read", b: "rw", c: "w" }],
  ])("reads a requirement from %s of file modes [M9.requires]", (_, requires_fs) => {
    const parameters = { a: { type: "string" }, b: { type: "string" }, c: { type: "string" } };
    expect(manifestOf({ parameters, requires_fs }).tools[0]?.requires).toEqual([
      { capability: "read", arg: "a" },
      { capability: "read", arg: "b" },
      { capability: "write", arg: "b" },
      { capability: "write", arg: "c" },
    ]);
    expect(problemsOf({ parameters, requires_fs: [{ arg: "a", mode: "x" }] })).toEqual([
      "/tools/0/requires_fs/0 File requirement needs an argument and a known mode",
    ]);
  });

  it("maps permission names [M9.permissions]", () => {
    const names = ["fs:read", "fs:write", "net:outbound", "shell:execute", "env:read", "mcp:connect"];
    expect(manifestOf({}, { permissions: names }).permissions).toEqual({
      read: true,
      write: true,
      net: true,
      run: true,
      env: true,
      mcp: true,
    });
    expect(manifestOf({}, { permissions: { "fs:read": ["docs"] } }).permissions).toEqual({ read: ["docs"] });
    expect(problemsOf({}, { permissions: ["fs:red"] })).toEqual(['/permissions/0 "fs:red" is not a permission of the older spelling']);
  });

  it.each<readonly [string, unknown]>([
    [
      "a pair of mode and argument",
      [
        ["r", "path"],
        ["rw", "out"],
      ],
    ],
    [
      "an object each",
      [
        { arg: "path", mode: "r" },
        { arg: "out", mode: "rw" },
      ],
    ],
  ])("reads a tool's file requirements as %s [M9.requires]", (_what, required) => {
    const parameters = { path: { type: "string" }, out: { type: "string" } };
    expect(manifestOf({ parameters, requires_fs: required }).tools[0]?.requires).toEqual([
      { capability: "read", arg: "path" },
      { capability: "read", arg: "out" },
      { capability: "write", arg: "out" },
    ]);
    expect(problemsOf({ parameters, requires_fs: [["path", "r"]] })).toEqual([
      "/tools/0/requires_fs/0 File requirement needs an argument and a known mode",
    ]);
  });

  it("allows a tool to request more than its plugin, without granting it to other tools [M9.tool-permissions]", () => {
    const quiet = { name: "quiet", description: "Does less" };
    const narrow = { name: "narrow", description: "Does one thing", permissions: { "fs:read": ["docs"] } };
    const wide = { name: "wide", description: "Does more", permissions: ["net:outbound", "fs:write"] };
    const read = (permissions: object | undefined): unknown => {
      const parsed = parseManifest(JSON.stringify({ ...OLDER, ...(permissions && { permissions }), tools: [quiet, narrow, wide] }));
      if (!parsed.ok) return parsed.problems;
      return [parsed.value.permissions, ...parsed.value.tools.map((tool) => tool.permissions)];
    };
    expect(read(undefined)).toEqual([{ read: ["docs"], net: true, write: true }, {}, { read: ["docs"] }, { net: true, write: true }]);
    expect(read({ "fs:read": ["img"], "env:read": ["HOME"] })).toEqual([
      { read: ["img", "docs"], env: ["HOME"], net: true, write: true },
      { read: ["img"], env: ["HOME"] },
      { read: ["docs"] },
      { net: true, write: true },
    ]);
    // A permission that the plugin requests in full is enough for all tools.
    expect(read(["fs:read", "fs:write", "net:outbound"])).toEqual([
      { read: true, write: true, net: true },
      undefined,
      { read: ["docs"] },
      { net: true, write: true },
    ]);
  });

  it("renames the fields of skills too [M9.skills]", () => {
    const skill = {
      name: "both",
      description: "Does both",
      tools: ["t"],
      function: "doBoth",
      parameters: { n: { type: "integer" } },
      output_schema: { type: "string" },
    };
    const { skills } = manifestOf(
      {},
      { skills: [skill, { name: "one", description: "One", tools: ["t"], input_schema: { a: { type: "string" } } }] },
    );
    expect(skills.map(({ export: exported, inputSchema, outputSchema }) => [exported, inputSchema, outputSchema])).toEqual([
      ["doBoth", { type: "object", properties: { n: { type: "integer" } }, required: ["n"] }, { type: "string" }],
      ["one", { type: "object", properties: { a: { type: "string" } } }, undefined],
    ]);
    expect(problemsOf({}, { skills: [{ ...skill, inputSchema: {} }] })).toContain(
      '/skills/0/inputSchema Field "inputSchema" belongs to the newer spelling, but "schema_version" marks the file as the older one',
    );
  });

  it("keeps dependencies that are not plugins as notes [M9.dependencies]", () => {
    const manifest = manifestOf({}, { dependencies: ["words", "numpy"] }, { plugins: new Set(["words"]) });
    expect([manifest.dependencies, manifest.notes]).toEqual([{ words: "*" }, ["Depends on numpy"]]);
  });

  it.each<[object, object, string]>([
    [{}, { schemaVersion: "1.0" }, "/schemaVersion"],
    [{}, { settingsSchema: {} }, "/settingsSchema"],
    [{ inputSchema: {} }, {}, "/tools/0/inputSchema"],
    [{ sideEffects: [] }, {}, "/tools/0/sideEffects"],
    [{ timeoutMs: 1 }, {}, "/tools/0/timeoutMs"],
    [{ callers: ["direct"] }, {}, "/tools/0/callers"],
    [{ export: "x" }, {}, "/tools/0/export"],
    [{ side_effects: ["read"] }, {}, "/tools/0/side_effects/0"],
    [{ parameters: {}, input_schema: {} }, {}, "/tools/0/input_schema"],
  ])("refuses a mixture of spellings: %j %j [M9.mixed]", (tool, change, pointer) => {
    expect(problemsOf(tool, change).map((problem) => problem.split(" ")[0])).toEqual([pointer]);
  });

  it("does not read the older fields without `schema_version` [M9.mixed]", () => {
    const { schema_version: _, ...rest } = OLDER;
    const parsed = parseManifest(
      JSON.stringify({ schemaVersion: "1.0", ...rest, tools: [{ name: "t", description: "d", parameters: {} }] }),
    );
    expect(parsed.ok ? [] : parsed.problems.map((problem) => problem.message)).toContain('Unknown field "parameters" in tool');
  });

  it("reports positions in the original file [M9.position] [M4.position]", () => {
    const text = `{
  "schema_version": "1.0", "name": "older", "version": "1", "description": "d",
  "settings_schema": { "x": { "pattern": "(" } },
  "tools": [{ "name": "t", "description": "d",
    "parameters": { "p": { "type": "strin" } },
    "function": "a b" }, { "name": "u", "description": "d",
    "requires_fs": { "q": "rw" } }]
}`;
    const parsed = parseManifest(text);
    expect(parsed.ok ? [] : parsed.problems.map(({ pointer, line, column }) => [pointer, line, column])).toEqual([
      ["/version", 2, 56],
      ["/settings_schema/x/pattern", 3, 42],
      ["/tools/0/parameters/p/type", 5, 36],
      ["/tools/0/function", 6, 17],
      ["/tools/1/requires_fs/q/arg", 7, 27],
    ]);
  });
});

describe("manifestToJson()", () => {
  it("writes an older manifest in the canonical form, which reads back to an equal manifest [M9.fix]", () => {
    const manifest = manifestOf(
      { function: "run", parameters: { a: { type: "string", required: false } }, module: "m.x" },
      { settings_schema: { s: { type: "string" } }, dependencies: ["numpy"] },
    );
    const text = manifestToJson(manifest);
    expect(text).toContain('"schemaVersion": "1.0"');
    expect(text).not.toMatch(/schema_version|parameters|settings_schema|"function"/);
    const again = parseManifest(text);
    const { assumed: _, ...tool } = manifest.tools[0] ?? { assumed: true };
    expect(again).toEqual({ ok: true, value: { ...manifest, tools: [tool] }, warnings: [] });
  });

  it("leaves defaults out, keeps everything else, and ends in a line feed [M9.fix]", () => {
    const file = {
      schemaVersion: "1.0",
      name: "all",
      version: "1.0.0",
      description: "All of it",
      enabled: false,
      author: "A",
      keywords: ["k"],
      main: "src/main.js",
      state: "session",
      dependencies: { other: "^1.0.0" },
      imports: { lib: "./lib.js" },
      settingsSchema: { type: "object" },
      permissions: { read: ["$workspace"], tools: ["all.a"] },
      limits: { wallMs: 5 },
      tools: [
        { name: "a", description: "Does a", inputSchema: { type: "object" }, sideEffects: [] },
        {
          name: "b",
          title: "B",
          description: "Does b",
          module: "b.ts",
          export: "run",
          category: "data",
          tags: ["t"],
          inputSchema: { type: "object", properties: { p: {} } },
          outputSchema: {},
          sideEffects: ["write"],
          destructive: true,
          determinism: "deterministic",
          permissions: { read: ["$workspace/x"] },
          requires: [{ capability: "read", arg: "p" }],
          timeoutMs: 5,
          callers: ["chain"],
          visibility: { roles: ["r"] },
          annotations: { idempotentHint: true },
        },
      ],
      skills: [
        { name: "s", description: "Does s", tools: ["a"], module: "s.ts", export: "go", inputSchema: { type: "object" }, tags: ["t"] },
      ],
      notes: ["n"],
    };
    const parsed = parseManifest(JSON.stringify(file));
    expect(parsed.ok && manifestToJson(parsed.value)).toBe(`${JSON.stringify(file, undefined, 2)}\n`);
  });
});
