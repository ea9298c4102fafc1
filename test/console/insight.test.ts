/** Tests of charts, the plugin page, the permission map, sessions and the policy editor in a real browser. Skipped without `CHROMIUM`. */

import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { faultsOf, openConsole, PROGRAM, serveConsole, type Served } from "../support/console.ts";

const HOSTILE = `<img src=x onerror="window.hacked=1">`;

const manifest = (version: string, more: object = {}): string =>
  JSON.stringify({
    ...{ schemaVersion: "1.0", name: "demo", version, description: `Demo ${HOSTILE}` },
    permissions: { read: ["$workspace"], net: ["api.example"] },
    tools: [
      { name: "look", description: "Looks", inputSchema: { type: "object" }, sideEffects: ["read"] },
      { name: "reach", description: "Reaches", inputSchema: { type: "object" }, sideEffects: ["network"] },
      { name: "fail", description: "Fails", inputSchema: { type: "object" }, sideEffects: [] },
    ],
    ...more,
  });
const CODE = `export function look() { console.warn(${JSON.stringify(HOSTILE)}); return "insight"; }
export function reach() { return 1; }
export function fail() { throw new Error(${JSON.stringify(HOSTILE)}); }
`;
const TESTS = `Deno.test("adds ${HOSTILE.replaceAll('"', '\\"')}", () => {});\nDeno.test("breaks", () => { throw new Error("on purpose"); });\n`;
const POLICY = '{\n  "policy": {\n    "rules": []\n  }\n}\n';

describe.skipIf(!existsSync(PROGRAM))(`a user in ${PROGRAM || "a browser (set CHROMIUM to run this)"}`, { timeout: 60_000 }, () => {
  let browser: Browser;
  let served: Served;
  let context: BrowserContext;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: PROGRAM, args: ["--no-sandbox"] });
  }, 60_000);
  beforeEach(async () => {
    const demo = {
      ...{ "manifest.json": manifest("1.0.0"), "main.ts": CODE, "main_test.ts": TESTS },
      "../../bascule.json": POLICY,
    };
    served = await serveConsole(demo, { events: { store: true }, config: "bascule.json" });
  }, 60_000);
  afterAll(async () => await browser.close());
  afterEach(async () => {
    await context.close();
    await served[Symbol.asyncDispose]();
    expect(complaints.splice(0)).toEqual([]);
  });

  async function open(address: string, options: Parameters<Browser["newContext"]>[0] = {}): Promise<void> {
    ({ context, page } = await openConsole(browser, served, complaints, options));
    await page.goto(`${served.server.url}/#${address}`);
  }
  /** Name or id of the element that has the focus. */
  const focused = (): Promise<unknown> => page.evaluate("document.activeElement.ariaLabel ?? document.activeElement.id");
  /** Right edge of an element in pixels. */
  const endOf = async (element: Locator): Promise<number> => {
    const { x = Infinity, width = 0 } = (await element.boundingBox()) ?? {};
    return x + width;
  };
  const wide = { viewport: { width: 1280, height: 900 } } as const;

  /** Fails if a text of the plugin became markup, or the page breaks a rule of accessibility or does not fit. */
  async function expectSound(): Promise<void> {
    expect(await faultsOf(page)).toEqual([]);
    expect(await page.evaluate("[window.hacked ?? null, document.querySelectorAll('main img').length]")).toEqual([null, 0]);
  }

  it("reads the charts: by pointing at steps with the keyboard, for a range and a plugin [I5.dashboard]", async () => {
    await served.host.call("demo.look");
    await served.host.call("demo.fail");
    await open("/dashboard", { colorScheme: "dark" });
    const chart = page.getByRole("slider", { name: "Calls, step" });
    await expect.poll(() => chart.getAttribute("aria-valuetext")).toMatch(/: completed \d, denied 0, failed \d$/);
    await chart.focus();
    await page.keyboard.press("Home");
    expect(await chart.getAttribute("aria-valuenow")).toBe("0");
    expect(await chart.getAttribute("aria-valuetext")).toMatch(/: completed 0, denied 0, failed 0$/);
    await page.keyboard.press("ArrowRight");
    expect(await chart.getAttribute("aria-valuenow")).toBe("1");
    await page.getByRole("row", { name: /^demo 2 1 0/ }).waitFor();
    await page.getByText("7 d", { exact: true }).click();
    await expect.poll(() => chart.getAttribute("aria-valuemax")).toBe("83");
    await page.getByLabel("Plugin", { exact: true }).selectOption("(host)");
    await expect.poll(() => chart.getAttribute("aria-valuetext")).toMatch(/: completed 0, denied 0, failed 0$/);
    expect(page.url()).toContain("range=7d&plugin=");
    await expectSound();
  });

  it("reads a plugin's source, log and tests, which are only ever text [I5.source, I5.log, I5.tests]", async () => {
    await served.host.call("demo.look");
    await open("/plugins/demo", wide);
    await page.getByRole("heading", { level: 1, name: "demo" }).waitFor();
    await expectSound();
    await page.getByRole("tab", { name: "Source" }).click();
    await page.getByRole("button", { name: /^main\.ts/ }).click();
    await expect.poll(() => page.getByRole("region", { name: "main.ts" }).textContent()).toContain(HOSTILE.replaceAll('"', '\\"'));
    await expectSound();
    await page.getByRole("tab", { name: "Tests" }).click();
    await page.getByRole("button", { name: "Run the tests" }).click();
    await page.getByText(`adds ${HOSTILE}`).waitFor();
    await page.getByText("on purpose").waitFor();
    await page.getByText("1 failed").waitFor();
    await expectSound();
    await page.getByRole("tab", { name: "Log" }).click();
    await page.getByText(HOSTILE, { exact: true }).waitFor();
    await expectSound();
  });

  it("replays a recorded call on the recorded and on the current code [I5.replay]", async () => {
    await writeFile(join(served.folder, "bascule.json"), '{ "audit": { "record": "all" } }');
    await served.host.reload();
    const { callId } = await served.host.call("demo.look");
    await open(`/calls/${callId}`, wide);
    await page.getByRole("button", { name: "Replay demo.look" }).click();
    await page.getByText("same", { exact: true }).waitFor();
    await served.plant("main.ts", CODE.replace('"insight"', '"outlook"'));
    await page.getByText("Current code").click();
    await page.getByRole("button", { name: "Replay demo.look" }).click();
    await page.getByRole("region", { name: "Outcome of the replay" }).getByText('+ "outlook"').waitFor();
    await expectSound();
  });

  it("compares a waiting version with the one that serves, accepts it, and rolls back [I5.versions, H6, H10]", async () => {
    await open("/plugins/demo?tab=versions", wide);
    await page.getByRole("row", { name: /1\.0\.0 serving/ }).waitFor();
    await served.plant("main.ts", CODE.replace("insight", "insights"));
    await served.plant("manifest.json", manifest("2.0.0", { permissions: { read: ["$workspace"], net: ["api.example", "evil.example"] } }));
    await page.getByRole("row", { name: /2\.0\.0 waits for you/ }).waitFor();
    const change = page.getByRole("region", { name: "Changes in main.ts" });
    await change.getByText('return "insights"').waitFor();
    await page.getByText("can do more").waitFor();
    await expectSound();
    await page.getByRole("button", { name: "Accept version 2.0.0" }).click();
    await page.getByRole("row", { name: /2\.0\.0 serving/ }).waitFor();
    await page.getByRole("button", { name: "Roll back demo" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Roll back to 1.0.0" }).click();
    await page.getByRole("row", { name: /1\.0\.0 serving/ }).waitFor();
    await expect.poll(() => served.host.plugins()[0]?.version).toBe("1.0.0");
  });

  it("sees requested, granted and used permissions in one picture, and decides about one [I5.used, C3]", async () => {
    await served.host.grant("demo", { read: ["$workspace"] });
    await open("/plugins/demo?tab=permissions");
    await page.getByRole("row", { name: /read \$workspace requested granted not used never used/ }).waitFor();
    await page.getByRole("row", { name: /net api\.example requested not granted/ }).waitFor();
    await expectSound();
    await page.getByRole("button", { name: "Grant net api.example" }).click();
    await page.getByRole("row", { name: /net api\.example requested granted/ }).waitFor();
    await page.getByRole("button", { name: "Revoke read $workspace" }).click();
    await page.getByRole("row", { name: /read \$workspace requested not granted/ }).waitFor();
    expect(served.host.grants.list().map(({ permissions }) => permissions)).toEqual([{ net: ["api.example"] }]);
  });

  it("walks through the permission map by keyboard alone, and sees which layer decided [I5.permissions]", async () => {
    await served.host.grant("demo", { read: ["$workspace"] });
    await open("/permissions", wide);
    const cell = page.getByRole("gridcell", { name: "demo: read $workspace granted" });
    await cell.waitFor();
    await expectSound();
    await cell.focus();
    await page.keyboard.press("ArrowDown");
    const net = page.getByRole("gridcell", { name: "demo: net api.example requested, not granted" });
    await expect.poll(focused).toBe("demo: net api.example requested, not granted");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "demo: net api.example" });
    await dialog.getByText("user grant").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await expect.poll(focused).toBe("demo: net api.example requested, not granted");
    await page.keyboard.press("Enter");
    await dialog.getByRole("link", { name: "Why" }).press("Enter");
    await page
      .getByRole("row", { name: /\(decided\)/ })
      .first()
      .waitFor();
    expect(page.url()).toContain("/why?name=demo&kind=net&value=api.example");
    await page.goBack();
    await page.getByText("Has access", { exact: true }).click();
    await net.waitFor({ state: "detached" });
    await page.setViewportSize({ width: 360, height: 780 });
    await page.getByRole("button", { name: "demo: read $workspace granted" }).waitFor();
    await expectSound();
  });

  it("reads every part of a plugin on a phone, with the current tab in view [I5.phone, I5.axe]", async () => {
    await open("/plugins/demo", { viewport: { width: 360, height: 780 }, hasTouch: true });
    for (const tab of ["Permissions", "Source", "Versions", "Tests", "Log", "Settings"]) {
      await page.goto(`${served.server.url}/#/plugins/demo?tab=${tab.toLowerCase()}`);
      await page.getByRole("tabpanel", { name: tab }).waitFor();
      await expect.poll(() => endOf(page.getByRole("tab", { name: tab }))).toBeLessThanOrEqual(360);
      await expectSound();
    }
    await page.goto(`${served.server.url}/#/plugins/demo?tab=permissions`);
    const grant = page.getByRole("button", { name: "Grant net api.example" });
    await grant.waitFor();
    expect(await endOf(grant)).toBeLessThanOrEqual(360);
    expect(await page.getByRole("button", { name: "Log out" }).isVisible()).toBe(false);
    await page.getByRole("button", { name: "Appearance and session" }).click();
    await page.getByRole("menuitem", { name: "Log out" }).click();
    await page.getByRole("heading", { name: "Log in" }).waitFor();
  });

  it("sees who is connected and what they called [I5.clients]", async () => {
    await served.agentCalls("demo.look", {});
    await open("/clients", wide);
    await page.getByRole("row", { name: /^agent HTTP open 1 0 0 demo\.look/ }).waitFor();
    await expectSound();
  });

  it("edits the policy: sees what would change over the last week's calls, then saves [I5.policy-check, I5.policy-save]", async () => {
    await served.host.call("demo.look");
    await open("/policy", wide);
    const editor = page.getByRole("textbox", { name: "bascule.json" });
    const save = page.getByRole("button", { name: "Save" });
    await editor.fill('{\n  "policy": { "rules": [{ "tool": "look", "allow": 1 }] }\n}');
    expect(await save.isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await page.getByRole("button", { name: "Line 2: go to the problem" }).click();
    // The browser itself logs the refused request.
    await expect.poll(() => complaints.splice(0)).toEqual([expect.stringContaining("400")]);
    await expect.poll(focused).toBe("policy-text");
    const edited = '{\n  "policy": { "rules": [{ "tool": "look", "allow": false }] }\n}';
    await editor.fill(edited);
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await page.getByRole("row", { name: /demo\.look .* allowed → denied 1$/ }).waitFor();
    await page.getByText("1 of 1 calls of the last week would be decided differently").waitFor();
    await expectSound();
    // Another page does not lose the edit.
    await page.getByRole("link", { name: "Plugins" }).click();
    await page.getByRole("heading", { level: 1, name: "Plugins" }).waitFor();
    await page.getByRole("link", { name: "Policy" }).click();
    await expect.poll(() => editor.inputValue()).toBe(edited);
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await page.getByRole("row", { name: /demo\.look .* allowed → denied 1$/ }).waitFor();
    await writeFile(join(served.folder, "bascule.json"), '{ "policy": { "rules": [ ] } }');
    await save.click();
    await page.getByText("bascule.json was changed meanwhile").waitFor();
    await expect.poll(() => complaints.splice(0)).toEqual([expect.stringContaining("409")]);
    await page.getByRole("button", { name: "Keep my edit" }).click();
    await page.getByRole("button", { name: "Compare", exact: true }).click();
    await page.getByRole("row", { name: /demo\.look .* allowed → denied 1$/ }).waitFor();
    await save.click();
    await page.getByText("Saved. The policy is in force.").waitFor();
    expect(served.read("bascule.json")).toBe(edited);
    expect(await served.host.call("demo.look")).toMatchObject({ ok: false, error: { code: "permission_denied" } });
  });
});
