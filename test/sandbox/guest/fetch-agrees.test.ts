import { execFile } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { currentPlatform } from "../../../host/platform/mod.ts";
import { createNetwork } from "../../../host/platform/network/network.ts";
import { testCall } from "../../support/bridge-context.ts";
import { httpServer } from "../../support/hostile-server.ts";
import { outputOf, startSandbox } from "../../support/sandbox.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const DENO = fileURLToPath(new URL("../../../node_modules/.bin/deno", import.meta.url));

/** Expressions; `at` is the server's origin, `read` returns the response's parts. */
const CASES = [
  `read(await fetch(at + "/echo?a#b"))`,
  `read(await fetch(new URL("/echo", at), { method: "post", body: "x", headers: { b: "c", "Content-Type": "a/b" } }))`,
  `read(await fetch(new Request(at + "/echo", { method: "PATCH", body: new URLSearchParams({ a: "b" }) })))`,
  `read(await fetch(at + "/echo", { method: "POST", body: ReadableStream.from([new Uint8Array([104]), new Uint8Array([105])]) }))`,
  `read(await fetch(at.replace("//", "//us:p%40w@") + "/auth"))`,
  `read(await fetch(at + "/302", { method: "POST", body: "x", headers: { "content-type": "a/b" } }))`,
  `read(await fetch(at + "/303", { method: "PUT", body: "x" }))`,
  `read(await fetch(at + "/307", { method: "POST", body: "x" }))`,
  `read(await fetch(at + "/302", { redirect: "manual" }))`,
  `fetch(at + "/302", { redirect: "error" })`,
  `fetch(at + "/307", { method: "POST", body: ReadableStream.from([new Uint8Array([104])]) })`,
  `fetch(at + "/loop")`,
  `fetch(at + "/to-file")`,
  `fetch(at + "/to-bad-port")`,
  `read(await fetch(at + "/gzip"))`,
  `read(await fetch(at + "/br"))`,
  `read(await fetch(at + "/204"))`,
  `read(await fetch(at + "/echo", { method: "HEAD" }))`,
  `fetch("ftp://example.com/")`,
  `fetch("about:blank")`,
  `fetch("http://127.0.0.1:22/")`,
  `fetch("nonsense")`,
  `fetch(at, { method: "CONNECT" })`,
  `fetch(at, { signal: AbortSignal.abort("mine") })`,
  `fetch(at + "/echo", { method: "POST", body: ReadableStream.from(["text"]) })`,
  `fetch(at + "/echo", { method: "POST", body: new ReadableStream({ pull() { throw new Error("mine") } }) })`,
  `(await fetch(at + "/echo")).headers.set("a", "b")`,
  `(async () => { const r = await fetch(at + "/echo"); await r.text(); return r.text() })()`,
  `(async () => { const r = await fetch(at + "/echo"); return [r.bodyUsed, r.body.locked, await r.clone().text() === await r.text(), r.bodyUsed] })()`,
  `(async () => { const e = await fetch("https://example.com/").catch((e) => e); return [e.name, e instanceof Deno.errors.NotCapable, e.message.split(",")[0]] })()`,
];

const PROGRAM = `
  const read = async (r) => [r.ok, r.status, r.statusText, r.type, new URL(r.url).pathname, new URL(r.url).hash, r.redirected, r.headers.get("x-a"), r.headers.getSetCookie(), r.body === null, await r.text()];
  const cases = [${CASES.map((text) => `async () => (${text})`).join(",\n")}];
  const found = [];
  for (const run of cases) {
    try { found.push(Deno.inspect(await run())); }
    catch (error) { found.push("throws " + (typeof error === "object" ? [error.name, error.message.replaceAll(at, ""), String(error.cause)] : error)); }
  }
  return found;`;

function answer(request: IncomingMessage, response: ServerResponse): void {
  const { url = "" } = request;
  const redirects: Record<string, string> = { "/loop": "/loop", "/to-file": "file:///etc/passwd", "/to-bad-port": "http://127.0.0.1:9/" };
  const status = Number(url.slice(1));
  response.setHeader("x-a", ["1", "2"]).setHeader("set-cookie", ["a=1", "b=2"]);
  if (status === 204) response.writeHead(204).end();
  else if (status > 300) response.writeHead(status, { location: "/echo" }).end("moved");
  else if (redirects[url] !== undefined) response.writeHead(302, { location: redirects[url] }).end();
  else if (url === "/gzip" || url === "/br")
    response.setHeader("content-encoding", url.slice(1)).end((url === "/br" ? brotliCompressSync : gzipSync)("packed"));
  else {
    const { authorization = "", b = "", "content-type": type = "" } = request.headers;
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (piece: string) => (body += piece));
    request.on("end", () => response.end([request.method, url, authorization, b, type, body].join("|")));
  }
}

describe("fetch in the sandbox and in Deno", () => {
  it("have the same results and the same messages [PB2.fetch, C10]", async () => {
    const server = await httpServer(answer);
    const file = join(await temporaryFolder(), "cases.js");
    await writeFile(file, `const at = "${server.origin}"; console.log(JSON.stringify(await (async () => {${PROGRAM}})()));`);
    const { stdout } = await promisify(execFile)(DENO, ["run", "--quiet", "--no-prompt", "--no-config", "--allow-net=127.0.0.1", file]);

    await using box = startSandbox({ maximumWorkers: 1 });
    await box.load("cases", `export async function run() { const at = "${server.origin}"; ${PROGRAM} }`, ["run"]);
    const call = testCall({ platform: { ...currentPlatform(), network: createNetwork() }, cwd: "/", permissions: { net: ["127.0.0.1"] } });
    const outcome = await box.call("cases", "run", { hostCall: ({ name, args, bytes }) => call.answer(name, args, bytes) });
    call.context.exchanges.closeAll();

    // Both print one list of texts.
    const [deno, guest] = [JSON.parse(stdout) as string[], outputOf(outcome) as string[]];
    expect(guest.map((text, index) => `${CASES[index]} → ${text}`)).toEqual(deno.map((text, index) => `${CASES[index]} → ${text}`));
  });
});
