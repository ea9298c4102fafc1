import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHost, type Host } from "../../host/mod.ts";
import { type FakeWeb, openFakeWeb } from "../support/fake-web.ts";
import { memoryPlatform } from "../support/memory-platform.ts";
import { REPOSITORY } from "../support/source-files.ts";

/** A local server; no request leaves this machine. */
const PAGES: Readonly<Record<string, readonly [status: number, type: string, body: string]>> = {
  "/page": [200, "text/html; charset=utf-8", "<title>A page</title><body><h1>Über</h1><p>uns</body>"],
  "/latin": [200, "text/plain; charset=iso-8859-1", "\u00fc"],
  "/image": [200, "image/png", "\u0000\u0001"],
  "/long": [200, "text/plain", "0123456789".repeat(1_000)],
  "/gone": [404, "application/json", '{"gone":true}'],
  "/search": [200, "application/json", '{"results":[{"title":"T","url":"https://t/","content":"S"},{"title":"no url"},7]}'],
};

let web: FakeWeb;
let host: Host;
let base: string;
let folder: string;

beforeAll(async () => {
  web = await openFakeWeb(({ url = "" }) => {
    const [status, type, body] = PAGES[url.split("?")[0] ?? ""] ?? [200, "text/plain", "here"];
    return { status, headers: { "content-type": type }, body: Buffer.from(body, type.includes("8859") ? "latin1" : "utf8") };
  });
  ({ base } = web);
  folder = await realpath(await mkdtemp(join(tmpdir(), "bascule-web-")));
  await writeFile(
    join(folder, "bascule.json"),
    JSON.stringify({ confirmation: { default: { network: "auto" } }, audit: { store: false } }),
  );
  await mkdir(join(folder, ".bascule/settings"), { recursive: true });
  await writeFile(join(folder, ".bascule/settings/web.json"), JSON.stringify({ config: { searchUrl: `${base}/search?q={query}` } }));
  host = await createHost({
    config: join(folder, "bascule.json"),
    plugins: [`${REPOSITORY}plugins`],
    workspace: folder,
    loadsAtOnce: ({ name }) => name === "web",
    logger: memoryPlatform().log,
    grants: { web: { net: [`127.0.0.1:${web.port}`] } },
  });
}, 60_000);
afterAll(async () => {
  await host.close();
  web.close();
  await rm(folder, { recursive: true, force: true });
});

describe("the plugin web", () => {
  it("gets and posts, and returns text as text, bytes in base64, both up to the limit [G3.http_get] [G3.http_post]", async () => {
    const outputOf = async (tool: string, args: object): Promise<unknown> => (await host.call(`web.${tool}`, { ...args })).output;
    expect(await outputOf("http_get", { url: `${base}/latin` })).toMatchObject({ status: 200, text: "ü", bytes: 1, truncated: false });
    expect(await outputOf("http_get", { url: `${base}/image` })).toMatchObject({ base64: "AAE=", contentType: "image/png" });
    expect(await outputOf("http_get", { url: `${base}/long`, maxBytes: 15 })).toMatchObject({ text: "012345678901234", truncated: true });
    expect(await outputOf("http_get", { url: `${base}/gone` })).toMatchObject({ status: 404, text: '{"gone":true}' });
    expect(await outputOf("http_post", { url: `${base}/post`, json: { a: 1 } })).toMatchObject({ status: 200, text: "here" });
    expect(web.asked.at(-1)).toMatchObject({
      ...{ method: "POST", url: "/post", body: '{"a":1}' },
      headers: { "content-type": "application/json" },
    });
  });

  it("reads pages in pieces, and queries the configured search engine [G3.fetch_docs] [G3.web_search] [G1.context]", async () => {
    const page = await host.call("fetch_docs", { url: `${base}/page`, maxCharacters: 6 });
    expect(page.output).toEqual({ url: `${base}/page`, title: "A page", text: "# Über", characters: 11, nextOffset: 6 });
    expect((await host.call("fetch_docs", { url: `${base}/page`, offset: 6 })).output).toMatchObject({ text: "\n\nuns" });
    expect(await host.call("fetch_docs", { url: `${base}/gone` })).toMatchObject({ error: { message: `HTTP 404: ${base}/gone` } });
    expect((await host.call("web_search", { query: "a b&c" })).output).toEqual({
      results: [{ title: "T", url: "https://t/", snippet: "S" }],
    });
    expect(web.asked.at(-1)?.url).toBe("/search?q=a%20b%26c");
  });

  it("reaches only granted hosts, and Wikipedia by its own tool only [G3.web] [C6]", async () => {
    const before = web.asked.length;
    const refused = await host.call("http_get", { url: "http://169.254.169.254/latest" });
    expect(refused).toMatchObject({ ok: false, error: { code: "tool_failed", message: expect.stringContaining("Requires net access") } });
    expect(host.list({ category: "web" }).find(({ name }) => name === "fetch_wikipedia")).toMatchObject({ class: "read" });
    expect(web.asked.length).toBe(before);
  });
});
