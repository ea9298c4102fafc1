import { execFile, spawn, spawnSync } from "node:child_process";
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { createGit } from "../../../../host/platform/processes/git.ts";
import { identityTag, ownIdentity } from "../../../../host/platform/processes/process-identity.ts";
import { GitError } from "../../../../host/platform/processes/git-types.ts";
import { readTar } from "../../../../host/plugins/installing/tar.ts";
import { isGone } from "../../../support/real-programs.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const run = promisify(execFile);
const SIGNAL = new AbortController().signal;

async function git(folder: string, ...args: readonly string[]): Promise<string> {
  const who = ["-c", "user.name=A", "-c", "user.email=a@b.test", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always"];
  return (await run("git", ["-C", folder, ...who, ...args])).stdout.trim();
}

/** Serves the repositories in a folder over HTTP with git's own CGI program. */
async function serve(folder: string): Promise<string> {
  const program = join((await run("git", ["--exec-path"])).stdout.trim(), "git-http-backend");
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? "/", "http://x");
    const child = spawn(program, {
      env: {
        ...process.env,
        ...{ GIT_PROJECT_ROOT: folder, GIT_HTTP_EXPORT_ALL: "1", PATH_INFO: pathname, QUERY_STRING: search.slice(1) },
        ...{ REQUEST_METHOD: request.method, CONTENT_TYPE: request.headers["content-type"] ?? "" },
        GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
        ...(request.headers["content-encoding"] === undefined ? {} : { HTTP_CONTENT_ENCODING: request.headers["content-encoding"] }),
      },
    });
    request.pipe(child.stdin);
    const pieces: Buffer[] = [];
    child.stdout.on("data", (piece: Buffer) => pieces.push(piece));
    child.on("close", () => {
      const all = Buffer.concat(pieces);
      const end = all.indexOf("\r\n\r\n");
      for (const line of all.subarray(0, end).toString().split("\r\n")) {
        const [name = "", value = ""] = line.split(": ");
        if (name === "Status") response.statusCode = Number(value.slice(0, 3));
        else if (name !== "") response.setHeader(name, value);
      }
      response.end(all.subarray(end + 4));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  // A TCP server's address is an object.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("createGit()", () => {
  it("fetches the files of one commit, checks nothing out and runs nothing [I2.git]", async () => {
    const folder = await temporaryFolder();
    const work = join(folder, "notes");
    await mkdir(join(work, "hooks"), { recursive: true });
    await git(folder, "init", "-q", "notes");
    await writeFile(join(work, "manifest.json"), "{}");
    await writeFile(join(work, "hooks", "post-checkout"), "#!/bin/sh\ntouch pwned\n");
    // Filters and submodules could execute a repository's commands if git followed them.
    await writeFile(join(work, ".gitattributes"), "* filter=evil\n");
    await writeFile(join(work, ".gitmodules"), '[submodule "x"]\n\tpath = x\n\turl = ext::sh -c "touch pwned"\n');
    await git(work, "add", "-A");
    await git(work, "commit", "-qm", "one");
    await git(work, "tag", "v1");
    await writeFile(join(work, "main.ts"), "two");
    await git(work, "add", "-A");
    await git(work, "commit", "-qm", "two");
    const url = `${await serve(folder)}/notes/.git`;

    const newest = await createGit().fetch({ url, maxBytes: 1_000_000, signal: SIGNAL });
    expect(newest.commit).toBe(await git(work, "rev-parse", "HEAD"));
    const paths = readTar(newest.tar).map(({ path }) => path);
    expect(paths.toSorted()).toEqual([".gitattributes", ".gitmodules", "hooks/post-checkout", "main.ts", "manifest.json"]);

    const tagged = await createGit().fetch({ url, ref: "v1", maxBytes: 1_000_000, signal: SIGNAL });
    expect(readTar(tagged.tar).map(({ path }) => path)).not.toContain("main.ts");

    await expect(createGit().fetch({ url, maxBytes: 1_000, signal: SIGNAL })).rejects.toThrow("It holds more than 1000 bytes");
    await expect(createGit().fetch({ url, ref: "gone", maxBytes: 1_000, signal: SIGNAL })).rejects.toThrow(GitError);
    const over = new AbortController();
    over.abort();
    await expect(createGit().fetch({ url, maxBytes: 1_000, signal: over.signal })).rejects.toThrow("It was cancelled");

    await symlink("/etc/passwd", join(work, "link"));
    await git(work, "add", "-A");
    await git(work, "commit", "-qm", "three");
    const linked = await createGit().fetch({ url, maxBytes: 1_000_000, signal: SIGNAL });
    expect(() => readTar(linked.tar)).toThrow('"link" is a link');
    expect((await readdir(tmpdir())).filter((name) => name.startsWith(`bascule-git-${String(process.pid)}-`))).toEqual([]);
  });

  it("removes the folder of a killed clone and keeps those of processes that may live [I2.git]", async () => {
    const { pid } = spawnSync("true");
    const gone = identityTag({ ...ownIdentity(), pid, startedAt: "1" });
    const elsewhere = identityTag({ ...ownIdentity(), pid, startedAt: "1", scope: "0123456789ab" });
    const names = [gone, elsewhere, identityTag(ownIdentity())].map((tag) => `bascule-git-${tag}-aB3dE6`);
    onTestFinished(async () => {
      for (const name of names) await rm(join(tmpdir(), name), { recursive: true, force: true });
    });
    for (const name of names) await mkdir(join(tmpdir(), name, "repository/objects"), { recursive: true });
    await expect(createGit().fetch({ url: "https://127.0.0.1:1/none", maxBytes: 1_000, signal: SIGNAL })).rejects.toThrow(GitError);
    const left = (await readdir(tmpdir())).filter((name) => names.includes(name));
    expect(left.toSorted()).toEqual(names.slice(1).toSorted());
  });

  it("reads files unchanged: runs no filter of the user and substitutes or omits nothing [I2.filters]", async () => {
    const folder = await temporaryFolder();
    const work = join(folder, "notes");
    await mkdir(work);
    await git(folder, "init", "-q", "notes");
    const attributes = "*.md filter=mine\n*.txt export-subst\nhidden export-ignore\n";
    for (const [name, text] of Object.entries({ ".gitattributes": attributes, "a.md": "a", "b.txt": "$Format:%s$", hidden: "h" }))
      await writeFile(join(work, name), text);
    await git(work, "add", "-A");
    await git(work, "commit", "-qm", "one");
    const home = join(folder, "home");
    await mkdir(home);
    await writeFile(join(home, ".gitconfig"), `[filter "mine"]\n\tsmudge = "touch ${join(home, "ran")}; cat; echo more"\n`);
    const before = process.env["HOME"];
    process.env["HOME"] = home;
    onTestFinished(() => void (before === undefined ? delete process.env["HOME"] : (process.env["HOME"] = before)));
    const url = `${await serve(folder)}/notes/.git`;
    const { tar } = await createGit().fetch({ url, maxBytes: 1_000_000, signal: SIGNAL });
    const texts = readTar(tar).map(({ path, bytes }) => [path, new TextDecoder().decode(bytes)]);
    expect(Object.fromEntries(texts)).toEqual({ ".gitattributes": attributes, "a.md": "a", "b.txt": "$Format:%s$", hidden: "h" });
    expect(await readdir(home)).toEqual([".gitconfig"]);
  });

  it("ends git's child processes when it is cancelled [I2.git]", { timeout: 30_000 }, async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, "ssh"), `#!/bin/sh\ntrap '' HUP INT TERM PIPE\necho $$ >"${folder}/pid"\nexec sleep 600\n`, {
      mode: 0o700,
    });
    const before = process.env["PATH"] ?? "";
    process.env["PATH"] = `${folder}:${before}`;
    onTestFinished(() => void (process.env["PATH"] = before));
    const over = new AbortController();
    const fetching = createGit().fetch({ url: "ssh://far.example/x.git", maxBytes: 1_000, signal: over.signal });
    const pid = async (): Promise<number> => Number(await readFile(join(folder, "pid"), "utf8").catch(() => ""));
    await expect.poll(pid, { timeout: 20_000 }).toBeGreaterThan(0);
    over.abort();
    await expect(fetching).rejects.toThrow("It was cancelled");
    await expect.poll(async () => isGone(await pid()), { timeout: 10_000 }).toBe(true);
  });

  it.each(["file:///etc", "ext::sh -c true", "git://127.0.0.1/x"])("makes git itself refuse %s [I2.git]", async (url) => {
    await expect(createGit().fetch({ url, maxBytes: 1_000, signal: SIGNAL })).rejects.toThrow(
      /transport '\w+' not allowed|does not appear to be|not allowed/,
    );
  });
});
