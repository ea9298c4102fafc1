/** The plugin for Claude Code. `claude plugin validate --strict` accepts it too; that program is too large for a test. */

import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readJson, readText } from "../support/extension-files.ts";
import { REPOSITORY } from "../support/source-files.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const FOLDER = "extensions/claude-code";
/** Names of plugins, skills and marketplaces: code.claude.com/docs, "Plugin manifest reference". */
const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

describe("the plugin for Claude Code", () => {
  it("is listed by the marketplace, with a manifest and a skill that say when they are of use [DI4.claude-code]", () => {
    const marketplace = readJson("extensions/.claude-plugin/marketplace.json") as {
      name: string;
      plugins: readonly { name: string; source: string }[];
    };
    const plugin = readJson(`${FOLDER}/.claude-plugin/plugin.json`);
    expect([marketplace.name, plugin["name"]].every((name) => typeof name === "string" && NAME.test(name))).toBe(true);
    expect(
      marketplace.plugins.map(({ name, source }) => [name, existsSync(join(REPOSITORY, "extensions", source, ".claude-plugin"))]),
    ).toEqual([[plugin["name"], true]]);
    const [, head = ""] = /^---\n([\s\S]*?)\n---\n/.exec(readText(`${FOLDER}/skills/bascule-plugin/SKILL.md`)) ?? [];
    expect(parse(head)).toEqual({ name: "bascule-plugin", description: expect.stringMatching(/^.{1,1024}$/) });
  });

  it(
    "finds bascule without a checkout, at its own version, and serves the open project [DI4.claude-code-starts]",
    { timeout: 60_000 },
    async () => {
      const { bascule } = (readJson(`${FOLDER}/.mcp.json`) as { mcpServers: Record<string, { command: string; args: readonly string[] }> })
        .mcpServers;
      expect(bascule).toEqual({
        command: "npx",
        args: ["-y", `bascule@${String(readJson("package.json")["version"])}`, "mcp", "--project", "${CLAUDE_PROJECT_DIR}"],
      });
      // As after `npm install bascule`: `npx` takes an installed package of that version, and asks the registry only for another one.
      const project = await temporaryFolder();
      const packages = join(project, "node_modules");
      mkdirSync(join(packages, ".bin"), { recursive: true });
      symlinkSync(REPOSITORY, join(packages, "bascule"));
      symlinkSync("../bascule/bin/bascule.mjs", join(packages, ".bin/bascule"));
      writeFileSync(join(project, "bascule.json"), `{}`);
      const client = new Client({ name: "test", version: "1.0.0" });
      const transport = new StdioClientTransport({
        command: "npx",
        args: (bascule?.args ?? []).map((arg) => arg.replace("${CLAUDE_PROJECT_DIR}", project)),
        cwd: project,
        env: { ...getDefaultEnvironment(), npm_config_offline: "true" },
        stderr: "ignore",
      });
      await client.connect(transport);
      try {
        expect((await client.callTool({ name: "echo", arguments: { text: "hello" } })).structuredContent).toEqual({ text: "hello" });
      } finally {
        await client.close();
      }
    },
  );
});
