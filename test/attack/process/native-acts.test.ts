/** A trusted plugin's own process: every native access is checked, and nothing is done without a grant. */

import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { attempts, runTrusted } from "../../support/trusted-call.ts";

const DENIED = /^(?:NotCapable|TypeError|Error): |^Requires /;

describe("a trusted plugin under Deno's permissions", () => {
  it("cannot read, write, run, connect or load anything without a grant, through any API [O1.native]", async () => {
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
    const answers = outcome.ok ? (outcome.output as Readonly<Record<string, unknown>>) : {};
    expect(Object.keys(answers)).toHaveLength(30);
    expect(Object.entries(answers).filter(([, value]) => typeof value !== "string" || !DENIED.test(value))).toEqual([]);
    expect(acts.filter((act) => act.includes(" granted "))).toEqual([]);
    expect(acts.length).toBeGreaterThan(20);
    expect(existsSync(`${workspace}/written`)).toBe(false);
    expect(await readFile(`${workspace}/secret.json`, "utf8")).toBe('"secret"');
  });

  it("starts no other program under a granted name or path: by its own PATH, folder or dots [O1.programs]", async () => {
    const workspace = await temporaryFolder();
    await mkdir(`${workspace}/bin`);
    for (const name of ["git", "echo"]) {
      await writeFile(`${workspace}/bin/${name}`, "#!/bin/sh\necho evil\n");
      await chmod(`${workspace}/bin/${name}`, 0o755);
    }
    const { outcome, acts } = await runTrusted(
      attempts(`
        const say = async (program, options) => new TextDecoder().decode((await new Deno.Command(program, options).output()).stdout).slice(0, 11);
        const PATH = context.workspacePath + "/bin";
        await attempt("by name", () => say("git", { args: ["--version"] }));
        await attempt("with a PATH", () => say("git", { args: ["--version"], env: { PATH } }));
        await attempt("with nothing but a PATH", () => say("git", { args: ["--version"], clearEnv: true, env: { PATH } }));
        await attempt("with its own PATH", () => (Deno.env.set("PATH", PATH), say("git", { args: ["--version"] })));
        await attempt("from another folder", () => say("git", { args: ["--version"], cwd: PATH }));
        await attempt("by Deno's own class", () => say.call(0, "git", {}) && new (Object.getPrototypeOf(Deno.Command))("git", { env: { PATH } }).outputSync().code);
        await attempt("relative", () => say("./bin/echo", {}));
        await attempt("relative, with a folder", () => say("bin/echo", { cwd: context.workspacePath }));
        await attempt("with dots", () => say("/bin/.." + context.workspacePath + "/../../../../bin/echo", { args: ["x"] }));
      `),
      { workspace, permissions: { read: ["."], write: ["."], run: ["git", "/bin/echo"], env: ["PATH"] } },
    );
    const { output } = outcome.ok ? outcome : { output: outcome.error };
    const refused = expect.stringMatching(/^NotCapable: Requires run access to ".*": /);
    expect(output).toEqual({
      "by name": "git version",
      "with a PATH": "git version",
      "with nothing but a PATH": "git version",
      "with its own PATH": "git version",
      "from another folder": "git version",
      "by Deno's own class": refused,
      relative: refused,
      "relative, with a folder": refused,
      "with dots": refused,
    });
    expect(acts.filter((act) => act.includes("granted") && act.includes(workspace))).toEqual([]);
  });

  it("reaches no device and no file of the kernel under any grant [O1.native, C4]", async () => {
    const workspace = await temporaryFolder();
    await symlink("/proc/self", `${workspace}/self`);
    const { outcome, acts } = await runTrusted(
      attempts(`
        await attempt("environment", () => Deno.readTextFile("/proc/" + Deno.ppid + "/environ"));
        await attempt("by a link", () => Deno.readTextFile(context.workspacePath + "/self/environ"));
        await attempt("memory", () => Deno.openSync("/proc/" + Deno.ppid + "/mem", { write: true }).close());
        await attempt("terminal", () => Deno.openSync("/dev/tty", { write: true }).close());
      `),
      { workspace, permissions: { read: true, write: true } },
    );
    expect(Object.values((outcome.ok ? outcome.output : {}) as object)).toHaveLength(4);
    for (const answer of Object.values((outcome.ok ? outcome.output : {}) as object))
      expect(answer).toMatch(/^NotCapable: .*belongs to the system/);
    expect(acts.filter((act) => act.includes(" granted "))).toEqual([]);
    expect(outcome.filesModified).toEqual([]);
  });

  it("performs granted acts natively and records each with its rule [O1.native, PA8]", async () => {
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
