import { describe, expect, it } from "vitest";
import { grantedEnvironment } from "../../../../host/routes/process/granted-environment.ts";
import { answerCheck } from "../../../../host/routes/process/check.ts";
import type { Permissions } from "../../../../manifests/mod.ts";
import { hostPlace } from "../../../../host/capabilities/checked.ts";
import { testCall } from "../../../support/bridge-context.ts";
import { createMemoryPlatform } from "../../../../host/platform/memory/memory.ts";

const platform = createMemoryPlatform({
  files: {
    "/workspace/in/a.txt": "a",
    "/workspace/in/out": { link: "/workspace/secret.txt" },
    "/workspace/in/nowhere": { link: "/workspace/later.txt" },
    "/workspace/in/up": { link: "/workspace" },
    "/workspace/in/other": { link: "/workspace/other" },
    "/workspace/other/kept": "k",
    "/workspace/in/b": { link: "/workspace/in/a.txt" },
    "/workspace/secret.txt": "s",
  },
  network: {
    names: { "example.org": ["93.184.216.34"], "inside.example.org": ["10.0.0.5"], "both.example.org": ["93.184.216.34", "127.0.0.1"] },
  },
});

async function ask(permissions: Permissions, permission: string, value?: string): Promise<string> {
  const { context } = testCall({ platform, cwd: "/workspace", permissions });
  const answer = await answerCheck({ permission, value }, context);
  return answer.ok ? "allowed" : `${answer.act.layer}: ${answer.reason}`;
}

describe("answerCheck()", () => {
  it("refuses everything once the call was ended, even granted access [O1.checks, C2.revoked]", async () => {
    const stop = new AbortController();
    const { context } = testCall({ platform, cwd: "/workspace", permissions: { read: ["in"] }, signal: stop.signal });
    const check = { permission: "read", value: "/workspace/in/a.txt" };
    expect(await answerCheck(check, context)).toMatchObject({ ok: true });
    stop.abort();
    expect(await answerCheck(check, context)).toEqual({
      ok: false,
      act: { decision: "denied", permission: "read", value: "/workspace/in/a.txt", layer: "call" },
      reason: "The call was ended, so it has no more read access",
    });
  });

  it.each([
    [{ read: ["in"] }, "read", "/workspace/in/a.txt"],
    [{ read: ["in"] }, "read", "/workspace/in/b"],
    [{ read: ["in"] }, "read", "/workspace/in/not/there/yet"],
    [{ write: ["in"] }, "write", "/workspace/in/new.txt"],
    [{ read: true }, "read", undefined],
    [{ net: ["example.org:443"] }, "net", "example.org:443"],
    [{ net: ["127.0.0.1"] }, "net", "127.0.0.1:80"],
    [{ net: ["unix:/run/db.sock"] }, "net", "unix:/run/db.sock"],
    [{ run: ["/usr/bin/git"] }, "run", "/usr/bin/git"],
    [{ env: ["HOME"] }, "env", "HOME"],
    [{ sys: ["hostname"] }, "sys", "hostname"],
  ] satisfies readonly [Permissions, string, string | undefined][])(
    "allows access that %j grants: %s %s [O1.checks]",
    async (permissions, kind, value) => {
      expect(await ask(permissions, kind, value)).toBe("allowed");
    },
  );

  it.each([
    [
      "access without a grant",
      {},
      "read",
      "/etc/passwd",
      /^grant: Requires read access to "\/etc\/passwd", grant it with: bascule grant words --allow-read=\/etc\/passwd$/,
    ],
    ["all of a kind", { read: ["in"] }, "read", undefined, /^grant: Requires read access, grant it with/],
    [
      "a denied path in an allowed folder",
      { read: { allow: ["in"], deny: ["in/a.txt"] } },
      "read",
      "/workspace/in/a.txt",
      /denies \("in\/a.txt"\)/,
    ],
    [
      "writing a folder of which a part is denied",
      { write: { allow: ["in"], deny: ["in/a.txt"] } },
      "write",
      "/workspace/in",
      /everything in "\/workspace\/in", but a part of it is denied/,
    ],
    ["a local socket that no grant names", { net: true }, "net", "unix:/tmp/any.sock", /^local sockets: .*does not cover local sockets$/],
    ["a link that leaves the grant", { read: ["in"] }, "read", "/workspace/in/out", /^resolved path: .*leads outside of what is granted/],
    [
      "a link to a folder outside of the grant",
      { read: ["in"] },
      "read",
      "/workspace/in/up/secret.txt",
      /leads outside of what is granted/,
    ],
    [
      "a dangling link that leaves the grant",
      { read: ["in"], write: ["in"] },
      "write",
      "/workspace/in/nowhere",
      /leads outside of what is granted/,
    ],
    [
      "writing through a link to a folder of which a part is denied",
      { write: { allow: ["in", "other"], deny: ["other/kept"] } },
      "write",
      "/workspace/in/other",
      /leads outside of what is granted/,
    ],
    ["a relative path", { read: true }, "read", "in/a.txt", /^protocol: .*write it as an absolute path/],
    ["Deno's placeholder for its temporary folder", { write: true }, "write", "<TMP>", /write it as an absolute path/],
    ["a public name of a private address", { net: ["inside.example.org"] }, "net", "inside.example.org:80", /whose address is not granted/],
    ["a name with one private address of two", { net: ["both.example.org"] }, "net", "both.example.org:80", /whose address is not granted/],
    ["a private address under net: true", { net: true }, "net", "169.254.169.254:80", /whose address is not granted/],
    ["a name that does not resolve", { net: ["gone.example.org"] }, "net", "gone.example.org:80", /whose name does not resolve/],
    [
      "a host that is granted for some methods only",
      { net: [{ host: "example.org", methods: ["GET"] }] },
      "net",
      "example.org:443",
      /Requires net access/,
    ],
    [
      "a host that is granted for some paths only",
      { net: [{ host: "example.org", paths: ["/a"] }] },
      "net",
      "example.org:443",
      /Requires net access/,
    ],
    ["a value longer than any path", { read: true }, "read", `/${"a".repeat(9_000)}`, /longer than 8192 characters/],
    ["a kind that Deno does not have", { tools: ["words.run"] }, "tools", "words.run", /Unknown permission "tools"/],
    ["an unknown kind", {}, "__proto__", "x", /Unknown permission "__proto__"/],
    ["a URL instead of a host", { net: true }, "net", "http://example.org", /URLs are not supported/],
  ] satisfies readonly [string, Permissions, string, string | undefined, RegExp][])(
    "refuses %s [O1.checks, PA3]",
    async (...[, permissions, kind, value, reason]) => {
      expect(await ask(permissions, kind, value)).toMatch(reason);
    },
  );

  it.each<[string, Permissions, string, RegExp]>([
    ["is found outside of the workspace, by its path", { run: ["git"] }, "/usr/bin/git", /^allowed$/],
    [
      "is named without a path, which the plugin's own PATH would resolve",
      { run: ["git"] },
      "git",
      /a plugin chooses its own PATH, so start "\/usr\/bin\/git"$/,
    ],
    ["does not exist", { run: ["gone"] }, "gone", /not found in the host's PATH$/],
    ["has a granted name in the workspace", { run: ["git"] }, "/workspace/bin/git", /Requires run access/],
    ["is covered by run: true", { run: true }, "whatever", /^allowed$/],
    [
      "is covered by a grant with one denial, by its name",
      { run: { allow: true, deny: ["other"] } },
      "git",
      /a plugin chooses its own PATH/,
    ],
    ["is covered by a grant with one denial, by its path", { run: { allow: true, deny: ["other"] } }, "/usr/bin/git", /^allowed$/],
    ["links to a denied one", { run: { allow: ["alias"], deny: ["/usr/bin/real"] } }, "/usr/bin/alias", /Requires run access/],
    [
      "links to one that is denied by its name",
      { run: { allow: ["alias"], deny: ["real"] } },
      "/usr/bin/alias",
      /the grant layer denies \("real"\)/,
    ],
    ["has dots in its path", { run: ["/usr/bin/git"] }, "/usr/bin/x/../git", /write it as an absolute path/],
    ["has a relative path that would be granted below the root", { run: ["/usr/bin/git"] }, "usr/bin/git", /write it as an absolute path/],
  ])("answers for a program that %s [O1.programs]", async (_what, permissions, written, answer) => {
    const host = createMemoryPlatform({
      files: { "/usr/bin/.keep": "", "/workspace/bin/.keep": "", "/usr/bin/alias": { link: "real" } },
      env: { PATH: "/workspace/bin:/usr/bin" },
    });
    for (const path of ["/usr/bin/git", "/usr/bin/real", "/workspace/bin/git"])
      await host.guarded.writeBytes(hostPlace(path), new Uint8Array(), { mode: 0o755 });
    const { context } = testCall({ platform: host, cwd: "/workspace", permissions });
    const answered = await answerCheck({ permission: "run", value: written }, context);
    expect(answered.ok ? "allowed" : answered.reason).toMatch(answer);
  });

  it("records a check as for the sandbox, with bounded length [O1.audit, PA8]", async () => {
    const { context } = testCall({ platform, cwd: "/workspace", permissions: { read: ["in"] } });
    expect(await answerCheck({ permission: "read", value: "/workspace/in/a.txt" }, context)).toMatchObject({
      act: { decision: "granted", permission: "read", value: "/workspace/in/a.txt", layer: "grant", rule: "in" },
    });
    const long = await answerCheck({ permission: "p".repeat(10_000), value: "v".repeat(100_000) }, context);
    expect(JSON.stringify(long.act).length).toBeLessThan(1_000);
  });
});

describe("grantedEnvironment()", () => {
  it("contains only granted variables, without secrets and variables of the runtime [O1.environment, C7]", () => {
    const env = { A: "1", KEY: "value of the key", OTHER: "2", LD_PRELOAD: "x", NODE_OPTIONS: "x", DENO_DIR: "x" };
    const permissions: Permissions = { env: ["A", "LD_*", "NODE_*", "DENO_*", { name: "KEY", secret: true, hosts: ["example.org"] }] };
    const { context } = testCall({ platform: createMemoryPlatform({ env }), cwd: "/workspace", permissions });
    expect(grantedEnvironment(context)).toEqual({ A: "1" });
  });
});
