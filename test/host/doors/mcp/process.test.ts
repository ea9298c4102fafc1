import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it } from "vitest";
import { MODERN, until } from "../../../support/mcp-client.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const PROGRAM = fileURLToPath(new URL("../../../../bin/bascule.mjs", import.meta.url));
const ON_DENO = "Deno" in globalThis;

/** Writes the plugin. Later versions only drop tools, so they need no acceptance. */
async function writePlugin(folder: string, tools: readonly string[], answer: string): Promise<void> {
  const manifest = {
    schemaVersion: "1.0",
    name: "demo",
    version: "1.0.0",
    description: "Is reloaded",
    tools: tools.map((name) => ({ name, description: "Answers", inputSchema: { type: "object" }, sideEffects: [] })),
  };
  await mkdir(folder, { recursive: true });
  const write = async (name: string, text: string): Promise<void> => {
    await writeFile(join(folder, `.${name}.new`), text);
    await rename(join(folder, `.${name}.new`), join(folder, name));
  };
  await write("main.ts", `export const goes = () => 1; export function stays() { console.log('{"jsonrpc":"2.0"}'); return "${answer}"; }`);
  await write("manifest.json", JSON.stringify(manifest));
}

describe("bascule mcp", () => {
  it.each(["legacy", "modern"] as const)(
    "serves a client of the %s revision over stdio while plugins change, with only protocol messages on stdout [I3.stdio] [I2.mcp]",
    { timeout: 60_000 },
    async (era) => {
      const folder = await temporaryFolder();
      await writePlugin(join(folder, "plugins", "demo"), ["goes", "stays"], "before");
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [...(ON_DENO ? ["run", "-A"] : []), PROGRAM, "mcp", "--project", folder],
        env: { ...getDefaultEnvironment(), NO_COLOR: "1" },
        stderr: "pipe",
      });
      // Drain the pipe, because a full one would block the server.
      transport.stderr?.on("data", () => {});
      const client = new Client(
        { name: "test", version: "1.0.0" },
        era === "modern" ? { versionNegotiation: { mode: { pin: MODERN } } } : {},
      );
      const wrong: Error[] = [];
      client.onerror = (error) => wrong.push(error);
      await client.connect(transport);
      let changes = 0;
      client.setNotificationHandler("notifications/tools/list_changed", () => void (changes += 1));
      if (era === "modern") await client.listen({ toolsListChanged: true });
      const own = async (): Promise<readonly string[]> =>
        (await client.listTools()).tools.map(({ name }) => name).filter((name) => name.startsWith("demo__"));
      expect(await own()).toEqual(["demo__goes", "demo__stays"]);
      expect((await client.callTool({ name: "demo__stays", arguments: {} })).content).toEqual([{ type: "text", text: "before" }]);

      await writePlugin(join(folder, "plugins", "demo"), ["stays"], "after");
      // The two files change one after the other, so the host may see only the first change.
      for (let seen = 0, left = 2; left > 1; left = (await own()).length) {
        await until(() => changes > seen, 30_000);
        seen = changes;
      }
      expect((await client.callTool({ name: "demo__stays", arguments: {} })).content).toEqual([{ type: "text", text: "after" }]);
      // Any line that is not a protocol message would have caused an error.
      expect(wrong).toEqual([]);
      await client.close();
    },
  );
});
