/** Serves a host's console on the real disk and network, and opens it in a real browser. */

import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { consoleMount } from "../../host/doors/console/mount.ts";
import { type HostServer, openHostServer } from "../../host/doors/http/server.ts";
import { createHttpTokens, type HttpTokens } from "../../host/doors/http/tokens.ts";
import { createHost } from "../../host/host/host.ts";
import type { Host } from "../../host/host/host-interface.ts";
import type { HostOptions } from "../../host/host/host-options.ts";
import { currentPlatform } from "../../host/platform/mod.ts";
import { configOf } from "./http-door.ts";

/** Path of the browser from `CHROMIUM`; empty if it is not set. */
export const PROGRAM: string = process.env["CHROMIUM"] ?? "";

export interface Served extends AsyncDisposable {
  readonly host: Host;
  readonly server: HostServer;
  readonly tokens: HttpTokens;
  readonly folder: string;
  /** Reads a file of the workspace. */
  read(path: string): string;
  /** Writes a file in `plugins/demo`. */
  plant(path: string, text: string): Promise<void>;
  /** Calls a tool as an agent; the call waits for confirmation. @returns the call's id */
  agentCalls(tool: string, args: unknown): Promise<string>;
}

/**
 * @param demo files of the plugin
 * @param allowedOrigins other origins whose pages may send requests
 */
export async function serveConsole(
  demo: Readonly<Record<string, string>>,
  options: HostOptions,
  allowedOrigins: readonly string[] = [],
): Promise<Served> {
  const folder = await mkdtemp(join(tmpdir(), "bascule-console-"));
  await mkdir(join(folder, "plugins/demo"), { recursive: true });
  const plant = (path: string, text: string): Promise<void> => writeFile(join(folder, "plugins/demo", path), text);
  for (const [path, text] of Object.entries(demo)) await plant(path, text);
  const real = currentPlatform({ log: { level: "error" } });
  // The host's state is kept in this folder too.
  const platform = { ...real, environment: { ...real.environment, cwd: folder } };
  const host = await createHost({ platform, config: false, workspace: folder, plugins: join(folder, "plugins"), watch: true, ...options });
  const agent = await configOf("agent", "agent-token", ["call"]);
  const tokens = createHttpTokens({ ...platform, tokens: () => [agent] });
  const server = await openHostServer({
    ...{ platform, host, tokens, mounts: [consoleMount] },
    about: { version: "0", pid: 1 },
    server: { tokens: [], allowedHosts: [], allowedOrigins, limits: {}, host: "127.0.0.1", port: 0 },
  });
  return {
    ...{ host, server, tokens, folder, plant },
    read: (path) => readFileSync(join(folder, path), "utf8"),
    async agentCalls(tool, args) {
      const response = await fetch(`${server.url}/v1/calls`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: "Bearer agent-token" },
        body: JSON.stringify({ tool, args }),
      });
      return ((await response.json()) as { readonly callId: string }).callId;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([server.close(), host.close()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
}

/** Opens a page and logs in. @param complaints receives errors of the browser: policy violations and script errors */
export async function openConsole(
  browser: Browser,
  { server, tokens }: Pick<Served, "server" | "tokens">,
  complaints: string[],
  options: Parameters<Browser["newContext"]>[0] = {},
): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1100, height: 800 }, ...options });
  const page = await context.newPage();
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  await page.goto(`${server.url}/#code=${await tokens.issueCode()}`);
  await page.getByText("connected", { exact: true }).waitFor();
  return { page, context };
}

/**
 * Sets up the browser and the console for the tests of a `describe`. Each test opens one page; it fails if the page complains, or runs a
 * script of a hostile text (`window.hacked`).
 *
 * @param serve serves the console, once for all tests
 * @returns a function that opens the page of a test, logged in
 */
export function consoleTests(serve: () => Promise<Served>): (options?: Parameters<Browser["newContext"]>[0]) => Promise<Page> {
  let browser: Browser;
  let served: Served;
  let opened: Opened;
  const complaints: string[] = [];
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: PROGRAM, args: ["--no-sandbox"] });
    served = await serve();
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await served[Symbol.asyncDispose]();
  });
  afterEach(async () => {
    const hacked: unknown = await opened.page.evaluate("window.hacked");
    await opened.context.close();
    expect([hacked, complaints.splice(0)]).toEqual([undefined, []]);
  });
  return async (options = {}) => {
    opened = await openConsole(browser, served, complaints, options);
    return opened.page;
  };
}

/** Returns the violations that axe finds, and whether the page is wider than its window. */
export async function faultsOf(page: Page): Promise<readonly string[]> {
  const axe = readFileSync(join(process.cwd(), "node_modules/axe-core/axe.min.js"), "utf8");
  // evaluate() is not restricted by the page's content security policy.
  const found: readonly string[] = await page.evaluate(
    `${axe};axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes[0].html))`,
  );
  const isTooWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
  return isTooWide === true ? [...found, "wider than the window"] : found;
}
