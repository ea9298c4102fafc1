import { describe, expect, it } from "vitest";
import { registerBuiltins } from "../../../host/sources/builtin.ts";
import type { MemoryEntry } from "../../../host/platform/memory/memory.ts";
import { memoryPlatform, WORKSPACE } from "../../support/memory-platform.ts";
import { testHost, type TestHost } from "../../support/test-host.ts";
import { createRegistry } from "../../../host/tools/registry.ts";
import { toolSuite } from "../../conformance/tool.ts";

function host(files: Readonly<Record<string, MemoryEntry>> = {}): TestHost {
  const made = testHost({ platform: memoryPlatform(files), project: { confirmation: { default: { write: "auto" } } } });
  registerBuiltins(made.registry, { reload: async () => 3 });
  return made;
}

const everything = createRegistry({ newId: () => "id" });
registerBuiltins(everything, { reload: async () => 0 });
for (const { name, binding } of everything.snapshot().tools) if (binding.kind === "factory") toolSuite(name, binding.create);

describe("registerBuiltins()", () => {
  it.each(["shell", "run_shell", "Shell"])("reserves %s, also while it is off [G2.reserved] [M5]", (name) => {
    const registry = createRegistry({ newId: () => "id" });
    registerBuiltins(registry);
    const definition = { name, description: "Runs anything", inputSchema: { type: "object" as const }, sideEffects: [] };
    expect(() => registry.register(() => ({ definition, execute: () => null }))).toThrow("built-in");
    expect(registry.get(name).name).toBe("shell");
  });

  it("echoes a text [G2]", async () => {
    expect((await host().call("echo", { text: "hi" })).output).toEqual({ text: "hi" });
    expect((await host().call("Echo", { text: "hi" })).output).toEqual({ text: "hi" });
  });

  it("reads a file as content and size in bytes [G2]", async () => {
    const made = host({ "a.txt": "grün" });
    expect((await made.call("Read", { path: "a.txt" })).output).toEqual({ content: "grün", size: 5 });
    expect((await made.call("read_file", { path: `${WORKSPACE}/a.txt`, offset: 1, length: 2 })).output).toEqual({
      content: "rü".slice(0, 1) + "\ufffd",
      size: 2,
    });
  });

  it("writes a file, and appends to it [G2]", async () => {
    const made = host();
    const written = await made.call("Write", { path: "new.txt", content: "one" });
    expect(written).toMatchObject({ output: { size: 3 }, filesModified: [expect.stringContaining("new.txt")], sideEffects: ["write"] });
    expect((await made.call("write_file", { path: "new.txt", content: "two!", append: true })).output).toEqual({ size: 4 });
    expect((await made.call("Read", { path: "new.txt" })).output).toEqual({ content: "onetwo!", size: 7 });
  });

  it("patches the only occurrence of a text [G2, C8]", async () => {
    const made = host({ "a.txt": "one two two" });
    expect(await made.call("patch_file", { path: "a.txt", old: "one", new: "1" })).toMatchObject({ ok: true });
    expect(await made.call("patch_file", { path: "a.txt", old: "two", new: "2" })).toMatchObject({
      ok: false,
      error: { code: "tool_failed", message: expect.stringContaining("more than once") },
    });
    expect((await made.call("Read", { path: "a.txt" })).output).toEqual({ content: "1 two two", size: 9 });
  });

  it("lists a folder, or the matches of a glob below it [G2]", async () => {
    const made = host({ "a.md": "", "src/b.ts": "", "src/deep/c.ts": "", "src/link": { link: "/etc" } });
    const names = async (args: object): Promise<unknown> =>
      ((await made.call("list_dir", args as never)).output as { entries: { name: string }[] }).entries.map(({ name }) => name);
    expect((await made.call("list_directory", {})).output).toEqual({
      entries: [
        { name: "a.md", kind: "file" },
        { name: "src", kind: "directory" },
      ],
    });
    expect(await names({ glob: "**/*.ts" })).toEqual(["src/b.ts", "src/deep/c.ts"]);
    expect(await names({ glob: "*" })).toEqual(["a.md", "src"]);
    expect(await names({ glob: "**" })).toEqual(["a.md", "src", "src/b.ts", "src/deep", "src/deep/c.ts", "src/link"]);
    expect(await names({ path: "src", glob: "?.ts" })).toEqual(["b.ts"]);
  });

  it("reports file errors with their own message [G2]", async () => {
    expect(await host().call("Read", { path: "missing.txt" })).toMatchObject({
      ok: false,
      error: { code: "tool_failed", visible: true, message: expect.stringContaining("missing.txt") },
    });
    expect(await host({ dir: { directory: true } }).call("Read", { path: "dir" })).toMatchObject({
      ok: false,
      error: { code: "tool_failed", visible: true },
    });
  });

  it("stays inside the workspace, through links too [C4, C5, X5]", async () => {
    const made = host({ "/etc/passwd": "root", link: { link: "/etc" } });
    for (const path of ["../etc/passwd", "/etc/passwd", "link/passwd"]) {
      expect(await made.call("Read", { path })).toMatchObject({
        ok: false,
        error: { code: "fs_denied", message: "Path escapes workspace boundary" },
      });
    }
    expect(await made.call("Write", { path: "link/new", content: "x" })).toMatchObject({ ok: false, error: { code: "fs_denied" } });
  });

  it("reloads plugins [H2]", async () => {
    expect((await host().call("reload_plugins")).output).toEqual({ reloaded: 3 });
  });
});
