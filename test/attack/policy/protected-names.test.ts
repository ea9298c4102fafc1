import { describe, expect, it } from "vitest";
import { createHost, functionTool, type Host, type ToolFactory } from "../../../host/mod.ts";
import type { JsonValue } from "../../../manifests/mod.ts";
import { memoryPlatform, WORKSPACE } from "../../support/memory-platform.ts";

const FILES = {
  ".env": "KEY=1",
  "app/.env.production": "KEY=2",
  "app/.ssh/id": "key",
  "sub/.bascule/admin.token": "t",
  ".bascule/data/notes/x": "x",
  link: { link: "app/.env.production" },
  "free.txt": "free",
  ".env.example": "KEY=",
  "notes.pem": "pem",
};

function peekTool(declared: Partial<Parameters<typeof functionTool>[1]> = {}): ToolFactory {
  return functionTool(({ path }: { path: string }, { workspace }) => workspace.read(path), {
    name: "peek",
    description: "Reads through its context",
    sideEffects: ["read"],
    inputSchema: { type: "object", properties: { path: { type: "string" } } },
    ...declared,
  });
}

async function hostOf(policy?: Record<string, JsonValue>, tools: readonly ToolFactory[] = [peekTool()]): Promise<Host> {
  return await createHost({
    platform: memoryPlatform(FILES),
    tools,
    config: { confirmation: { default: { write: "auto" } }, ...(policy && { policy }) },
  });
}

const PROTECTED = [
  ".env",
  "app/.env.production",
  "app/.ssh/id",
  "sub/.bascule/admin.token",
  ".bascule/data/notes/x",
  "link",
  "./app/../.env",
];

describe("attack: a tool without a grant accesses files with secrets", () => {
  it.each(PROTECTED)("%s is neither read nor written [C2.protected, G2]", async (path) => {
    await using host = await hostOf();
    const results = [
      await host.call("read_file", { path }),
      await host.call("Read", { path }),
      await host.call("write_file", { path, content: "x" }),
      await host.call("write_file", { path, content: "x", append: true }),
      await host.call("patch_file", { path, old: "K", new: "" }),
      await host.call("peek", { path }),
    ];
    expect(results.map(({ ok }) => ok)).toEqual([false, false, false, false, false, false]);
    expect(JSON.stringify(results.map(({ output }) => output))).not.toMatch(/KEY|key/);
  });

  it("does not list or create protected files [C2.protected]", async () => {
    await using host = await hostOf();
    for (const path of ["app/.ssh", "sub/.bascule"]) expect((await host.call("list_dir", { path })).ok, path).toBe(false);
    expect((await host.call("list_dir", { glob: "**/*" })).output).toEqual({
      entries: expect.not.arrayContaining([expect.objectContaining({ name: expect.stringMatching(/\.ssh\/|\.bascule\//) })]),
    });
    expect((await host.call("write_file", { path: "new/.env", content: "" })).ok).toBe(false);
    expect(await host.call("read_file", { path: ".env.example" })).toMatchObject({ ok: true });
    expect(await host.call("read_file", { path: "free.txt" })).toMatchObject({ ok: true });
  });

  it("names what to change, and where [C2.protected, X3]", async () => {
    await using host = await hostOf();
    expect(await host.call("read_file", { path: ".env" })).toMatchObject({
      error: {
        code: "fs_denied",
        message: `Requires read access to ".env", whose name is protected (take it out of "policy.protected" in bascule.json)`,
      },
    });
  });

  it("follows the policy, and lists the protected names [C2.protected]", async () => {
    await using host = await hostOf({ protected: ["*.pem"] });
    expect(await host.call("read_file", { path: ".env" })).toMatchObject({ ok: true, output: { content: "KEY=1" } });
    expect(await host.call("read_file", { path: "notes.pem" })).toMatchObject({ ok: false, error: { code: "fs_denied" } });
    expect(host.list({ name: "read_file" }).map((tool) => tool.protected)).toEqual([["$workspace/**/*.pem"]]);
    expect(host.list({ name: "echo" }).map((tool) => tool.protected)).toEqual([undefined]);
    // Policy does not affect the host's own files.
    expect(await host.call("read_file", { path: `${WORKSPACE}/.bascule/grants.json` })).toMatchObject({ ok: false });
  });

  it("does not restrict a tool whose permissions the user declared [C2.protected]", async () => {
    const permissions = { read: ["$workspace"] };
    await using host = await hostOf(undefined, [peekTool({ permissions }), peekTool({ name: "peek_free" })]);
    expect(await host.call("peek", { path: ".env" })).toMatchObject({ ok: true, output: "KEY=1" });
    expect(await host.call("peek_free", { path: ".env" })).toMatchObject({ ok: false });
  });

  it.each(["a/b", "**", "..", "[a]"])("refuses the name %j [C2.protected]", async (name) => {
    await expect(hostOf({ protected: [name] })).rejects.toThrow(/protected/);
  });
});
