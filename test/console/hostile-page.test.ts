/** A page of another origin that tries to reach the server on this machine, in a real browser (SPEC I4, I5). */

import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { PROGRAM, serveConsole, type Served } from "../support/console.ts";
import { hostTool } from "../support/tools.ts";

const SCRIPT = readFileSync(new URL("hostile-page.js", import.meta.url), "utf8");

/** Opens the hostile server, which serves its page and redirects to the URL in the query. */
function openHostile(): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((request, response) => {
    const to = new URL(request.url ?? "/", "http://x").searchParams.get("to");
    if (to === null) response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>hostile</title><body></body>");
    else response.writeHead(307, { location: to, "access-control-allow-origin": "*" }).end();
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      resolve({ server, port: typeof address === "object" && address !== null ? address.port : 0 });
    });
  });
}

/** Runs all attempts in the page and returns their outcomes. */
async function tryAll(page: Page, ...given: readonly [target: string, token: string, onward: string]): Promise<unknown> {
  return await page.evaluate(`${SCRIPT}\ntryAll(${JSON.stringify(given)})`);
}

const NOTHING = {
  "a call with a token": "blocked",
  "a call without asking the browser": "blocked",
  "a form's type": "blocked",
  "a read with a token": "blocked",
  "a read that needs no token": "blocked",
  "a guess at the login": "blocked",
  "a deletion": "blocked",
  "a beacon": "sent",
  "a redirect that keeps method and body": "blocked",
  "an image": "error",
  "the console's script": "error",
  "the console in a frame": "unreadable",
  "an event stream": "error",
  "a socket": "error",
  "a frame without an origin": "blocked",
};

describe.skipIf(!existsSync(PROGRAM))(`a hostile page in ${PROGRAM || "a browser (set CHROMIUM to run this)"}`, { timeout: 60_000 }, () => {
  let browser: Browser;
  let page: Page;
  let served: Served;
  let friendly: Served;
  let hostile: Awaited<ReturnType<typeof openHostile>>;
  let runs = 0;

  beforeAll(async () => {
    hostile = await openHostile();
    browser = await chromium.launch({
      executablePath: PROGRAM,
      args: [
        "--no-sandbox",
        // Stands for the attacker's name server, which resolves its names to this machine.
        "--host-resolver-rules=MAP *.example 127.0.0.1",
        // Not every browser blocks requests from other sites to this machine.
        "--disable-features=LocalNetworkAccessChecks,PrivateNetworkAccessChecks,BlockInsecurePrivateNetworkRequests",
      ],
    });
    const tools = [hostTool("act", {}, () => ++runs)];
    served = await serveConsole({}, { tools, watch: false });
    friendly = await serveConsole({}, { tools, watch: false }, [`http://127.0.0.1:${hostile.port}`]);
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    hostile.server.close();
    await Promise.all([served[Symbol.asyncDispose](), friendly[Symbol.asyncDispose]()]);
  });
  afterEach(async () => await page.close());

  async function visit(url: string): Promise<void> {
    page = await browser.newPage();
    await page.goto(url);
  }

  it.each<[string, (port: number) => string, (url: URL) => string]>([
    ["on another port", (port) => `http://127.0.0.1:${port}/`, ({ origin }) => origin],
    ["by another name of this machine", (port) => `http://localhost:${port}/`, ({ port }) => `http://localhost:${port}`],
    ["of another site", (port) => `http://evil.example:${port}/`, ({ origin }) => origin],
    ["of another site, through its own name", (port) => `http://evil.example:${port}/`, ({ port }) => `http://evil.example:${port}`],
    ["of another site, by a number", (port) => `http://evil.example:${port}/`, ({ port }) => `http://2130706433:${port}`],
  ])("%s can neither act nor read, whatever it tries, even with a token [I4.origin-browser, I4.rebinding]", async (_who, from, to) => {
    await visit(from(hostile.port));
    const target = to(new URL(served.server.url));
    expect(await tryAll(page, target, "agent-token", from(hostile.port).replace(/\/$/, ""))).toEqual(NOTHING);
    expect(runs).toBe(0);
  });

  it("whose name resolves to the server's address gets neither the console nor an answer [I4.rebinding]", async () => {
    const own = `http://evil.example:${served.server.port}`;
    page = await browser.newPage();
    // The page comes from the attacker's server, while its name still resolves there.
    await page.route(`${own}/hostile`, (route) =>
      route.fulfill({ contentType: "text/html", body: "<!doctype html><title>hostile</title>" }),
    );
    await page.goto(`${own}/hostile`);
    const told = await page.evaluate(
      `fetch("/v1/whoami", { headers: { authorization: "Bearer agent-token" } }).then(async (asked) => [asked.status, (await asked.json()).code])`,
    );
    expect(told).toEqual([421, "misdirected"]);
    const response = await page.goto(`${own}/`);
    expect([response?.status(), await page.title()]).toEqual([421, ""]);
  });

  it("sends the user here with a form, which does nothing, and cannot read the page that it opened [I4.origin-browser]", async () => {
    await visit(`http://evil.example:${hostile.port}/`);
    const target = served.server.url;
    const [opened] = await Promise.all([
      page.waitForEvent("popup"),
      page.evaluate(`{
        const form = document.createElement("form");
        Object.assign(form, { action: ${JSON.stringify(`${target}/v1/calls`)}, method: "post", enctype: "text/plain", target: "_blank" });
        const field = document.createElement("input");
        Object.assign(field, { name: '{"tool":"act","x":"', value: '"}' });
        form.append(field);
        document.body.append(form);
        form.submit();
      }`),
    ]);
    await opened.getByText("Origin not allowed").waitFor();
    expect(runs).toBe(0);
  });

  it("may send requests if its origin is listed and it has a token, so the others fail only for their origin [I4.origin]", async () => {
    await visit(`http://127.0.0.1:${hostile.port}/`);
    const told = await tryAll(page, friendly.server.url, "agent-token", `http://127.0.0.1:${hostile.port}`);
    expect(told).toMatchObject({
      "a call with a token": "read 200",
      "a read with a token": "read 403",
      "a read that needs no token": "read 200",
      "a call without asking the browser": "opaque",
      "the console in a frame": "unreadable",
      "a frame without an origin": "blocked",
    });
    expect(runs).toBeGreaterThan(0);
    runs = 0;
  });
});
