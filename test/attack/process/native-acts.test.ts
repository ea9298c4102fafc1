/** A trusted plugin's own process: every native way out is asked about, and nothing that policy did not grant is done. */

import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { attempts, runTrusted } from "../../support/trusted-call.ts";

const DENIED = /^(?:NotCapable|TypeError|Error): |^Requires /;

describe("a trusted plugin under Deno's permissions", () => {
  it("reads, writes, runs, connects and loads nothing that was not granted, by whatever door [O1.native]", async () => {
    const workspace = await temporaryFolder();
    await mkdir(`${workspace}/in`);
    await writeFile(`${workspace}/secret.json`, '"secret"');
    const { outcome, acts } = await runTrusted(
      attempts(`
        const secret = context.workspacePath + "/secret.json";
        await attempt("read", () => Deno.readTextFile(secret));
        await attempt("read with dots", () => Deno.readTextFileSync(context.workspacePath + "/in/../secret.json"));
        await attempt("read by node:fs", async () => (await import("node:fs")).readFileSync(secret, "utf8"));
        await attempt("read by fetch", async () => (await fetch("file://" + secret)).text());
        await attempt("import", () => import(secret, { with: { type: "json" } }));
        await attempt("import in data", () => import("data:text/javascript," + encodeURIComponent("import x from 'file://" + secret + "' with { type: 'json' }; export default x")));
        await attempt("worker", () => new Promise((resolve, reject) => {
          const worker = new Worker("data:text/javascript," + encodeURIComponent("try { postMessage(Deno.readTextFileSync('" + secret + "')) } catch (error) { postMessage(error.message) }"), { type: "module" });
          worker.onmessage = ({ data }) => (worker.terminate(), resolve(data));
          worker.onerror = (event) => (event.preventDefault(), reject(new Error(event.message)));
        }));
        await attempt("remote module", () => import("https:" + "//example.org/a.ts"));
        await attempt("package", () => import("npm:" + "chalk"));
        await attempt("write", () => Deno.writeTextFile(context.workspacePath + "/written", "x"));
        await attempt("link", () => Deno.symlink("/etc/passwd", context.workspacePath + "/in/link"));
        await attempt("hard link", () => Deno.link(secret, context.workspacePath + "/in/hard"));
        await attempt("own code", () => Deno.writeTextFile(new URL(import.meta.url), "x"));
        await attempt("command", () => new Deno.Command("/bin/sh", { args: ["-c", "echo"] }).outputSync().code);
        await attempt("fork", async () => (await import("node:child_process")).fork(secret).pid);
        await attempt("spawn", async () => (await import("node:child_process")).spawnSync("/bin/true").pid);
        await attempt("kill the host", () => Deno.kill(Deno.ppid, "SIGKILL"));
        await attempt("signal by node", async () => (await import("node:process")).default.kill(Deno.ppid, "SIGKILL"));
        await attempt("library", () => Deno.dlopen("/lib/x86_64-linux-gnu/libc.so.6", {}));
        await attempt("connect", async () => (await Deno.connect({ hostname: "127.0.0.1", port: 9 })).close());
        await attempt("fetch", async () => (await fetch("http://localhost:1234/")).status);
        await attempt("listen", () => Deno.listen({ port: 0 }).close());
        await attempt("name", () => Deno.resolveDns("example.org", "A"));
        await attempt("environment", () => Deno.env.toObject());
        await attempt("environment by node", async () => JSON.stringify((await import("node:process")).default.env.HOME));
        await attempt("machine", () => Deno.hostname());
        await attempt("proc", () => Deno.readTextFile("/proc/self/environ"));
        await attempt("memory", () => Deno.openSync("/proc/self/mem", { write: true }).close());
        await attempt("descriptor", () => Deno.readFileSync("/dev/fd/0").length);
        await attempt("move away", () => Deno.chdir("/"));
      `),
      { workspace, permissions: { read: ["in"], write: ["in"] } },
    );
    expect(outcome.ok ? undefined : outcome.error).toBeUndefined();
    const came = outcome.ok ? (outcome.output as Readonly<Record<string, unknown>>) : {};
    expect(Object.keys(came)).toHaveLength(30);
    expect(Object.entries(came).filter(([, value]) => typeof value !== "string" || !DENIED.test(value))).toEqual([]);
    expect(acts.filter((act) => act.includes(" granted "))).toEqual([]);
    expect(acts.length).toBeGreaterThan(20);
    expect(existsSync(`${workspace}/written`)).toBe(false);
    expect(await readFile(`${workspace}/secret.json`, "utf8")).toBe('"secret"');
  });

  it("does what was granted, natively, each act recorded with its rule [O1.native, PA8]", async () => {
    const workspace = await temporaryFolder();
    await mkdir(`${workspace}/in`);
    await writeFile(`${workspace}/in/a.txt`, "hello");
    const { outcome, acts } = await runTrusted(
      attempts(`
        await attempt("relative", () => Deno.readTextFile("in/a.txt"));
        await attempt("write", () => Deno.writeTextFileSync("in/b.txt", "x"));
        await attempt("command", async () => new TextDecoder().decode((await new Deno.Command("/bin/echo", { args: ["hi"] }).output()).stdout));
        await attempt("query", async () => (await Deno.permissions.query({ name: "read", path: "in" })).state);
        await attempt("query more", async () => (await Deno.permissions.query({ name: "read", path: "/etc" })).state);
        await attempt("temporary", async () => (await Deno.makeTempFile()).startsWith(context.workspacePath + "/tmp/"));
      `),
      { workspace, permissions: { read: ["in"], write: ["in", "$tmp"], run: ["/bin/echo"] }, ...(await mkdir(`${workspace}/tmp`), {}) },
    );
    expect(outcome).toMatchObject({
      ok: true,
      output: { relative: "hello", write: null, command: "hi\n", query: "granted", "query more": "prompt", temporary: true },
      filesModified: ["in/b.txt", "tmp"],
    });
    expect(acts).toEqual([
      `read ${workspace}/in/a.txt granted test`,
      `write ${workspace}/in/b.txt granted test`,
      "run /bin/echo granted test",
      `write ${workspace}/tmp granted test`,
    ]);
  });
});
