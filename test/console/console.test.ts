/**
 * Tests the console in a real browser, the one that `CHROMIUM` names, such as `CHROMIUM=/usr/bin/chromium`. Skipped without it.
 */

import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { faultsOf, openConsole, PROGRAM, serveConsole, type Served } from "../support/console.ts";
import { hostTool } from "../support/tools.ts";

const HOSTILE = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>`;

const manifest = (version: string, description: string): string =>
  JSON.stringify({
    schemaVersion: "1.0",
    name: "demo",
    version,
    description,
    permissions: { read: ["$workspace"] },
    tools: [{ name: "peek", description: "Looks", inputSchema: { type: "object" }, sideEffects: ["read"] }],
  });

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

describe.skipIf(!existsSync(PROGRAM))(`the console in ${PROGRAM || "a browser (set CHROMIUM to run this)"}`, { timeout: 60_000 }, () => {
  let browser: Browser;
  let served: Served;
  let context: BrowserContext;
  let page: Page;
  let runs = 0;
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: PROGRAM, args: ["--no-sandbox"] });
    const change = hostTool("change", { sideEffects: ["write"], inputSchema: fields, description: HOSTILE }, (args) => ({
      runs: ++runs,
      args,
    }));
    const demo = { "manifest.json": manifest("1.0.0", "The first version"), "main.ts": "export const peek = () => 1;\n" };
    served = await serveConsole(demo, { events: { store: false }, tools: [change] });
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await served[Symbol.asyncDispose]();
  });
  afterEach(async () => {
    await context.close();
    for (const { request } of served.host.confirmations.list()) {
      served.host.confirmations.answer(request.requestId, { approve: false, hash: request.hash });
    }
    // The browser reports violations of the content security policy and failed scripts.
    expect(complaints.splice(0)).toEqual([]);
  });

  async function open(options: Parameters<Browser["newContext"]>[0] = {}): Promise<void> {
    ({ context, page } = await openConsole(browser, served, complaints, options));
  }

  it("logs in once with the code and removes it from the URL [I5.login, I4.login]", async () => {
    await open();
    expect(page.url()).toBe(`${served.server.url}/#live`);
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByLabel("Token").fill("something else");
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("alert").getByText("Unknown token").waitFor();
    // The browser itself logs the refused request.
    await expect.poll(() => complaints.splice(0)).toEqual([expect.stringContaining("401")]);
    await page.getByLabel("Token").fill("agent-token");
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByRole("alert").getByText("lacks the scope admin").waitFor();
  });

  it("shows a new confirmation with what the call would do, and lets the user approve it by keyboard alone [I5.approve, E5.console]", async () => {
    await open();
    const before = runs;
    const callId = await served.agentCalls("change", { text: HOSTILE });
    await page.getByRole("link", { name: /Confirmations\s*1/ }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "change" }).waitFor();
    await page.getByText("onerror=").first().waitFor();
    await page.getByRole("button", { name: "Approve" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("No pending confirmations.").waitFor();
    await expect.poll(() => served.host.result(callId)).toMatchObject({ ok: true });
    expect(runs).toBe(before + 1);
    const denied = await served.agentCalls("change", { text: "no" });
    await page.getByRole("button", { name: "Deny" }).click();
    await expect.poll(() => served.host.result(denied)).toMatchObject({ ok: false, error: { code: "user_denied" } });
    await page.getByRole("link", { name: "Live" }).click();
    await page.getByText("user_denied").first().waitFor();
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    expect(await page.locator("main img, main script").count()).toBe(0);
  });

  it("shows a reload at once, and a plugin's requested permissions beside the granted ones [I5.plugins, H8]", async () => {
    await open();
    await page.getByRole("link", { name: "Plugins" }).click();
    await page.getByText("The first version").waitFor();
    await page.getByRole("row", { name: /read .*\$workspace.* nothing/ }).waitFor();
    await page.getByRole("button", { name: "Grant missing permissions" }).click();
    await page.getByRole("button", { name: "Revoke all" }).waitFor();
    await served.plant("manifest.json", manifest("1.0.1", `The second ${HOSTILE.slice(0, 10)}`));
    await page.getByText("The second <img src=x").waitFor();
    await page.getByRole("button", { name: "Revoke all" }).click();
    await page.getByRole("button", { name: "Grant missing permissions" }).waitFor();
  });

  it("calls a tool with a form generated from its schema, and explains why [I5.run, I5.why]", async () => {
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
    await page.getByText("Waiting for confirmation").waitFor();
    const [question] = served.host.confirmations.list();
    expect(question?.request.args).toEqual({ text: "hello", count: 3, loud: true, mode: "two", more: [1] });
    await page.getByRole("link", { name: "Confirmations", exact: true }).click();
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByText("No pending confirmations.").waitFor();
    await page.getByRole("link", { name: "Why" }).click();
    await page.getByLabel("tool or plugin").fill("change");
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByRole("heading", { name: /change asks/ }).waitFor();
  });

  it.each(["light", "dark"] as const)("passes axe and fits a narrow screen in %s [I5.axe]", async (colorScheme) => {
    await open({ colorScheme });
    await served.agentCalls("change", { text: "a-very-long-argument-".repeat(20) });
    for (const view of ["Live", "Confirmations", "Plugins", "Run", "Servers", "Journal", "Why"]) {
      await page.getByRole("link", { name: view }).click();
      await page.getByRole("heading", { level: 2 }).waitFor();
      if (view === "Confirmations") await page.getByRole("button", { name: "Approve" }).first().waitFor();
      expect([view, await faultsOf(page)]).toEqual([view, []]);
    }
  });
});
