/** The `.mcpb` of bascule: built, unpacked and started as a client does. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import { unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { parseBundle } from "../../manifests/mod.ts";
import { buildMcpb } from "../../scripts/build-mcpb.ts";
import { readJson, readText } from "../support/extension-files.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const MANIFEST = "extensions/mcpb/manifest.json";

describe("the .mcpb of bascule", () => {
  it("has a manifest that the published schema accepts, and with a wrong one it would not [DI4.mcpb-schema]", () => {
    const validate = new AjvJsonSchemaValidator().getValidator(readJson("test/fixtures/schemas/mcpb-manifest-v0.4.schema.json"));
    const manifest = readJson(MANIFEST);
    expect(validate(manifest)).toEqual({ valid: true, data: manifest, errorMessage: undefined });
    expect(validate({ ...manifest, author: "me" }).valid).toBe(false);
  });

  it("holds all that it starts with, and bascule accepts it too [DI4.mcpb-files]", { timeout: 120_000 }, async () => {
    const { files } = await build();
    const bundle = parseBundle(readText(MANIFEST), { files: new Set(Object.keys(files)), platform: "linux" });
    expect(bundle).toMatchObject({
      ok: true,
      value: { name: "bascule", version: (readJson("package.json") as { version: string }).version },
    });
    const left = Object.keys(files).filter((path) => /\.(?:map|ts|md)$/.test(path) || path.includes("/.") || path.includes(".."));
    expect(left).toEqual([]);
  });

  it("serves the chosen folder's plugins, from a folder with nothing else [DI4.mcpb-starts]", { timeout: 120_000 }, async () => {
    const folder = await temporaryFolder();
    const { files } = await build();
    for (const [path, bytes] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, "bundle", path)), { recursive: true });
      writeFileSync(join(folder, "bundle", path), bytes);
    }
    const project = join(folder, "my project");
    mkdirSync(join(project, "plugins/hi"), { recursive: true });
    writeFileSync(join(project, "plugins/hi/main.ts"), `export const hi = ({ name }: { name: string }) => "Hi " + name;`);
    const tool = {
      name: "hi",
      description: "Greets",
      inputSchema: { type: "object", properties: { name: { type: "string" } } },
      sideEffects: [],
    };
    const plugin = { schemaVersion: "1.0", name: "hi", version: "1.0.0", description: "Greets", tools: [tool] };
    writeFileSync(join(project, "plugins/hi/manifest.json"), JSON.stringify(plugin));

    const { server } = readJson(MANIFEST) as { server: { mcp_config: { args: readonly string[] } } };
    const args = server.mcp_config.args.map((arg) =>
      arg.replace("${__dirname}", join(folder, "bundle")).replace("${user_config.project}", project),
    );
    const transport = new StdioClientTransport({
      command: process.execPath,
      args,
      cwd: folder,
      env: { ...getDefaultEnvironment(), HOME: folder, XDG_CONFIG_HOME: join(folder, "config") },
      stderr: "ignore",
    });
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(transport);
    try {
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain("hi__hi");
      expect((await client.callTool({ name: "hi__hi", arguments: { name: "Ada" } })).content).toEqual([{ type: "text", text: "Hi Ada" }]);
    } finally {
      await client.close();
    }
    expect(existsSync(join(project, ".bascule"))).toBe(true);
  });
});

let built: Promise<{ readonly files: Readonly<Record<string, Uint8Array>> }> | undefined;

/** Built once for all tests of this file. */
function build(): NonNullable<typeof built> {
  built ??= temporaryFolder()
    .then(buildMcpb)
    .then((path) => ({ files: unzipSync(readFileSync(path)) }));
  return built;
}
