/**
 * Tests the console in a real browser, the one that `CHROMIUM` names, such as `CHROMIUM=/usr/bin/chromium`. Skipped without it.
 */

import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { PAGES } from "../../console/shell/pages.ts";
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
    const wipe = hostTool("wipe", { sideEffects: ["write"], destructive: true, inputSchema: fields });
    const demo = { "manifest.json": manifest("1.0.0", "The first version"), "main.ts": "export const peek = () => 1;\n" };
    served = await serveConsole(demo, { events: { store: false }, tools: [change, wipe] });
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
    expect(page.url()).toBe(`${served.server.url}/#/calls`);
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
    await page.getByRole("link", { name: "Confirmations 1 waiting" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("1 call waits for you").waitFor();
    expect(await page.title()).toBe("(1) Confirmations · bascule");
    await page.keyboard.press("j");
    await page.getByRole("heading", { level: 2, name: "change" }).waitFor();
    await page.getByText("onerror=").first().waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("change");
    expect(await page.title()).toBe("(1) change · bascule");
    await page.keyboard.press("a");
    await page.getByText("No pending confirmations.").waitFor();
    await expect.poll(() => served.host.result(callId)).toMatchObject({ ok: true });
    expect(runs).toBe(before + 1);
    // The answered one stays in its place, with its outcome.
    await page.getByRole("article").getByText("approved").waitFor();
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    expect(await page.locator("main img, main script").count()).toBe(0);
  });

  it("shows the characters of a call that are invisible or that move others [I5.visible, E5.console]", async () => {
    await open();
    await served.agentCalls("change", { text: "safe\u202etxt.\u200bexe" });
    await page.getByRole("link", { name: "Confirmations 1 waiting" }).click();
    await page.getByRole("link", { name: "change" }).first().click();
    await page
      .getByRole("region", { name: "Arguments of change" })
      .getByText(String.raw`safe\u{202e}txt.\u{200b}exe`)
      .waitFor();
    expect(await page.evaluate(String.raw`/[\u202e\u200b]/.test(document.body.textContent)`)).toBe(false);
  });

  it("denies with a reason that the caller is told, by buttons with names of their own [I5.deny]", async () => {
    await open();
    const denied = await served.agentCalls("change", { text: "no" });
    await page.getByRole("link", { name: "Confirmations 1 waiting" }).click();
    await page.getByRole("link", { name: /^change/ }).click();
    await page.getByRole("button", { name: "Approve change" }).waitFor();
    await page.getByRole("heading", { level: 2, name: "change" }).focus();
    await page.keyboard.press("r");
    await page.keyboard.press("Escape");
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("change");
    await page.getByLabel("Reason for a denial").fill("Not today");
    await page.getByRole("button", { name: "Deny change" }).click();
    await expect
      .poll(() => served.host.result(denied))
      .toMatchObject({ ok: false, error: { code: "user_denied", message: "User denied this operation: Not today" } });
    await page.getByRole("link", { name: "Calls" }).click();
    await page
      .getByRole("row", { name: /change.*user_denied/ })
      .first()
      .waitFor();
  });

  it("approves for the session, so that the next call does not wait [I5.scope]", async () => {
    await open();
    await served.agentCalls("change", { text: "first" });
    await page.getByRole("link", { name: "Confirmations 1 waiting" }).click();
    await page.getByRole("link", { name: /^change/ }).click();
    await page.getByLabel("for this session, all calls of change").check();
    await page.getByRole("button", { name: "Approve change" }).click();
    await page.getByText("No pending confirmations.").waitFor();
    const callId = await served.agentCalls("wipe", { text: "second" });
    expect(served.host.result(callId)).toMatchObject({ status: "pending_approval" });
    await page.getByText("1 call waits for you").waitFor();
    await page.keyboard.press("j");
    await page.getByRole("heading", { level: 2, name: "wipe" }).waitFor();
    expect(await page.getByLabel(/for this session/).count()).toBe(0);
  });

  it("answers nothing for a key that is held down, or while no confirmation has the focus [I5.keys]", async () => {
    await open();
    await served.agentCalls("wipe", { text: "one" });
    await page.getByRole("link", { name: "Confirmations 1 waiting" }).click();
    await page.getByRole("heading", { level: 1 }).focus();
    await page.keyboard.press("a");
    await page.getByRole("link", { name: /^wipe/ }).click();
    await page.getByRole("button", { name: "Approve wipe" }).waitFor();
    await page.getByRole("button", { name: "Log out" }).focus();
    await page.keyboard.press("a");
    await page.keyboard.press("d");
    await page.getByRole("heading", { level: 2, name: "wipe" }).focus();
    await page.evaluate(
      `for (const key of ["a", "d"]) document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, repeat: true, bubbles: true }))`,
    );
    // Another confirmation that arrives goes to the end of the list, and the chosen one stays.
    await served.agentCalls("wipe", { text: "two" });
    await page.getByText("2 calls wait for you").waitFor();
    await page.getByRole("article").getByText('"one"').waitFor();
    expect(served.host.confirmations.list()).toHaveLength(2);
    await page.getByRole("heading", { level: 2, name: "wipe" }).focus();
    await page.keyboard.press("d");
    await page.getByText("1 call waits for you").waitFor();
    // The next one has to be chosen first: a second key answers nothing.
    await page.keyboard.press("d");
    await page.getByRole("article").getByText("denied").waitFor();
    expect(served.host.confirmations.list().map(({ request }) => request.args)).toEqual([{ text: "two" }]);
  });

  it("shows a reload at once, and a plugin's requested permissions beside the granted ones [I5.plugins, H8]", async () => {
    await open();
    await page.getByRole("link", { name: "Plugins" }).click();
    await page.getByText("The first version").waitFor();
    await page.getByRole("link", { name: "demo", exact: true }).click();
    await page.getByRole("tab", { name: "Permissions" }).click();
    await page.getByRole("row", { name: /read \$workspace requested not granted/ }).waitFor();
    await page.getByRole("button", { name: "Grant missing permissions" }).click();
    await page.getByRole("button", { name: "Revoke all" }).waitFor();
    await served.plant("manifest.json", manifest("1.0.1", `The second ${HOSTILE.slice(0, 10)}`));
    await page.getByRole("tab", { name: "Overview" }).click();
    await page.getByText("The second <img src=x").waitFor();
    await page.getByRole("tab", { name: "Permissions" }).click();
    await page.getByRole("button", { name: "Revoke all" }).click();
    await page.getByRole("button", { name: "Grant missing permissions" }).waitFor();
  });

  it("calls a tool with a form generated from its schema, and explains why [I5.run, I5.why]", async () => {
    await open();
    await page.getByRole("link", { name: "Run a tool" }).click();
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
    await page.getByRole("link", { name: "Confirmations 1 waiting" }).click();
    await page.getByRole("link", { name: /^change/ }).click();
    await page.getByRole("button", { name: "Approve change" }).click();
    await page.getByText("No pending confirmations.").waitFor();
    await page.getByRole("link", { name: "Why" }).click();
    await page.getByLabel("tool or plugin").fill("change");
    // News of plugins, which draw the page again, do not undo what was typed.
    await served.host.reload();
    await served.host.grant("demo", { read: [] });
    await expect.poll(() => page.getByLabel("tool or plugin").inputValue()).toBe("change");
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByRole("heading", { name: /change asks/ }).waitFor();
  });

  it.each(["light", "dark"] as const)("passes axe and fits a narrow screen in %s [I5.axe]", async (colorScheme) => {
    await open({ colorScheme, viewport: { width: 360, height: 780 } });
    await served.agentCalls("wipe", { text: "a-very-long-argument-".repeat(20) });
    for (const { id: view, path, title } of PAGES.filter(({ group }) => group !== undefined)) {
      await page.goto(`${served.server.url}/#${path}`);
      await page.getByRole("heading", { level: 1, name: title }).waitFor();
      if (view === "confirmations")
        await page
          .getByRole("link", { name: /^change|^wipe/ })
          .first()
          .waitFor();
      expect([view, await faultsOf(page)]).toEqual([view, []]);
    }
    const [question] = served.host.confirmations.list();
    await page.goto(`${served.server.url}/#/confirmations/${question?.request.requestId}`);
    await page.getByRole("button", { name: /^Approve/ }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await page.goto(`${served.server.url}/#/calls/${question?.request.callId}`);
    await page.getByRole("heading", { level: 2, name: "Arguments" }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
  });
});
