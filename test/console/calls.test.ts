/** The table of calls, the page of a call, and the shell around them, in the browser that `CHROMIUM` names. */

import { existsSync } from "node:fs";
import type { Browser, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { consoleTests, faultsOf, PROGRAM, serveConsole, type Served } from "../support/console.ts";
import { hostTool } from "../support/tools.ts";

const HOSTILE = `<img src=x onerror="window.hacked=1">`;
/** One red pixel, half transparent. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/** A PNG header that announces 60,000 × 60,000 pixels. */
function bomb(): string {
  const bytes = Buffer.from(PIXEL, "base64");
  bytes.writeUInt32BE(60_000, 16);
  bytes.writeUInt32BE(60_000, 20);
  return bytes.toString("base64");
}

const PLUGIN = {
  "manifest.json": JSON.stringify({
    schemaVersion: "1.0",
    name: "demo",
    version: "1.0.0",
    description: "Returns many things",
    tools: ["pictures", "rows", "much"].map((name) => ({ name, description: name, inputSchema: { type: "object" }, sideEffects: [] })),
  }),
  "main.ts": `
const image = (data, mimeType) => ({ type: "image", data, mimeType });
export function pictures(_args, context) {
  return context.output({ output: null, content: [
    image(${JSON.stringify(PIXEL)}, "image/png"),
    image(btoa("<svg xmlns='http://www.w3.org/2000/svg' onload='window.hacked=1'/>"), "image/svg+xml"),
    image(${JSON.stringify(bomb())}, "image/png"),
    { type: "text", text: ${JSON.stringify(HOSTILE)} },
  ] });
}
export const rows = () => Array.from({ length: 500 }, (_none, at) => ({ at, text: ${JSON.stringify(HOSTILE)} }));
export const much = () => "x".repeat(900_000);
`,
};

describe.skipIf(!existsSync(PROGRAM))(
  `calls on the console in ${PROGRAM || "a browser (set CHROMIUM to run this)"}`,
  { timeout: 60_000 },
  () => {
    let served: Served;
    let page: Page;
    const openPage = consoleTests(async () => {
      served = await serveConsole(PLUGIN, { events: { store: true }, tools: [hostTool("tick")] });
      return served;
    });

    async function open(options: Parameters<Browser["newContext"]>[0] = {}): Promise<void> {
      page = await openPage(options);
    }

    const focused = async (): Promise<unknown> => await page.evaluate("document.activeElement.textContent");

    it("shows thousands of calls as few elements, by keys, and does not move what is read when others arrive [I5.calls]", async () => {
      for (let at = 0; at < 1_500; at += 1) await served.host.call("tick", { at });
      await open();
      await page.getByText(/^1,0\d\d of 1,0\d\d calls$/).waitFor();
      await page.getByRole("button", { name: "Load older calls" }).click();
      await page.getByText(/^1,5\d\d of 1,5\d\d calls$/).waitFor();
      expect(await page.getByRole("row").count()).toBeLessThan(80);
      await page.keyboard.press("j");
      await page.keyboard.press("j");
      await page.keyboard.press("k");
      await expect.poll(focused).toBe("tick");
      const first = page.locator(".virtual > .active");
      const place = await first.boundingBox();
      const address = await page.locator(".virtual > .active a").getAttribute("href");
      await served.host.call("much", {});
      await page.getByRole("button", { name: "Show 1 new call" }).waitFor();
      expect([await first.boundingBox(), await page.locator(".virtual > .active a").getAttribute("href")]).toEqual([place, address]);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "tick" }).waitFor();
      expect(page.url()).toBe(`${served.server.url}/${address}`);
      await expect.poll(() => page.title()).toBe("tick · bascule");
      await expect.poll(focused).toBe("tick");
      expect(await faultsOf(page)).toEqual([]);
    });

    it("keeps a view with a name in the browser, and the token nowhere but in the tab [I5.views]", async () => {
      await open();
      await page.getByLabel("Search in tool, plugin, error and id").fill("much");
      await page.getByRole("button", { name: "Save view" }).click();
      await page.getByLabel("Name").fill("Large ones");
      await page.keyboard.press("Enter");
      await page.getByRole("link", { name: "Failed" }).click();
      await page.reload();
      await page.getByRole("link", { name: "Large ones" }).click();
      expect(page.url()).toBe(`${served.server.url}/#/calls?text=much`);
      const kept = (await page.evaluate("JSON.stringify(localStorage)")) as string;
      const token = (await page.evaluate("sessionStorage.getItem('bascule.token')")) as string;
      expect([kept.includes("Large ones"), kept.includes(token), token.length > 20]).toEqual([true, false, true]);
    });

    it("draws pictures of checked types and sizes only, and shows every text as text [I5.pictures]", async () => {
      const { callId } = await served.host.call("demo.pictures", {});
      await open();
      await page.goto(`${served.server.url}/#/calls/${callId}`);
      await page.getByText("1 × 1 pixels").waitFor();
      await page.getByText("not shown: the bytes are not a PNG, JPEG, GIF or WebP picture").waitFor();
      await page.getByText("not shown: 60000 × 60000 pixels are too many").waitFor();
      expect(await page.evaluate("[...document.querySelector('canvas').getContext('2d').getImageData(0, 0, 1, 1).data]")).toEqual([
        255, 0, 0, 127,
      ]);
      expect(await page.locator("canvas:visible").count()).toBe(1);
      await page.getByText(HOSTILE).first().waitFor();
      expect(await page.locator("main img, main script, main svg[onload]").count()).toBe(0);
      expect(await faultsOf(page)).toEqual([]);
    });

    it("shows rows as a table, and a part of a result of 900 KB [I5.large]", async () => {
      const rows = await served.host.call("demo.rows", {});
      const much = await served.host.call("demo.much", {});
      await open();
      await page.goto(`${served.server.url}/#/calls/${rows.callId}`);
      await page.getByText("200 of 500 rows shown; JSON has the rest").waitFor();
      expect(await page.getByRole("table", { name: "Output" }).getByRole("row").count()).toBe(201);
      await page.goto(`${served.server.url}/#/calls/${much.callId}`);
      await page.getByText("19.5 KiB of 878.9 KiB shown").first().waitFor();
      expect(((await page.getByRole("region", { name: "Output" }).textContent()) ?? "").length).toBeLessThan(21_000);
    });

    it("goes anywhere with the command palette, and changes the theme, by keyboard alone [I5.palette]", async () => {
      await open({ colorScheme: "light" });
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Search commands" }).fill("jour");
      expect(await faultsOf(page)).toEqual([]);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "Journal" }).waitFor();
      await expect.poll(focused).toBe("Journal");
      expect(await page.title()).toBe("Journal · bascule");
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Search commands" }).fill("dark");
      await page.keyboard.press("Enter");
      await expect.poll(() => page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
    });

    it("goes to a plugin with the palette, and back from a call to its row [I5.palette, I5.calls]", async () => {
      const { callId } = await served.host.call("tick", { at: -1 });
      await served.host.call("demo.rows", {});
      await open();
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Search commands" }).fill("demo plugin");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: "demo" }).waitFor();
      await page.goto(`${served.server.url}/#/calls`);
      await page.locator(`a[href="#/calls/${callId}"]`).click();
      await page.getByRole("heading", { level: 1, name: "tick" }).waitFor();
      await page.goBack();
      await expect.poll(() => page.locator(".virtual > .active a").getAttribute("href")).toBe(`#/calls/${callId}`);
      await expect.poll(focused).toBe("Calls");
      await page.keyboard.press("k");
      await expect.poll(focused).toBe("demo.rows");
    });

    it("keeps the focus near every act, and gives it back when a menu or dialog closes [I5.focus]", async () => {
      await open({ colorScheme: "dark" });
      const menu = page.getByRole("button", { name: "Appearance and session" });
      await menu.press("Enter");
      await page.getByRole("menuitemradio", { name: "Light" }).waitFor();
      expect(await faultsOf(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await expect.poll(() => page.evaluate("document.activeElement.ariaLabel")).toBe("Appearance and session");
      await page.goto(`${served.server.url}/#/calls?text=tick`);
      await page.getByRole("button", { name: "Save view" }).press("Enter");
      await expect.poll(() => page.evaluate("document.activeElement.tagName")).toBe("INPUT");
      expect(await faultsOf(page)).toEqual([]);
      await page.keyboard.type("Ticks");
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Delete view" }).waitFor();
      await expect.poll(focused).toBe("Delete view");
      await page.getByRole("button", { name: "Log out" }).press("Enter");
      await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("token");
    });

    it("opens the pages in a drawer on a phone [I5.phone]", async () => {
      await open({ viewport: { width: 360, height: 780 } });
      await page.getByRole("button", { name: "Pages" }).click();
      await page.getByRole("link", { name: "Run a tool" }).click();
      await page.getByRole("heading", { level: 1, name: "Run a tool" }).waitFor();
      await page.getByRole("link", { name: "Run a tool" }).waitFor({ state: "hidden" });
      expect(await faultsOf(page)).toEqual([]);
    });
  },
);
