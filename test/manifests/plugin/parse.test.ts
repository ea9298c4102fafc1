import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { MANIFEST_BOUNDS, parseManifest, problemToText, type Manifest } from "../../../manifests/mod.ts";
import "../../support/seed.ts";

const TOOL = {
  name: "read_note",
  description: "Reads a note",
  inputSchema: { type: "object", properties: { path: { type: "string" } } },
  sideEffects: ["read"],
};
const MINIMAL = { schemaVersion: "1.0", name: "notes", version: "1.0.0", description: "Keeps notes", tools: [TOOL] };

function manifestOf(document: unknown): Manifest {
  const parsed = parseManifest(JSON.stringify(document));
  if (!parsed.ok) throw new Error(parsed.problems.map(problemToText).join("\n"));
  return parsed.value;
}

/** `pointer message`, in the order of the text. */
function problemsOf(document: unknown, files?: readonly string[]): readonly string[] {
  const text = typeof document === "string" ? document : JSON.stringify(document);
  const parsed = parseManifest(text, files && { files: new Set(files) });
  return parsed.ok ? [] : parsed.problems.map(({ pointer, message }) => `${pointer} ${message}`);
}

function withTool(change: object): object {
  return { ...MINIMAL, tools: [{ ...TOOL, ...change }] };
}

describe("parseManifest()", () => {
  it.each([{ manifest_version: "0.3", server: {} }, { dxt_version: "0.1" }])(
    "reports an MCP bundle's manifest as such, and no other problem [M10.in-plugins]",
    (of) => {
      const parsed = parseManifest(JSON.stringify({ ...of, name: "files", version: "1.0.0", author: {} }));
      expect(parsed.ok ? [] : parsed.problems).toMatchObject([
        {
          message: "This is the manifest of an MCP bundle, not of a plugin",
          fix: 'move the folder out of the plugins and add it: "bascule add <folder>"',
        },
      ]);
    },
  );

  it("fills in every default [M2.defaults] [M3.defaults]", () => {
    expect(manifestOf(MINIMAL)).toEqual({
      schemaVersion: "1.0",
      name: "notes",
      version: "1.0.0",
      description: "Keeps notes",
      enabled: true,
      main: "main.ts",
      dependencies: {},
      permissions: {},
      tools: [
        {
          name: "read_note",
          description: "Reads a note",
          module: "main.ts",
          export: "read_note",
          tags: [],
          inputSchema: TOOL.inputSchema,
          sideEffects: ["read"],
          destructive: false,
          determinism: "nondeterministic",
          requires: [],
          callers: ["direct"],
          visibility: {},
          annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
        },
      ],
      skills: [],
      state: "call",
      limits: {},
      imports: {},
      keywords: [],
    });
  });

  it("reads every field [M2.fields] [M3.fields]", () => {
    const tool = {
      name: "a",
      title: "A",
      description: "Does a",
      module: "src/a.mjs",
      export: "run",
      category: "data",
      tags: ["x"],
      inputSchema: { type: "object", properties: { path: { type: "string" } } },
      outputSchema: { type: "string" },
      sideEffects: ["read", "network"],
      destructive: true,
      determinism: "deterministic",
      idempotent: true,
      permissions: { read: ["$workspace/a"] },
      native: true,
      requires: [{ capability: "read", arg: "path" }],
      timeoutMs: 1_000,
      callers: ["direct", "chain"],
      visibility: { roles: ["admin"], notRoles: ["guest"] },
      annotations: { idempotentHint: true, title: "Hint" },
    };
    const skill = {
      name: "s",
      description: "Does s",
      tools: ["a"],
      module: "s.js",
      export: "go",
      inputSchema: { type: "object" },
      outputSchema: {},
      tags: ["y"],
    };
    const file = {
      $schema: "./manifest.schema.json",
      schemaVersion: "1.0",
      name: "all",
      version: "1.2.3-rc.1+build.5",
      description: "All of it",
      enabled: false,
      main: "./src/main.js",
      dependencies: { other: "^1.0.0" },
      settingsSchema: { type: "object", properties: { depth: { type: "integer", default: 3 } } },
      // Includes the tools that the skill calls.
      permissions: { read: ["$workspace"], net: ["example.com"], tools: ["all.a"] },
      tools: [tool],
      skills: [skill],
      state: "session",
      limits: { wallMs: 1_000 },
      imports: { lib: "./vendor/lib.js", "@std/path": "jsr:@std/path@1" },
      author: "A",
      license: "MIT",
      homepage: "https://example.com",
      keywords: ["k"],
      notes: ["n"],
    };
    const { $schema: _, ...rest } = file;
    expect(manifestOf(file)).toEqual({
      ...rest,
      main: "src/main.js",
      tools: [
        { ...tool, annotations: { title: "Hint", readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true } },
      ],
    });
  });

  it("derives hints from side effects, and never makes a tool look more harmless [M3.annotations]", () => {
    const hints = (change: object): unknown => manifestOf(withTool(change)).tools[0]?.annotations;
    expect(hints({ sideEffects: [], title: "T" })).toEqual({
      title: "T",
      readOnlyHint: true,
      destructiveHint: false,
      openWorldHint: false,
    });
    expect(hints({ sideEffects: ["write"], annotations: { readOnlyHint: true } })).toEqual({
      readOnlyHint: false,
      destructiveHint: false,
      openWorldHint: false,
    });
    expect(hints({ sideEffects: ["llm"], annotations: { openWorldHint: false } })).toEqual({
      readOnlyHint: false,
      destructiveHint: false,
      openWorldHint: true,
    });
    expect(hints({ destructive: true, annotations: { destructiveHint: false } })).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
      openWorldHint: false,
    });
    expect(hints({ annotations: { destructiveHint: true, readOnlyHint: false } })).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
      openWorldHint: false,
    });
  });

  it("reads a disabled plugin [M6.read]", () => {
    expect(manifestOf({ ...MINIMAL, enabled: false }).enabled).toBe(false);
  });

  it("accepts `skills` without tools [M4.required]", () => {
    const { tools: _, ...rest } = MINIMAL;
    expect(
      manifestOf({ ...rest, skills: [{ name: "s", description: "Does s", tools: [], inputSchema: {} }] }).skills[0]?.inputSchema,
    ).toEqual({ type: "object" });
  });

  it("lists every problem at once, each with pointer, line, column, message and fix [M4.all] [M4.position]", () => {
    const text = `{
  "schemaVersion": "2.0",
  "nam": "x",
  "version": "v1",
  "description": 5,
  "main": "../x.ts",
  "tools": [
    {
      "name": "a",
      "inputSchema": { "type": "object", "pattern": "(" },
      "side_effects": []
    },
    { "name": "a", "description": " ", "inputSchema": { "type": "array" }, "sideEffects": ["writes"] }
  ]
}`;
    const parsed = parseManifest(text);
    expect(parsed.ok ? [] : parsed.problems.map(({ severity: _, ...problem }) => problem)).toEqual([
      { pointer: "", line: 1, column: 1, message: 'Manifest has no "name"', fix: 'add "name"' },
      { pointer: "/schemaVersion", line: 2, column: 20, message: '"schemaVersion" is not "1.0"', fix: 'write "1.0"' },
      { pointer: "/nam", line: 3, column: 3, message: 'Unknown field "nam" in manifest', fix: 'did you mean "name"?' },
      { pointer: "/version", line: 4, column: 14, message: 'Version "v1" is not a semver version', fix: 'write one such as "1.0.0"' },
      { pointer: "/description", line: 5, column: 18, message: '"description" is not a string', fix: "write a string that is not empty" },
      {
        pointer: "/main",
        line: 6,
        column: 11,
        message: 'Module path "../x.ts" leaves the plugin\'s folder',
        fix: "put the file inside it",
      },
      { pointer: "/tools/0", line: 8, column: 5, message: 'Tool has no "description"', fix: 'add "description"' },
      { pointer: "/tools/0", line: 8, column: 5, message: 'Tool has no "sideEffects"', fix: 'add "sideEffects"' },
      {
        pointer: "/tools/0/inputSchema/pattern",
        line: 10,
        column: 53,
        message: "Pattern is not a regular expression: Unterminated group",
        fix: "correct it",
      },
      {
        pointer: "/tools/0/side_effects",
        line: 11,
        column: 7,
        message: 'Unknown field "side_effects" in tool',
        fix: 'did you mean "sideEffects"?',
      },
      { pointer: "/tools/1/name", line: 13, column: 15, message: 'Duplicate tool name "a"', fix: "rename one of the tools" },
      {
        pointer: "/tools/1/description",
        line: 13,
        column: 35,
        message: '"description" is not a string',
        fix: "write a string that is not empty",
      },
      {
        pointer: "/tools/1/inputSchema/type",
        line: 13,
        column: 65,
        message: '"inputSchema" does not describe an object',
        fix: 'write "type": "object", and describe each value in "properties"',
      },
      { pointer: "/tools/1/sideEffects/0", line: 13, column: 92, message: 'Unknown value "writes"', fix: 'did you mean "write"?' },
    ]);
  });

  it.each(["schemaVersion", "name", "version", "description"])("refuses a manifest without %s [M4.required]", (field) => {
    expect(problemsOf({ ...MINIMAL, [field]: undefined })).toEqual([` Manifest has no "${field}"`]);
  });

  it("warns of a manifest whose tools the code has yet to write [AX1.no-tools]", () => {
    const { schemaVersion, name, version, description } = MINIMAL;
    expect(parseManifest(JSON.stringify({ schemaVersion, name, version, description, toolsFrom: "code" }))).toMatchObject({
      ok: true,
      value: { toolsFrom: "code", tools: [] },
      warnings: [{ message: "The tools are not written yet", fix: 'run "bascule manifest --write", which writes them from the code' }],
    });
    expect(problemsOf({ ...MINIMAL, toolsFrom: "types" })).toEqual(['/toolsFrom "toolsFrom" is not "code"']);
  });

  it("refuses a manifest with neither tools nor skills [M4.required]", () => {
    expect(problemsOf({ ...MINIMAL, tools: undefined })).toEqual([' Manifest has neither "tools" nor "skills"']);
  });

  it.each(["name", "description", "inputSchema", "sideEffects"])("refuses a tool without %s [M4.required]", (field) => {
    expect(problemsOf(withTool({ [field]: undefined }))).toEqual([`/tools/0 Tool has no "${field}"`]);
  });

  it.each([
    "../main.ts",
    "a/../../main.ts",
    "/main.ts",
    "C:/main.ts",
    "a\\b.ts",
    "file:///main.ts",
    "main.txt",
    "main",
    ".ts",
    "",
    "a//b.ts",
    "main.d.ts",
    "a/./b.ts",
    "a%2e.ts",
    "main.ts?x",
    "x".repeat(600),
  ])("refuses the module %j [M4.module]", (module) => {
    expect(problemsOf(withTool({ module }))).toMatchObject([expect.stringMatching(/^\/tools\/0\/module /)]);
    expect(problemsOf({ ...MINIMAL, main: module })).toMatchObject([expect.stringMatching(/^\/main /)]);
  });

  it.each(["main.ts", "./main.js", "src/deep/x.mjs", "a..b.ts", ".hidden/x.ts"])("accepts the module %j [M4.module]", (module) => {
    expect(problemsOf(withTool({ module }))).toEqual([]);
  });

  it("refuses a module that is not among the files, if they are known [M4.module]", () => {
    expect(problemsOf(MINIMAL, ["main.ts"])).toEqual([]);
    expect(problemsOf(MINIMAL, ["manifest.json"])).toEqual(['/tools/0 Module "main.ts" is not in the plugin\'s folder']);
    // Reported once at its place in the manifest, however many tools use it.
    const named = { ...MINIMAL, main: "code.ts", tools: [TOOL, { ...TOOL, name: "other" }] };
    expect(problemsOf(named, ["main.ts"])).toEqual(['/main Module "code.ts" is not in the plugin\'s folder']);
    expect(problemsOf(withTool({ module: "./a.ts" }), ["a.ts"])).toEqual([]);
  });

  it.each([
    ["Read_note", 'Tool name "Read_note" looks like "read_note"'],
    ["read-note", 'Tool name "read-note" looks like "read_note"'],
    ["read_n0te", 'Tool name "read_n0te" looks like "read_note"'],
    ["read_note", 'Duplicate tool name "read_note"'],
  ])("refuses a tool %s beside read_note [M5.lookalike] [M4.duplicate]", (name, message) => {
    expect(problemsOf({ ...MINIMAL, tools: [TOOL, { ...TOOL, name }] })).toEqual([`/tools/1/name ${message}`]);
  });

  it.each<[string, object, string]>([
    ["a plugin name", { ...MINIMAL, name: "Notes" }, "/name"],
    ["a tool name", withTool({ name: "read note" }), "/tools/0/name"],
    ["a description", { ...MINIMAL, description: "a\u202eb" }, "/description"],
    ["a tool's description", withTool({ description: "a\u200bb" }), "/tools/0/description"],
    ["a title", withTool({ title: "a\x1b[2Jb" }), "/tools/0/title"],
    [
      "a schema's description",
      withTool({ inputSchema: { properties: { a: { description: "\u2066" } } } }),
      "/tools/0/inputSchema/properties/a/description",
    ],
    ["an enum", withTool({ inputSchema: { properties: { a: { enum: ["\u{e0041}"] } } } }), "/tools/0/inputSchema/properties/a/enum/0"],
    ["a key", withTool({ "a\u200b": 1 }), "/tools/0/a\u200b"],
    ["a reason", { ...MINIMAL, permissions: { read: { allow: true, reason: "\u202e" } } }, "/permissions/read/reason"],
    ["an author", { ...MINIMAL, author: "\u200eA" }, "/author"],
    ["a lone surrogate", { ...MINIMAL, license: "\ud800" }, "/license"],
  ])("refuses hidden or invalid text in %s, naming the place once [M5.hidden]", (_, document, pointer) => {
    expect(problemsOf(document).map((problem) => problem.split(" ")[0])).toEqual([pointer]);
  });

  it.each<[string, object, string]>([
    ["enabled", { enabled: "yes" }, "/enabled"],
    ["state", { state: "global" }, "/state"],
    ["tools", { tools: {} }, "/tools"],
    ["a tool", { tools: [1] }, "/tools/0"],
    ["keywords", { keywords: [1] }, "/keywords/0"],
    ["homepage", { homepage: "javascript:alert(1)" }, "/homepage"],
    ["dependencies", { dependencies: ["other"] }, "/dependencies"],
    ["a dependency's name", { dependencies: { Other: "1" } }, "/dependencies/Other"],
    ["a dependency's range", { dependencies: { other: ">>1" } }, "/dependencies/other"],
    ["a dependency on itself", { dependencies: { notes: "*" } }, "/dependencies/notes"],
    ["settingsSchema", { settingsSchema: { type: "string" } }, "/settingsSchema/type"],
    ["permissions", { permissions: { reed: true } }, "/permissions/reed"],
    ["a limit", { limits: { wallMs: 0 } }, "/limits/wallMs"],
    ["an unknown limit", { limits: { wall: 1 } }, "/limits/wall"],
    ["an import that leaves the plugin", { imports: { a: "./../x.js" } }, "/imports/a"],
    ["an import from the network", { imports: { a: "https://x.com/a.js" } }, "/imports/a"],
    ["more tools than allowed", { tools: Array.from({ length: 257 }, (_, index) => ({ ...TOOL, name: `t${index}` })) }, "/tools"],
  ])("refuses a wrong %s [M4.types]", (_, change, pointer) => {
    expect(problemsOf({ ...MINIMAL, ...change }).map((problem) => problem.split(" ")[0])).toEqual([pointer]);
  });

  it.each<[string, object, string]>([
    ["title", { title: 1 }, "/title"],
    ["export", { export: "a b" }, "/export"],
    ["category", { category: "Web" }, "/category"],
    ["a tag that belongs to the host", { tags: ["source:builtin"] }, "/tags/0"],
    ["outputSchema", { outputSchema: { oneOf: [] } }, "/outputSchema/oneOf"],
    ["destructive", { destructive: 1 }, "/destructive"],
    ["determinism", { determinism: "pure" }, "/determinism"],
    ["a permission that the plugin does not request", { permissions: { read: ["/etc"] } }, "/permissions"],
    ["requires", { requires: [{ capability: "env", arg: "path" }] }, "/requires/0/capability"],
    ["requires, naming no argument", { requires: [{ capability: "read", arg: "toString" }] }, "/requires/0/arg"],
    ["timeoutMs", { timeoutMs: 1.5 }, "/timeoutMs"],
    ["callers", { callers: ["anyone"] }, "/callers/0"],
    ["visibility", { visibility: { role: ["a"] } }, "/visibility/role"],
    ["annotations", { annotations: { readOnlyHint: "yes" } }, "/annotations/readOnlyHint"],
  ])("refuses a tool with a wrong %s [M4.types]", (_, change, pointer) => {
    expect(problemsOf(withTool(change)).map((problem) => problem.split(" ")[0])).toEqual([`/tools/0${pointer}`]);
  });

  it("warns about a limit above the ceiling, and loads [M2.limits]", () => {
    const parsed = parseManifest(JSON.stringify({ ...MINIMAL, limits: { wallMs: 1e9 } }));
    expect(parsed.ok && parsed.warnings).toMatchObject([
      { severity: "warning", pointer: "/limits/wallMs", line: 1, fix: "600000 applies" },
    ]);
  });

  it("returns frozen data", () => {
    const manifest = manifestOf(MINIMAL);
    expect([manifest, manifest.tools, manifest.tools[0], manifest.tools[0]?.inputSchema, manifest.permissions].every(Object.isFrozen)).toBe(
      true,
    );
  });
});

describe("parseManifest() with defaults", () => {
  const withDefault = (schema: object): readonly string[] =>
    problemsOf(withTool({ inputSchema: { type: "object", properties: { size: schema } } })).map((text) =>
      text.replace("/tools/0/inputSchema", ""),
    );

  it("refuses a default that its own schema refuses, wherever a caller would get an error [S1.default] [S3.default]", () => {
    const at = "/properties/size/default Its default";
    expect(withDefault({ type: "integer", default: "5" })).toEqual([`${at} does not fit the schema: is string, not integer`]);
    expect(withDefault({ enum: ["a", "b"], default: "c" })).toEqual([`${at} does not fit the schema: is not one of "a", "b"`]);
    expect(withDefault({ type: "string", default: null })).toEqual([`${at} does not fit the schema: is null, not string`]);
    const limits = { type: "object", properties: { top: { type: "integer", maximum: 9 } }, required: ["top"] };
    expect(withDefault({ ...limits, default: {} })).toEqual([`${at}, at "/top", does not fit the schema: is missing`]);
    expect(withDefault({ type: "array", items: { ...limits, default: { top: 10 } } })[0]).toContain("/properties/size/items/default");
    expect(problemsOf({ ...MINIMAL, settingsSchema: { properties: { depth: { type: "integer", default: 0.5 } } } })).toEqual([
      "/settingsSchema/properties/depth/default Its default does not fit the schema: is number, not integer",
    ]);
  });

  it("accepts a default that fits after its own members are filled in, and any default of an output schema [S1.default]", () => {
    const filled = { type: "object", properties: { top: { type: "integer", default: 3 } }, required: ["top"], default: {} };
    expect(withDefault(filled)).toEqual([]);
    expect(problemsOf(withTool({ outputSchema: { type: "string", default: 1 } }))).toEqual([]);
  });

  it("checks all defaults within one budget [S1.default]", () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`p${index}`, { type: "integer", default: 1 }]));
    const items = { type: "object", properties: many };
    const list = { type: "array", items, default: Array.from({ length: 3_000 }, () => ({})) };
    expect(withDefault(list)).toEqual(["/properties/size/default Its default does not fit the schema: is too large to be checked"]);
  });
});

describe("parseManifest() with hostile documents", () => {
  it.each<[string, string, string]>([
    ["nothing", "", " Invalid JSON: unexpected end of text at position 0"],
    ["a list", "[]", " Manifest is not an object"],
    ["null", "null", " Manifest is not an object"],
    ["unclosed brackets", "[".repeat(200_000), ` Document is nested deeper than ${MANIFEST_BOUNDS.maxDepth} levels`],
    ["a string of a megabyte", `{"name":"${"a".repeat(1_000_000)}"}`, ` Document is larger than ${MANIFEST_BOUNDS.maxBytes} bytes`],
    ["a __proto__ key", `{"__proto__":{"enabled":true},${JSON.stringify(MINIMAL).slice(1)}`, '/__proto__ Key "__proto__" is not allowed'],
    ["a duplicate key", `{"name":"other",${JSON.stringify(MINIMAL).slice(1)}`, '/name Duplicate key "name"'],
  ])("refuses %s [M4.bounds] [M4.proto]", (_, text, problem) => {
    expect(problemsOf(text)).toEqual([problem]);
  });

  it("reads past a byte order mark", () => {
    expect(problemsOf(`\ufeff${JSON.stringify(MINIMAL)}`)).toEqual([]);
  });

  it("bounds the number of problems [M4.bounds]", () => {
    const document = { ...MINIMAL, ...Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`x${index}`, 1])) };
    expect(problemsOf(document).length).toBeLessThanOrEqual(200);
  });

  it("does not treat a prototype's members as fields [M4.proto]", () => {
    expect(problemsOf('{"constructor": 1, "toString": 2}').slice(-2)).toEqual([
      '/constructor Unknown field "constructor" in manifest',
      '/toString Unknown field "toString" in manifest',
    ]);
  });

  it("returns data for any JSON document and never throws, and every problem has its place [M4.all]", () => {
    const keys = fc.constantFrom(
      "schemaVersion",
      "schema_version",
      "name",
      "tools",
      "skills",
      "permissions",
      "dependencies",
      "settingsSchema",
      "settings_schema",
      "limits",
      "imports",
      "read",
      "allow",
      "inputSchema",
      "parameters",
      "properties",
      "type",
      "required",
      "items",
      "requires",
      "requires_fs",
      "side_effects",
      "module",
      "visibility",
      "annotations",
    );
    const leaf = fc.oneof(
      fc.constantFrom<unknown>("1.0", "object", "a.b", "", null, true, 0, 1e308),
      fc.string({ unit: "binary", maxLength: 5 }),
    );
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof({ maxDepth: 6 }, leaf, fc.array(tie("value"), { maxLength: 3 }), fc.dictionary(keys, tie("value"), { maxKeys: 6 })),
    }));
    fc.assert(
      fc.property(fc.dictionary(keys, value, { maxKeys: 8 }), (document) => {
        const parsed = parseManifest(JSON.stringify(document), { files: new Set(["main.ts"]) });
        if (!parsed.ok)
          expect(
            parsed.problems.filter(
              (problem) => problem.line === undefined || problem.column === undefined || !/^[A-Z"]/.test(problem.message),
            ),
          ).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });
});
