import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BUILTIN_OWNER, createRegistry, type Registry, type RegistryChange } from "../../../host/tools/registry.ts";
import { ToolNotFound, ToolRegistrationError } from "../../../host/tools/tool-error.ts";
import type { ToolDeclaration } from "../../../host/tools/tool.ts";
import { hostTool, pluginVersion, publishedTools } from "../../support/tools.ts";
import "../../support/seed.ts";

function registry(warnings: string[] = []): Registry {
  let next = 0;
  return createRegistry({ newId: () => `id-${++next}`, onWarning: ({ message }) => warnings.push(message) });
}

/** Publishes a plugin with tools of these names. */
function plugin(to: Registry, name: string, ...tools: string[]): void {
  to.replaceOwner(name, publishedTools(pluginVersion(name, { tools: tools.map((tool) => ({ name: tool })) })));
}

describe("createRegistry()", () => {
  it("registers, finds, lists and removes tools [R1]", () => {
    const tools = registry();
    const [one] = tools.registerMany([hostTool("one"), hostTool("two")]);
    expect(tools.get("one")).toBe(one);
    expect(tools.getById("id-1")).toBe(one);
    expect(tools.has("two")).toBe(true);
    expect(tools.list().map(({ name }) => name)).toEqual(["one", "two"]);
    expect(tools.unregister("two")).toBe(true);
    expect(tools.unregister("two")).toBe(false);
    expect(tools.has("two")).toBe(false);
  });

  it("throws ToolNotFound for an unknown name, with the nearest names [R1]", () => {
    const tools = registry();
    tools.register(hostTool("word_count"));
    expect(() => tools.get("wordcount")).toThrow(ToolNotFound);
    expect(() => tools.get("wordcount")).toThrow("Tool 'wordcount' not found. Available: [word_count]");
  });

  it("lists tools that may be chained [R1]", () => {
    const tools = registry();
    tools.registerMany([hostTool("one", { callers: ["direct", "chain"] }), hostTool("two")]);
    expect(tools.chainable().map(({ name }) => name)).toEqual(["one"]);
  });

  it.each<[string, Partial<Record<keyof ToolDeclaration, unknown>>, string]>([
    ["a name outside the grammar", { name: "a.b" }, "/name"],
    ["a missing description", { description: " " }, "/description"],
    ["hidden text", { description: "Reads\u202e files" }, "/description"],
    ["undeclared side effects", { sideEffects: undefined }, "/sideEffects"],
    ["an unknown side effect", { sideEffects: ["fly"] }, "/sideEffects/0"],
    [
      "a schema that cannot be checked",
      { inputSchema: { type: "object", properties: { a: { $ref: "a.json" } } } },
      "/inputSchema/properties/a/$ref",
    ],
    ["a wrong output schema", { outputSchema: { type: "thing" } }, "/outputSchema/type"],
    ["a requirement for an unknown argument", { requires: [{ capability: "read", arg: "path" }] }, "/requires/0/arg"],
    ["an unknown caller", { callers: ["aliens"] }, "/callers/0"],
    ["a timeout that is not a number of milliseconds", { timeoutMs: -1 }, "/timeoutMs"],
    ["wrong permissions", { permissions: { fly: true } }, "/permissions/fly"],
  ])("refuses %s, and names the field [R2]", (_what, wrong, field) => {
    const tools = registry();
    // Untyped programs can declare anything.
    const register = (): unknown => tools.register(hostTool("tool", wrong as Partial<ToolDeclaration>));
    expect(register).toThrow(ToolRegistrationError);
    expect(register).toThrow(expect.objectContaining({ field }));
    expect(tools.list()).toEqual([]);
  });

  it("registers all tools or none [R1]", () => {
    const tools = registry();
    expect(() => tools.registerMany([hostTool("one"), hostTool("two", { description: "" })])).toThrow(ToolRegistrationError);
    expect(() => tools.registerMany([hostTool("one"), hostTool("one")])).toThrow("Two of the tools have the same name");
    expect(tools.list()).toEqual([]);
  });

  it("lets an owner replace its own tool, with a new id [R2, R3]", () => {
    const tools = registry();
    tools.register(hostTool("one", { description: "Old" }));
    tools.register(hostTool("one", { description: "New" }));
    expect(tools.list().map(({ id, description }) => [id, description])).toEqual([["id-2", "New"]]);
  });

  it("gives a bare name to the first owner in alphabetical order, whatever the order of arrival, with a warning [R2]", () => {
    for (const order of [
      ["alpha", "beta"],
      ["beta", "alpha"],
    ]) {
      const warnings: string[] = [];
      const tools = registry(warnings);
      for (const name of order) plugin(tools, name, "count");
      expect(tools.get("count").plugin).toBe("alpha");
      expect(tools.get("beta.count").plugin).toBe("beta");
      expect(tools.get("alpha.count").plugin).toBe("alpha");
      expect(warnings).toEqual([
        'Tool "beta.count" is reachable by its qualified name only: "count" is a tool of "alpha" (call it by its qualified name, or rename it)',
      ]);
      tools.removeOwner("alpha");
      expect(tools.get("count").plugin).toBe("beta");
    }
  });

  it("resolves names independently of the order in which plugins come and go [R2]", () => {
    const contents = fc.uniqueArray(
      fc.record({
        owner: fc.constantFrom("a", "b", "c", "bl", "b1"),
        tools: fc.uniqueArray(fc.constantFrom("x", "X", "read", "echo", "xl", "x1"), { minLength: 1 }),
      }),
      { selector: ({ owner }) => owner },
    );
    fc.assert(
      fc.property(contents, fc.infiniteStream(fc.nat()), (plugins, numbers) => {
        const seen = [plugins, plugins.toReversed(), plugins.toSorted(() => ((numbers.next().value ?? 0) % 2) - 0.5)].map((order) => {
          const tools = registry();
          tools.register(hostTool("echo"), { owner: BUILTIN_OWNER, source: "builtin" });
          for (const { owner, tools: names } of order) {
            tools.replaceOwner(
              owner,
              names.map(
                (name) =>
                  ({ ...publishedTools(pluginVersion("p"))[0], definition: { ...pluginVersion("p").manifest.tools[0], name } }) as never,
              ),
            );
          }
          const names = ["x", "X", "read", "echo", "xl", "x1"].flatMap((name) => [name, ...plugins.map(({ owner }) => `${owner}.${name}`)]);
          return names.map((name) => {
            const tool = tools.snapshot().find(name);
            return tool === undefined ? "-" : `${tool.qualifiedName} ${tool.binding.kind}`;
          });
        });
        expect(seen[1]).toEqual(seen[0]);
        expect(seen[2]).toEqual(seen[0]);
      }),
    );
  });

  it("never gives away a built-in's name or alias [M5, R2]", () => {
    const tools = registry();
    tools.register(hostTool("echo"), { owner: BUILTIN_OWNER, source: "builtin" });
    tools.alias("Echo", "echo");
    plugin(tools, "evil", "echo", "other");
    plugin(tools, "evil2", "Echo");
    plugin(tools, "evil3", "ech0");
    expect(tools.get("echo").source).toBe("builtin");
    expect(tools.get("Echo").source).toBe("builtin");
    expect(["evil.echo", "evil2.Echo", "evil3.ech0", "evil.other"].map((name) => tools.get(name).binding.kind)).toEqual([
      "unavailable",
      "unavailable",
      "unavailable",
      "plugin",
    ]);
    expect(() => tools.register(hostTool("echo"))).toThrow('The name "echo" is taken by the built-in tool "echo"');
    expect(() => tools.register(hostTool("Echo"))).toThrow(ToolRegistrationError);
  });

  it("refuses names that users could confuse [M5]", () => {
    const tools = registry();
    plugin(tools, "w0rds", "other");
    plugin(tools, "words", "count");
    plugin(tools, "aaa", "C0unt");
    expect(tools.get("w0rds.other").binding).toEqual({
      kind: "unavailable",
      reason: `the plugin's name "w0rds" looks like "words" (rename the plugin)`,
    });
    expect(tools.get("aaa.C0unt").binding).toEqual({
      kind: "unavailable",
      reason: `the name "C0unt" looks like the tool "count" (rename the tool)`,
    });
    expect(tools.get("count").binding.kind).toBe("plugin");
    expect(tools.has("C0unt")).toBe(false);
  });

  it("keeps the exported names of the program's tools from plugins, whichever tools a client sees [R2.export-authority]", () => {
    const tools = registry();
    plugin(tools, "notes", "search");
    tools.register(hostTool("notes__search", { visibility: { roles: ["staff"] } }));
    const now = tools.snapshot();
    const names = now.tools.map(({ id, qualifiedName }) => [qualifiedName, now.exportName(id)]);
    expect(names).toEqual([
      ["notes.search", expect.stringMatching(/^tool__0[a-z2-7]{26}_search$/)],
      ["notes__search", "notes__search"],
    ]);
  });

  it("keeps a disconnected server's names for it, and gives it none for unaccepted tools [R2.servers]", () => {
    const tools = registry();
    const standing = { known: false, holds: new Set(["add"]) };
    tools.replaceOwner("mcp__files", [], standing);
    plugin(tools, "maths", "add", "other");
    expect([tools.has("add"), tools.has("maths.add"), tools.get("other").owner]).toEqual([false, true, "maths"]);
    const [add, other] = publishedTools(pluginVersion("p", { tools: [{ name: "add" }, { name: "other" }] }));
    const waiting = { kind: "unavailable", reason: "not accepted" } as const;
    tools.replaceOwner(
      "mcp__files",
      [
        { ...add, binding: waiting },
        { ...other, binding: waiting },
      ] as never,
      standing,
    );
    expect([tools.get("add").owner, tools.get("other").owner]).toEqual(["mcp__files", "maths"]);
    tools.removeOwner("mcp__files");
    expect(tools.get("add").owner).toBe("maths");
  });

  it("refuses an owner name that the program and a plugin both use [R2.owner]", () => {
    const tools = registry();
    tools.register(hostTool("add"), { owner: "maths" });
    expect(() => plugin(tools, "maths", "other")).toThrow('The program has tools under the name "maths"');
    plugin(tools, "notes", "search");
    expect(() => tools.register(hostTool("find"), { owner: "notes" })).toThrow('"notes" is a plugin or an MCP server');
  });

  it("sets tags for source and toolkit [R3]", () => {
    const tools = registry();
    tools.register(hostTool("one", { tags: ["mine"] }), { toolkit: "kit" });
    expect(tools.list()[0]).toMatchObject({ source: "function", toolkit: "kit", tags: ["mine", "source:function", "toolkit:kit"] });
  });

  it("lists by source, category, all tags, role and whether they can be called [R3]", () => {
    const tools = registry();
    tools.register(hostTool("one", { category: "math", tags: ["a", "b"] }));
    tools.register(hostTool("two", { tags: ["a"], visibility: { roles: ["admin"] } }));
    plugin(tools, "words", "count");
    const version = pluginVersion("off");
    tools.replaceOwner(
      "off",
      version.manifest.tools.map((definition) => ({ definition, binding: { kind: "unavailable", reason: "disabled" } })),
    );
    const names = (filter: Parameters<Registry["list"]>[0]): readonly string[] => tools.list(filter).map(({ name }) => name);
    expect(names({ source: "user" })).toEqual(["one", "two"]);
    expect(names({ source: "plugin", enabledOnly: true })).toEqual(["count"]);
    const owners = (filter: Parameters<Registry["list"]>[0]): unknown => tools.list(filter).map((tool) => [tool.plugin, tool.name]);
    expect(owners({ plugin: "words" })).toEqual([["words", "count"]]);
    expect(owners({ name: "one" })).toEqual([[undefined, "one"]]);
    expect(owners({ name: "words.count" })).toEqual([["words", "count"]]);
    expect(owners({ name: "words.coun" })).toEqual([]);
    expect(names({ category: "math" })).toEqual(["one"]);
    expect(names({ tags: ["a", "b"] })).toEqual(["one"]);
    expect(names({ tags: ["a"], role: "guest" })).toEqual(["one"]);
    expect(names({ tags: ["a"], role: "admin" })).toEqual(["one", "two"]);
  });

  it("includes source, schemas and behaviour in each entry, and omits empty side effects [R3]", () => {
    const tools = registry();
    tools.replaceOwner(
      "notes",
      publishedTools(
        pluginVersion("notes", {
          permissions: { write: ["$workspace"] },
          tools: [{ name: "add", sideEffects: ["write"], timeoutMs: 5_000, category: "data" }, { name: "help" }],
          manifest: { limits: { memoryBytes: 1_000_000 } },
        }),
      ),
    );
    expect(tools.list().find(({ name }) => name === "add")).toEqual({
      id: "id-1",
      name: "add",
      qualifiedName: "notes.add",
      description: "Does add",
      plugin: "notes",
      version: "1.0.0",
      digest: "digest-of-notes",
      source: "plugin",
      category: "data",
      tags: ["source:plugin"],
      inputSchema: { type: "object" },
      sideEffects: ["write"],
      class: "write",
      destructive: false,
      annotations: expect.any(Object),
      permissions: { write: ["$workspace"] },
      route: "wasm",
      limits: { memoryBytes: 1_000_000, wallMs: 5_000 },
      enabled: true,
    });
    expect(tools.list().find(({ name }) => name === "help")).not.toHaveProperty("sideEffects");
  });

  it("finds tools by capability [R9]", () => {
    const tools = registry();
    tools.registerMany([
      hostTool("pure", { determinism: "deterministic" }),
      hostTool("writer", { sideEffects: ["read", "write"], tags: ["files"] }),
      hostTool("reader", { sideEffects: ["read"], tags: ["files"] }),
    ]);
    const names = (query: Parameters<Registry["find"]>[0]): readonly string[] => tools.find(query).map(({ name }) => name);
    expect(names({ sideEffects: ["write"] })).toEqual(["writer"]);
    expect(names({ determinism: "deterministic" })).toEqual(["pure"]);
    expect(names({ tags: ["files"], sideEffects: ["read"] })).toEqual(["reader", "writer"]);
  });

  it("returns snapshots that later changes do not affect [R7]", () => {
    const tools = registry();
    tools.register(hostTool("one"));
    const before = tools.snapshot();
    tools.register(hostTool("two"));
    tools.unregister("one");
    expect(before.tools.map(({ name }) => name)).toEqual(["one"]);
    expect(before.find("two")).toBeUndefined();
    expect(Object.isFrozen(before.tools)).toBe(true);
  });

  it("replaces all tools of a plugin in one change [R7, H4]", () => {
    const tools = registry();
    const changes: RegistryChange[] = [];
    plugin(tools, "words", "count", "grep");
    tools.onChange((change) => {
      // A listener sees the complete new state.
      expect(tools.snapshot().tools.map(({ name }) => name)).toEqual(["count", "outline"]);
      changes.push(change);
    });
    plugin(tools, "words", "count", "outline");
    expect(changes.map(({ added, removed }) => [added.map(({ name }) => name), removed.map(({ name }) => name)])).toEqual([
      [
        ["count", "outline"],
        ["count", "grep"],
      ],
    ]);
  });
});
