/**
 * `npm run screenshots [-- <folder>]`: writes a picture of every page of the console at three widths, in both themes.
 *
 * Starts a host on a temporary project with lively data. CHROMIUM names the browser, `/usr/bin/chromium` by default.
 * `--only calls,run` takes only these pages, `--width 360` only this width, `--theme dark` only this theme.
 */

import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Browser, chromium, type Page } from "playwright-core";
import { PAGES } from "../console/shell/pages.ts";
import { openScene, type Scene } from "./screenshots/open-scene.ts";

const WIDTHS = [360, 1024, 1600] as const;
const HEIGHTS: Readonly<Record<number, number>> = { 360: 780, 1024: 768, 1600: 1000 };
const THEMES = ["light", "dark"] as const;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string" }, width: { type: "string" }, theme: { type: "string" } },
});
const folder = positionals[0] === undefined ? await mkdtemp(join(tmpdir(), "bascule-pictures-")) : resolve(positionals[0]);
await mkdir(folder, { recursive: true });
const wanted = values.only?.split(",");

{
  await using scene = await openScene();
  const browser = await chromium.launch({ executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  try {
    for (const width of WIDTHS.filter((width) => values.width === undefined || String(width) === values.width))
      for (const theme of THEMES.filter((theme) => values.theme === undefined || theme === values.theme))
        await picture(browser, scene, { width, theme });
  } finally {
    await browser.close();
  }
}
process.stdout.write(`${folder}\n`);

async function picture(
  browser: Browser,
  scene: Scene,
  { width, theme }: { readonly width: number; readonly theme: "light" | "dark" },
): Promise<void> {
  const height = HEIGHTS[width] ?? 800;
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion: "reduce" });
  const page = await context.newPage();
  const isWanted = (id: string): boolean => wanted === undefined || wanted.includes(id);
  const save = async (name: string): Promise<void> => void (await page.screenshot({ path: join(folder, `${name}-${width}-${theme}.png`) }));
  await page.goto(scene.url);
  await page.getByRole("heading", { level: 2, name: "Log in" }).waitFor();
  if (isWanted("login")) await save("login");
  await page.goto(`${scene.url}/#code=${await scene.issueCode()}`);
  await page.reload();
  await page.getByText("connected", { exact: true }).waitFor();
  for (const { id, path } of PAGES) {
    if (!isWanted(id)) continue;
    for (const [at, address] of (await scene.addresses(id, path)).entries()) {
      await page.goto(`${scene.url}/#${address}`);
      await settled(page);
      await save(at === 0 ? id : `${id}-${at + 1}`);
    }
  }
  if (isWanted("palette")) {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search commands" }).fill("no");
    await save("palette");
  }
  await context.close();
}

/** Waits until the page shows its data. */
async function settled(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.locator(".skeleton").first().waitFor({ state: "detached" });
  await page.evaluate("document.fonts.ready.then(() => undefined)");
}
