/** Calls with more operations at a time than their limit of pending ones, in a complete host with the real sandbox. */

import { describe, expect, it, onTestFinished } from "vitest";
import { createHost, type Host } from "../../../host/mod.ts";
import { createNetwork } from "../../../host/platform/network/network.ts";
import { createWorkerLauncher } from "../../../host/platform/threads/workers.ts";
import { httpServer } from "../../support/hostile-server.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";

const READS = 5_000;
const names = ["reads", "forever", "then", "all", "unread", "posts", "aborted", "unfinished"];
const MANIFEST = {
  schemaVersion: "1.0",
  name: "many",
  version: "1.0.0",
  description: "Does many things at a time",
  permissions: { net: ["127.0.0.1"], read: ["$workspace"] },
  tools: names.map((name) => ({ name, description: name, inputSchema: { type: "object" }, sideEffects: ["network"] })),
};
const MAIN = `
const numbers = (count) => Array.from({ length: count }, (_, at) => at);
export const reads = async ({ count }) => (await Promise.all(numbers(count).map((at) => Deno.readTextFile(at % 10 + ".txt")))).join("").length;
export const forever = async () => { for (;;) await Promise.all(numbers(1_000).map(() => Deno.readTextFile("0.txt"))); };
const text = (response) => response.text();
export const then = async ({ url }) => (await Promise.all(numbers(200).map((at) => fetch(url + at).then(text)))).join();
export const all = async ({ url }) => (await Promise.all((await Promise.all(numbers(200).map((at) => fetch(url + at)))).map(text))).join();
export const unread = async ({ url }) => (await Promise.all(numbers(200).map((at) => fetch(url + "long" + at)))).length;
const body = (at) => new Blob(["body " + at]).stream();
export const posts = async ({ url }) =>
  (await Promise.all(numbers(200).map((at) => fetch(url, { method: "POST", body: body(at) }).then(text)))).join();
export const aborted = async ({ url }) => {
  const stop = new AbortController();
  const begun = numbers(100).map((at) => fetch(url + at, { signal: at < 50 ? undefined : stop.signal }).then(text));
  stop.abort();
  return (await Promise.allSettled(begun)).filter(({ status }) => status === "fulfilled").length;
};
export const unfinished = async ({ url }) => { for (const at of numbers(50)) void fetch(url, { method: "POST", body: "x" }); };
`;

async function start(): Promise<{ readonly host: Host; readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = await httpServer((request, response) => {
    let sent = "";
    request.on("data", (data: Buffer) => (sent += data.toString()));
    request.on("end", () => {
      const { url = "" } = request;
      asked.push(url);
      response.end(sent || (url.includes("long") ? "x".repeat(1_000_000) : url));
    });
  });
  const files = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`${at}.txt`, `file ${at}`]));
  const memory = memoryPlatform(
    { ...files, "plugins/many/manifest.json": JSON.stringify(MANIFEST), "plugins/many/main.ts": MAIN },
    { workers: createWorkerLauncher() },
  );
  const host = await createHost({
    platform: { ...memory, network: createNetwork({ resolve: async () => ["127.0.0.1"] }) },
    plugins: ["plugins"],
    config: { confirmation: { default: { network: "auto" } } },
    grants: { many: { net: ["127.0.0.1"], read: ["$workspace"] } },
  });
  onTestFinished(() => host.close());
  return { host, url: `${server.origin}/`, asked };
}

function paths(count: number): string {
  return Array.from({ length: count }, (_, at) => `/${at}`).join();
}

describe("operations above the limit of pending ones", () => {
  it("wait in the sandbox: 5,000 reads at the default limits [AX6.queue] [LV1.limits]", async () => {
    const { host } = await start();
    const result = await host.call("reads", { count: READS });
    expect(result).toMatchObject({ ok: true, output: READS * 6, limitsUsed: { operations: READS, pendingOperations: 64 } });
  });

  it("leave other calls their turns [AX6.queue] [LV1.limits]", async () => {
    const { host } = await start();
    const stop = new AbortController();
    const flood = host.call("forever", {}, { signal: stop.signal, session: host.session() });
    const session = host.session();
    for (let round = 0; round < 5; round++)
      expect(await host.call("reads", { count: 3 }, { session })).toMatchObject({ ok: true, output: 18 });
    stop.abort();
    expect(await flood).toMatchObject({ ok: false });
  });

  it("end the call with the name of the limit if there are too many in total [AX6.queue]", async () => {
    const { host } = await start();
    expect(await host.call("reads", { count: 10_001 })).toMatchObject({
      error: { code: "resource_exhausted", details: { limit: "operations", allowed: 10_000 } },
    });
  });
});

describe("requests above the limit of open ones", () => {
  it("wait until earlier responses were read, whether each is read at once or all are awaited first [AX6.requests]", async () => {
    const { host, url } = await start();
    expect(await host.call("then", { url })).toMatchObject({ ok: true, output: paths(200) });
    expect(await host.call("all", { url })).toMatchObject({ ok: true, output: paths(200) });
  });

  it("wait with their bodies, which then arrive whole [AX6.requests]", async () => {
    const { host, url } = await start();
    const bodies = Array.from({ length: 200 }, (_, at) => `body ${at}`).join();
    expect(await host.call("posts", { url })).toMatchObject({ ok: true, output: bodies });
  });

  it("are never sent if they are aborted while they wait [AX6.requests]", async () => {
    const { host, url, asked } = await start();
    expect(await host.call("aborted", { url })).toMatchObject({ ok: true, output: 50 });
    expect(asked.toSorted()).toEqual(paths(50).split(",").toSorted());
  });

  it("end the call with what to do if no body is read [AX6.requests]", async () => {
    const { host, url } = await start();
    expect(await host.call("unread", { url })).toMatchObject({
      error: { code: "tool_failed", message: expect.stringContaining("read each body before awaiting all responses") as string },
    });
  });

  it("count as unfinished if the tool returns before they begin [AX6.requests] [B4]", async () => {
    const { host, url } = await start();
    expect(await host.call("unfinished", { url })).toMatchObject({
      error: { code: "tool_failed", message: expect.stringContaining(Array.from({ length: 25 }, () => "net.fetch").join(", ")) as string },
    });
  });
});
