/** Texts of a hostile plugin on every page of the console: markup, spoofed characters and huge values. Skipped without `CHROMIUM`. */

import { existsSync } from "node:fs";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { consoleTests, PROGRAM, serveConsole, type Served } from "../support/console.ts";

const MARKUP = `<img src=x onerror="window.hacked=1">`;
/** Markup, then characters that reorder, hide and cover others. A manifest may not have them. */
const HOSTILE = `${MARKUP}\u202etxt.exe\u2066\u200b\u3164${"\u0301".repeat(40)}`;
const FILE = "a\u202etxt.exe";

const tools = ["say", "fail", "rows", "deep", "lines", "wide"].map((name) => ({
  ...{ name, description: MARKUP, inputSchema: { type: "object" }, sideEffects: [] as string[] },
}));
const PLUGIN = {
  "manifest.json": JSON.stringify({
    ...{ schemaVersion: "1.0", name: "demo", version: "1.0.0", description: MARKUP },
    permissions: { read: ["$workspace"], write: ["$workspace"] },
    tools: [...tools, { name: "write", description: MARKUP, inputSchema: { type: "object" }, sideEffects: ["write"] }],
  }),
  "main.ts": `// ${HOSTILE}
const hostile = ${JSON.stringify(HOSTILE)};
export function say(_args, context) {
  for (let at = 0; at < 50; at += 1) console.warn(hostile + "y".repeat(20_000));
  return context.output({ output: { [hostile]: hostile }, content: [
    { type: "text", text: hostile }, { type: "image", mimeType: hostile, data: "AAAA" }, { type: "resource_link", uri: "javascript:window.hacked=1", name: hostile },
  ] });
}
export function fail() { throw new Error(hostile); }
export const rows = () => Array.from({ length: 200 }, () => Object.fromEntries(Array.from({ length: 12 }, (_none, at) => [hostile + at, hostile])));
export const deep = () => { let value = Array(200_000).fill(0); for (let at = 0; at < 60; at += 1) value = [value]; return value; };
export const lines = () => "\\n".repeat(390_000);
export const wide = () => "w".repeat(390_000);
export async function write() { await Deno.writeTextFile(${JSON.stringify(FILE)}, hostile + "\\n" + "x y ".repeat(140).concat("\\n").repeat(200)); }
`,
  "main_test.ts": `Deno.test(${JSON.stringify(HOSTILE)}, () => { throw new Error(${JSON.stringify(HOSTILE)}); });\n`,
};

describe.skipIf(!existsSync(PROGRAM))(
  `a hostile plugin on the console in ${PROGRAM || "a browser (set CHROMIUM to run this)"}`,
  { timeout: 60_000 },
  () => {
    let served: Served;
    let page: Page;
    const openPage = consoleTests(async () => {
      served = await serveConsole(PLUGIN, { events: { store: true } });
      await served.host.grant("demo", { read: ["$workspace"], write: ["$workspace"] });
      return served;
    });

    async function open(address: string): Promise<void> {
      page = await openPage();
      await page.goto(`${served.server.url}/#${address}`);
    }

    /** Fails if a hostile text is markup, hides characters, or makes the page very large. */
    async function expectInert(): Promise<void> {
      const found = await page.evaluate(String.raw`(() => {
        const hidden = /[\u202e\u2066\u200b\u3164]|\u0301{5}/;
        const shown = [...document.querySelectorAll("body, body *")].flatMap((element) => [
          ...[...element.childNodes].flatMap((node) => (node.nodeType === 3 ? [node.data] : [])),
          ...["title", "aria-label", "placeholder", "aria-valuetext"].map((name) => element.getAttribute(name) ?? ""),
        ]);
        return {
          hidden: [...shown, document.title].filter((text) => hidden.test(text)).map((text) => text.slice(0, 80)),
          hacked: window.hacked ?? null,
          markup: document.querySelectorAll("main img, main script, a[href^='javascript']").length,
          isLarge: document.querySelectorAll("*").length > 12_000,
        };
      })()`);
      expect([page.url(), found]).toEqual([page.url(), { hidden: [], hacked: null, markup: 0, isLarge: false }]);
    }

    it.each(["say", "fail", "rows", "deep", "lines", "wide"])(
      "shows a result of %s as text of a bounded size [I5.hostile]",
      async (tool) => {
        const { callId } = await served.host.call(`demo.${tool}`);
        await open(`/calls/${callId}`);
        await page.getByRole("heading", { level: 2, name: /Result|Error/ }).waitFor();
        await expectInert();
        for (const whole of await page.getByRole("button", { name: "Show more" }).all()) await whole.click();
        await page
          .getByRole("button", { name: "Copy Arguments of demo" })
          .or(page.getByRole("heading", { name: "Timeline" }))
          .first()
          .waitFor();
        await expectInert();
      },
    );

    it("shows a plugin's log, source and tests without hidden characters [I5.hostile]", async () => {
      await served.host.call("demo.say");
      await open("/plugins/demo?tab=log");
      await page.getByText("onerror").first().waitFor();
      await expectInert();
      await page.goto(`${served.server.url}/#/plugins/demo?tab=source&path=main.ts`);
      await page.getByRole("region", { name: "main.ts" }).waitFor();
      await expectInert();
      await page.goto(`${served.server.url}/#/plugins/demo?tab=tests`);
      await page.getByRole("button", { name: "Run the tests of demo" }).click();
      await page.getByText("1 failed").waitFor();
      await expectInert();
      for (const place of ["/plugins", "/run?tool=demo.say"]) {
        await page.goto(`${served.server.url}/#${place}`);
        await page.getByText("onerror").first().waitFor();
        await expectInert();
      }
      await page.goto(`${served.server.url}/#/journal?text=onerror`);
      await page.getByText("tool.completed").first().click();
      await page.getByText("onerror").first().waitFor();
      await expectInert();
    });

    it("shows a hostile file name and a long diff in a confirmation, with the buttons within reach [I5.hostile, E5.console]", async () => {
      await served.agentCalls("demo.write", { [HOSTILE]: HOSTILE, long: "z".repeat(30_000) });
      await open("/confirmations");
      await page.getByRole("link", { name: /^demo\.write/ }).click();
      await page
        .getByText(String.raw`a\u{202e}txt.exe`)
        .first()
        .waitFor();
      await expectInert();
      expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
      await page.getByRole("button", { name: "Approve demo.write" }).click();
      await page.getByText("No pending confirmations.").waitFor();
    });
  },
);
