/**
 * The console in a real browser: the one that `CHROMIUM` names, as in `CHROMIUM=/usr/bin/chromium`. Without it these are skipped.
 */

import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { consoleMount } from "../../host/doors/console/mount.ts";
import { type HostServer, openHostServer } from "../../host/doors/http/server.ts";
import { createHttpTokens, type HttpTokens } from "../../host/doors/http/tokens.ts";
import { createHost } from "../../host/host.ts";
import type { Host } from "../../host/host-interface.ts";
import { currentPlatform } from "../../host/platform/mod.ts";
import { configOf } from "../support/http-door.ts";
import { hostTool } from "../support/tools.ts";

const PROGRAM = process.env["CHROMIUM"] ?? "";
const HOSTILE = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>`;
const platform = currentPlatform({ log: { level: "error" } });

interface Served {
  readonly host: Host;
  readonly server: HostServer;
  readonly tokens: HttpTokens;
  readonly folder: string;
  readonly runs: () => number;
}

const manifest = (version: string, description: string): string =>
  JSON.stringify({
    schemaVersion: "1.0",
    name: "demo",
    version,
    description,
    permissions: { read: ["$workspace"] },
    tools: [{ name: "peek", description: "Looks", inputSchema: { type: "object" }, sideEffects: ["read"] }],
  });

async function serve(): Promise<Served> {
  const folder = await mkdtemp(join(tmpdir(), "bascule-console-"));
  await mkdir(join(folder, "plugins/demo"), { recursive: true });
  await writeFile(join(folder, "plugins/demo/manifest.json"), manifest("1.0.0", "The first version"));
  await writeFile(join(folder, "plugins/demo/main.ts"), "export const peek = () => 1;\n");
  let runs = 0;
  const fields = {
    type: "object",
    properties: {
      text: { type: "string", description: HOSTILE },
      count: { type: "integer" },
      loud: { type: "boolean" },
      mode: { enum: ["one", "two"] },
      more: { type: "array" },
    },
    required: ["text"],
  } as const;
  const host = await createHost({
    platform,
    config: false,
    workspace: folder,
    plugins: join(folder, "plugins"),
    watch: true,
    events: { store: false },
    tools: [hostTool("change", { sideEffects: ["write"], inputSchema: fields, description: HOSTILE }, (args) => ({ runs: ++runs, args }))],
  });
  const tokens = createHttpTokens({ ...platform, tokens: [await configOf("agent", "agent-token", ["call"])] });
  const server = await openHostServer({
    ...{ platform, host, tokens, mounts: [consoleMount] },
    about: { version: "0", pid: 1 },
    server: { tokens: [], allowedHosts: [], allowedOrigins: [], limits: {}, host: "127.0.0.1", port: 0 },
  });
  return { host, server, tokens, folder, runs: () => runs };
}

describe.skipIf(!existsSync(PROGRAM))(`the console in ${PROGRAM || "a browser (set CHROMIUM to run this)"}`, { timeout: 60_000 }, () => {
  let browser: Browser;
  let served: Served;
  let context: BrowserContext;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: PROGRAM, args: ["--no-sandbox"] });
    served = await serve();
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await Promise.all([served.server.close(), served.host.close()]);
    await rm(served.folder, { recursive: true, force: true });
  });
  afterEach(async () => {
    await context.close();
    for (const { request } of served.host.confirmations.list()) {
      served.host.confirmations.answer(request.requestId, { approve: false, hash: request.hash });
    }
    // A policy that was broken, a script that failed: the browser says so.
    expect(complaints.splice(0)).toEqual([]);
  });

  async function open(options: Parameters<Browser["newContext"]>[0] = {}): Promise<void> {
    context = await browser.newContext({ viewport: { width: 400, height: 800 }, ...options });
    page = await context.newPage();
    page.on("pageerror", (error) => complaints.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    await page.goto(`${served.server.url}/#code=${await served.tokens.issueCode()}`);
    await page.getByText("connected", { exact: true }).waitFor();
  }

  /** An agent calls, and is told to wait. */
  async function agentCalls(args: unknown): Promise<string> {
    const response = await fetch(`${served.server.url}/v1/calls`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer agent-token" },
      body: JSON.stringify({ tool: "change", args }),
    });
    return ((await response.json()) as { readonly callId: string }).callId;
  }

  it("logs in once with the code, which leaves no trace in the address [I5.login, I4.login]", async () => {
    await open();
    expect(page.url()).toBe(`${served.server.url}/#live`);
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByLabel("Token").fill("agent-token");
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("alert").getByText("needs one with the scope admin").waitFor();
  });

  it("shows a question as it comes, with what the call would do, and lets a person approve it by keyboard alone [I5.approve, E5.console]", async () => {
    await open();
    const before = served.runs();
    const callId = await agentCalls({ text: HOSTILE });
    await page.getByRole("link", { name: /Questions\s*1/ }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "change" }).waitFor();
    await page.getByText("onerror=").first().waitFor();
    await page.getByRole("button", { name: "Approve" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("Nothing waits for you.").waitFor();
    await expect.poll(() => served.host.result(callId)).toMatchObject({ ok: true });
    expect(served.runs()).toBe(before + 1);
    const denied = await agentCalls({ text: "no" });
    await page.getByRole("button", { name: "Deny" }).click();
    await expect.poll(() => served.host.result(denied)).toMatchObject({ ok: false, error: { code: "user_denied" } });
    await page.getByRole("link", { name: "Live" }).click();
    await page.getByText("user_denied").first().waitFor();
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    expect(await page.locator("main img, main script").count()).toBe(0);
  });

  it("shows a reload as it happens, and what a plugin asks for beside what it holds [I5.plugins, H8]", async () => {
    await open();
    await page.getByRole("link", { name: "Plugins" }).click();
    await page.getByText("The first version").waitFor();
    await page.getByRole("row", { name: /read .*\$workspace.* nothing/ }).waitFor();
    await page.getByRole("button", { name: "Grant what is missing" }).click();
    await page.getByRole("button", { name: "Take all back" }).waitFor();
    await writeFile(join(served.folder, "plugins/demo/manifest.json"), manifest("1.0.1", `The second ${HOSTILE.slice(0, 10)}`));
    await page.getByText("The second <img src=x").waitFor();
    await page.getByRole("button", { name: "Take all back" }).click();
    await page.getByRole("button", { name: "Grant what is missing" }).waitFor();
  });

  it("calls a tool with a form of its schema, and answers why [I5.run, I5.why]", async () => {
    await open();
    await page.getByRole("link", { name: "Run" }).click();
    await page.getByLabel("Tool", { exact: true }).selectOption("change");
    await page.getByLabel("text (required)").fill("hello");
    await page.getByLabel("count").fill("3");
    await page.getByLabel("loud").check();
    await page.getByLabel("mode").selectOption("two");
    await page.getByLabel("more as JSON").fill("[1, {");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByRole("alert").getByText('"more" is not JSON').waitFor();
    await page.getByLabel("more as JSON").fill("[1]");
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByText("It waits for an answer").waitFor();
    const [question] = served.host.confirmations.list();
    expect(question?.request.args).toEqual({ text: "hello", count: 3, loud: true, mode: "two", more: [1] });
    await page.getByRole("link", { name: "Questions", exact: true }).click();
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByText("Nothing waits for you.").waitFor();
    await page.getByRole("link", { name: "Why" }).click();
    await page.getByLabel("tool or plugin").fill("change");
    await page.getByRole("button", { name: "Ask" }).click();
    await page.getByRole("heading", { name: /change asks/ }).waitFor();
  });

  it.each(["light", "dark"] as const)("has no fault that axe finds, and fits a narrow screen, in %s [I5.axe]", async (colorScheme) => {
    await open({ colorScheme });
    await agentCalls({ text: "a-very-long-argument-".repeat(20) });
    const axe = readFileSync(join(process.cwd(), "node_modules/axe-core/axe.min.js"), "utf8");
    for (const view of ["Live", "Questions", "Plugins", "Run", "Record", "Why"]) {
      await page.getByRole("link", { name: view }).click();
      await page.getByRole("heading", { level: 2 }).waitFor();
      if (view === "Questions") await page.getByRole("button", { name: "Approve" }).first().waitFor();
      expect([view, await page.evaluate("document.documentElement.scrollWidth <= innerWidth")]).toEqual([view, true]);
      // In the page's own world, where its policy does not reach.
      const found = await page.evaluate(
        `${axe};axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes[0].html))`,
      );
      expect([view, found]).toEqual([view, []]);
    }
  });
});
