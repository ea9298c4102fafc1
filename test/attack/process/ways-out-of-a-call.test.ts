/** A trusted plugin's process that floods, hangs, dies, starts others or keeps something: the call ends and leaves nothing behind. */

import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { cacheFolder } from "../../../host/platform/files/cache-folder.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { attempts, runTrusted, toolBody, trustedTool } from "../../support/trusted-call.ts";

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie has ended.
    return process.platform !== "linux" || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

describe("a trusted plugin's process", () => {
  it.each([
    ["never ends", "for (;;);", { code: "timeout" }],
    ["floods its standard output", `for (;;) Deno.stdout.writeSync(new Uint8Array(65_536).fill(97));`, { code: "resource_exhausted" }],
    ["floods its log", `for (;;) { console.log("x".repeat(10_000)); await null; }`, { code: "timeout" }],
    [
      "floods with progress",
      `for (;;) { context.progress(1); await new Promise((done) => setTimeout(done)); }`,
      { code: "resource_exhausted" },
    ],
    ["floods with checks", `for (;;) try { Deno.readTextFileSync("/etc/passwd"); } catch {}`, { code: "resource_exhausted" }],
    ["returns too much output", `return "x".repeat(2_000_000);`, { code: "resource_exhausted" }],
    ["exits", "Deno.exit(0);", { code: "tool_failed" }],
    ["takes all memory", "const all = []; for (;;) all.push(new Array(100_000).fill(all.length));", { code: "resource_exhausted" }],
    ["requests access with a value of megabytes", `Deno.env.get("A".repeat(3_000_000)); return 1;`, { code: "tool_failed" }],
  ])("that %s ends only its own call [O1.limits, T2]", async (_name, body, { code }) => {
    const workspace = await temporaryFolder();
    const { outcome } = await runTrusted(toolBody(body), {
      workspace,
      limits: { wallMs: code === "timeout" ? 300 : 60_000, operations: 100, logBytes: 65_536, memoryBytes: 32 * 1024 * 1024 },
    });
    expect(outcome).toMatchObject({ ok: false, error: { code } });
  });

  it("drops log lines beyond the limit, reports their number, and continues [B3.logs] [LV1.logs]", async () => {
    const workspace = await temporaryFolder();
    const { outcome, log } = await runTrusted(toolBody(`for (let line = 0; line < 5_000; line++) console.log("x"); return "done";`), {
      workspace,
      limits: { logBytes: 10 * 257 },
    });
    expect(outcome).toMatchObject({ ok: true, output: "done" });
    expect(log).toMatchObject(
      [...Array.from({ length: 10 }, () => "x"), "5,000 lines, 4,990 dropped"].map((text) => ({ fields: { text } })),
    );
  });

  it("is told to end and can still answer within its grace period [T3]", async () => {
    const workspace = await temporaryFolder();
    const stop = new AbortController();
    const tool = toolBody(
      `context.progress(1); return await new Promise((resolve) => context.signal.addEventListener("abort", () => resolve(context.signal.reason.name)));`,
    );
    const { outcome } = await runTrusted(tool, { workspace, signal: stop.signal, call: { onProgress: () => stop.abort() } });
    expect(outcome).toMatchObject({ ok: false, error: { code: "cancelled" }, partialOutput: "AbortError" });
  });

  it("leaves neither processes nor files behind, even if it may run programs [O1.leftovers]", async () => {
    const workspace = await temporaryFolder();
    const { outcome } = await runTrusted(
      toolBody(`
        const child = new Deno.Command("/bin/sleep", { args: ["1000"], stdin: "null", stdout: "null", stderr: "null" }).spawn();
        child.unref();
        return { child: child.pid, own: Deno.pid, code: new URL(".", import.meta.url).pathname };
      `),
      { workspace, permissions: { run: ["/bin/sleep"] } },
    );
    const { child, own, code } = (outcome.ok ? outcome.output : {}) as {
      readonly child: number;
      readonly own: number;
      readonly code: string;
    };
    expect(code.startsWith(cacheFolder("run"))).toBe(true);
    expect(existsSync(code)).toBe(false);
    for (const pid of [child, own]) await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false);
  });

  it("keeps no state from the previous call [O1.state]", async () => {
    const workspace = await temporaryFolder();
    const tool = trustedTool(`
      let calls = 0;
      export async function run() {
        calls += 1;
        const kept = localStorage.getItem("kept");
        localStorage.setItem("kept", "yes");
        return { calls, kept, cached: (await caches.open("all")) !== undefined && (await caches.has("mine")), marked: "marked" in globalThis, mark: Object.assign(globalThis, { marked: 1 }) !== null && (await caches.open("mine")) !== undefined };
      }
    `);
    const first = await runTrusted(tool, { workspace });
    const second = await runTrusted(tool, { workspace });
    expect(first.outcome).toMatchObject({ ok: true, output: { calls: 1, kept: null, cached: false, marked: false } });
    expect(second.outcome.ok && second.outcome.output).toEqual(first.outcome.ok && first.outcome.output);
  });

  it("runs the bytes that were read and ignores configuration in its working folder [O1.bytes]", async () => {
    const workspace = await temporaryFolder();
    await writeFile(`${workspace}/deno.json`, '{"imports":{"./lib.ts":"./evil.ts","lib":"./evil.ts"}}');
    await writeFile(`${workspace}/package.json`, '{"type":"commonjs"}');
    await writeFile(`${workspace}/evil.ts`, 'export const word = "evil";');
    const { outcome } = await runTrusted(
      trustedTool(`import { word } from "./lib.ts"; import { word as named } from "lib"; export const run = () => [word, named];`, {
        "lib.ts": 'export const word = "good";',
        "manifest.json": '{"imports":{"lib":"./lib.ts"}}',
      }),
      { workspace },
    );
    expect(outcome).toMatchObject({ ok: true, output: ["good", "good"] });
  });

  it("neither follows nor creates a link out of the grant; only a swap after the answer remains possible [O1.links]", async () => {
    const workspace = await temporaryFolder();
    await mkdir(`${workspace}/in`);
    await writeFile(`${workspace}/secret`, "secret");
    await symlink(`${workspace}/secret`, `${workspace}/in/link`);
    await symlink(workspace, `${workspace}/in/up`);
    await symlink(`${workspace}/later`, `${workspace}/in/nowhere`);
    const { outcome } = await runTrusted(
      attempts(`
        await attempt("read", () => Deno.readTextFile("in/link"));
        await attempt("through a folder", () => Deno.readTextFile("in/up/secret"));
        await attempt("write", () => Deno.writeTextFile("in/link", "x"));
        await attempt("make a file", () => Deno.writeTextFile("in/nowhere", "x"));
        await attempt("move the link", () => Deno.rename("in/link", "in/other"));
        await attempt("make a link", () => Deno.symlink("../secret", "in/made"));
      `),
      { workspace, permissions: { read: ["in"], write: ["in"] } },
    );
    expect(Object.values((outcome.ok ? outcome.output : {}) as object).every((came) => String(came).startsWith("NotCapable"))).toBe(true);
    expect(await readFile(`${workspace}/secret`, "utf8")).toBe("secret");
    expect(existsSync(`${workspace}/later`)).toBe(false);
  });
});
