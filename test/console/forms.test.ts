/** Actions on the console: forms, dry runs and commits, undo, settings, acceptance. Runs in the browser that `CHROMIUM` names. */

import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { McpClient } from "../../host/sources/mcp/mod.ts";
import { consoleTests, faultsOf, PROGRAM, serveConsole, type Served } from "../support/console.ts";
import { hostTool } from "../support/tools.ts";

const HOSTILE = `<img src=x onerror="window.hacked=1">`;
const FORM = {
  type: "object",
  properties: {
    rules: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        properties: {
          match: { type: "string" },
          level: { type: "string", enum: ["low", "high"], default: "high" },
          words: { type: "array", items: { type: "string" } },
        },
        required: ["match"],
      },
    },
    ratio: { type: ["number", "null"], minimum: 0, maximum: 1, default: 0.5 },
    place: { type: "object", properties: { x: { type: "integer" }, y: { type: "integer" } }, required: ["x"] },
    'a b"><script>': { type: "boolean", default: true, description: HOSTILE },
    __proto: { type: "string" },
  },
  required: ["rules"],
} as const;

function manifest(
  version: string,
  { net = [], description = "Reads a file" }: { readonly net?: readonly string[]; readonly description?: string } = {},
): string {
  return JSON.stringify({
    schemaVersion: "1.0",
    name: "demo",
    version,
    description: "Is looked at",
    permissions: { read: ["$workspace", "/srv/other"], ...(net.length > 0 && { net }) },
    settingsSchema: {
      type: "object",
      properties: {
        greeting: { type: "string", default: "hello", description: HOSTILE },
        limits: { type: "object", properties: { size: { type: "integer" } } },
        level: { type: "string", enum: ["low", "high"], default: "low" },
      },
    },
    tools: [
      { name: "look", description, inputSchema: { type: "object", properties: { path: { type: "string" } } }, sideEffects: ["read"] },
    ],
  });
}

/** An MCP server whose tool `add` has this description. */
const server = (description: string): McpClient => ({
  listTools: () => Promise.resolve({ tools: [{ name: "add", description, inputSchema: { type: "object" } }] }),
  callTool: () => Promise.reject(new Error("It is not called")),
  close: () => Promise.resolve(),
});

describe.skipIf(!existsSync(PROGRAM))(
  `a user at the console in ${PROGRAM || "a browser (set CHROMIUM to run this)"}`,
  { timeout: 60_000 },
  () => {
    let served: Served;
    let page: Page;
    const seen: unknown[] = [];
    const openPage = consoleTests(async () => {
      const demo = { "manifest.json": manifest("1.0.0"), "main.ts": "export const look = ({ path }) => Deno.readTextFile(path);\n" };
      const shape = hostTool("shape", { inputSchema: FORM }, (args) => {
        seen.push(args);
        return null;
      });
      const write = hostTool("write", { sideEffects: ["write"] }, async (_args, { workspace }) => {
        await workspace.write("out.txt", `one\n${HOSTILE}\n`);
        return "written";
      });
      served = await serveConsole(demo, {
        tools: [shape, () => ({ ...write(), changesByContext: true })],
        undo: true,
        events: { store: true },
      });
      await served.host.addMcpServer("far", { client: server("Adds") });
      await served.host.removeMcpServer("far");
      await served.host.addMcpServer("far", { client: server(`Adds ${HOSTILE}`) });
      return served;
    });

    async function open(view: string, options: Parameters<Browser["newContext"]>[0] = {}): Promise<void> {
      page = await openPage(options);
      await page.getByRole("link", { name: view }).click();
    }

    it("fills lists, objects, choices, defaults and null by the schema alone, whatever the names in it [I5.form]", async () => {
      await open("Run a tool", { colorScheme: "dark" });
      await page.getByLabel("Tool", { exact: true }).selectOption("shape");
      await page.getByLabel("match (required)").fill("first");
      await page.getByRole("button", { name: "Add to words" }).click();
      await page.getByLabel("words 1 (required)").fill("a\nb");
      await page.getByRole("button", { name: "Add to rules" }).click();
      await page.getByLabel("match (required)").nth(1).fill("second");
      await page.getByLabel("level").nth(1).selectOption("low");
      await page.getByRole("button", { name: "Add to rules" }).click();
      await page.getByRole("button", { name: "Remove rules 3" }).click();
      await page.getByLabel("Include place").check();
      await page.getByLabel("x (required)").fill("3");
      expect(await page.getByLabel("ratio", { exact: true }).inputValue()).toBe("0.5");
      await page.getByLabel("ratio is null").check();
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await page.getByText("success").waitFor();
      await page.getByLabel("ratio is null").uncheck();
      await page.getByLabel("ratio", { exact: true }).fill("0.25");
      await page.getByLabel("Include place").uncheck();
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await expect.poll(() => seen.length).toBe(2);
      const rules = [
        { match: "first", level: "high", words: ["a\nb"] },
        { match: "second", level: "low" },
      ];
      const flag = { 'a b"><script>': true };
      expect(seen).toEqual([
        { rules, ratio: null, place: { x: 3 }, ...flag },
        { rules, ratio: 0.25, ...flag },
      ]);
      expect(await page.getByRole("button", { name: "Dry run" }).count()).toBe(0);
    });

    it("makes a dry run, sees the diff, commits it and undoes it, by keyboard alone [I5.dry-run, I5.undo, E8.console]", async () => {
      await open("Run a tool");
      await page.getByLabel("Tool", { exact: true }).selectOption("write");
      const press = async (name: string): Promise<void> => {
        await page.getByRole("button", { name, exact: true }).first().focus();
        await page.keyboard.press("Enter");
      };
      await press("Dry run");
      await page.getByText("Nothing was changed.").waitFor();
      await page.getByText(`+${HOSTILE}`).waitFor();
      expect(() => served.read("out.txt")).toThrow("ENOENT");
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole("link", { name: "Calls" }).click();
      await page
        .getByRole("row", { name: /write.*dry run.*completed/ })
        .first()
        .waitFor();
      await page.getByRole("link", { name: "Journal" }).click();
      await page.getByRole("listitem").filter({ hasText: "tool.completed" }).first().getByText("dry run", { exact: true }).waitFor();
      await page.getByRole("link", { name: "Run a tool" }).click();
      await page.getByLabel("Tool", { exact: true }).selectOption("write");
      await press("Dry run");
      await page.getByText("Nothing was changed.").waitFor();
      await press("Commit");
      await page.getByText("done", { exact: true }).waitFor();
      expect(served.read("out.txt")).toContain("one\n");
      await press("Undo write");
      await page.getByText(`-${HOSTILE}`).waitFor();
      expect(served.read("out.txt")).toContain("one\n");
      await press("Restore");
      await page.getByText("Files restored: 1").waitFor();
      expect(() => served.read("out.txt")).toThrow("ENOENT");
    });

    it("sees a plugin's used permissions beside the requested and granted ones, and the changes of a waiting version [I5.used, I5.quarantine, H6]", async () => {
      await served.host.grant("demo", { read: ["$workspace", "/srv/other"] });
      await writeFile(join(served.folder, "notes.txt"), "noted");
      await served.host.call("demo.look", { path: "notes.txt" });
      await open("Plugins", { colorScheme: "dark" });
      await page.getByRole("link", { name: "demo", exact: true }).click();
      await page.getByRole("tab", { name: "Permissions" }).click();
      await page.getByRole("row", { name: /^read \$workspace requested granted used/ }).waitFor();
      await page.getByRole("row", { name: /^read \$workspace\/notes\.txt 1 0 / }).waitFor();
      await page.getByRole("row", { name: /^read \/srv\/other requested granted not used never used/ }).waitFor();
      const description = `Reads a file ${HOSTILE}`;
      await served.plant("manifest.json", manifest("2.0.0", { net: ["evil.example"], description }));
      await page.getByRole("tab", { name: "Overview" }).click();
      await page.getByText("Version 2.0.0 waits for you").waitFor();
      await page.getByText("+ net evil.example").waitFor();
      await page.getByText("can do more").waitFor();
      await page.getByText('- "Reads a file"').waitFor();
      await page.getByText(`+ ${JSON.stringify(description)}`).waitFor();
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole("button", { name: "Accept version 2.0.0" }).click();
      await page.getByText("Version 2.0.0 waits for you").waitFor({ state: "detached" });
      await expect.poll(() => served.host.plugins()[0]?.version).toBe("2.0.0");
    });

    it("changes a plugin's settings and resets them to their defaults [I5.settings, G1.console]", async () => {
      await open("Plugins");
      await page.getByRole("link", { name: "demo", exact: true }).click();
      await page.getByRole("tab", { name: "Settings" }).click();
      const config = (): unknown => served.host.settings.view("demo").config;
      await page.getByLabel("greeting", { exact: true }).fill("good day");
      await page.getByRole("button", { name: "Save greeting" }).click();
      await expect.poll(config).toEqual({ greeting: "good day", level: "low" });
      await page.getByLabel("level", { exact: true }).selectOption("high");
      await page.getByRole("button", { name: "Save level" }).click();
      await page.getByLabel("Include limits").check();
      await page.getByLabel("size", { exact: true }).fill("7");
      await page.getByRole("button", { name: "Save limits" }).click();
      await expect.poll(config).toEqual({ greeting: "good day", level: "high", limits: { size: 7 } });
      await page.getByRole("button", { name: "Reset greeting" }).click();
      await expect.poll(config).toEqual({ greeting: "hello", level: "high", limits: { size: 7 } });
      expect(await faultsOf(page)).toEqual([]);
      await page.getByLabel("Tool look enabled").uncheck();
      await expect.poll(() => served.host.settings.view("demo").disabledTools).toEqual(["look"]);
      await page.getByLabel("Tool look enabled").check();
      await expect.poll(() => served.host.settings.view("demo").disabledTools).toEqual([]);
    });

    it("sees the tools of an MCP server that are not offered, and accepts them [I5.servers, K3.console]", async () => {
      await open("MCP servers");
      await page.getByRole("region", { name: /^far/ }).getByText("connected").waitFor();
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole("region", { name: "Old and new: description of tool add" }).waitFor();
      expect(await page.evaluate("(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('pre.diff'))")).toBe(
        0,
      );
      const place = await page.getByRole("button", { name: "Accept add" }).boundingBox();
      // In view: the reason beside it breaks into lines.
      expect((place?.x ?? Infinity) + (place?.width ?? 0)).toBeLessThan(1_080);
      await page.getByRole("button", { name: "Accept add" }).click();
      await page.getByRole("row", { name: /^mcp__far\.add offered/ }).waitFor();
      await expect.poll(() => page.evaluate("document.activeElement.ariaLabel")).toBe("Tools of far");
      expect(served.host.mcpServers()).toMatchObject([{ name: "far", refused: [] }]);
    });

    it("cancels a running call of any door, and pages back in the verified journal [I5.cancel, I5.audit]", async () => {
      await open("Calls");
      await served.agentCalls("write", {});
      await page.getByRole("link", { name: "write" }).first().click();
      await page.getByRole("button", { name: "Cancel write" }).click();
      await page.getByRole("heading", { level: 1, name: "write" }).waitFor();
      await page.getByRole("link", { name: "Calls" }).click();
      await page
        .getByRole("row", { name: /write.*cancelled/ })
        .first()
        .waitFor();
      for (let n = 0; n < 60; n += 1) await served.host.call("echo", { text: `call ${n}` });
      await page.getByRole("link", { name: "Journal" }).click();
      await page.getByText("unchanged since they were written").waitFor();
      await page.getByLabel("tool").fill("echo");
      await page.getByRole("button", { name: "Search" }).click();
      await page.getByRole("button", { name: "Show older" }).click();
      await page.getByRole("button", { name: "Show older" }).waitFor({ state: "detached" });
      await expect.poll(() => page.locator("ol.records > li").count()).toBe(120);
    });
  },
);
