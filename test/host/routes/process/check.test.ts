import { describe, expect, it } from "vitest";
import { answerCheck } from "../../../../host/routes/process/check.ts";
import type { Permissions } from "../../../../manifests/mod.ts";
import { testCall } from "../../../support/bridge-context.ts";
import { createMemoryPlatform } from "../../../../host/platform/memory.ts";

const platform = createMemoryPlatform({
  files: {
    "/workspace/in/a.txt": "a",
    "/workspace/in/out": { link: "/workspace/secret.txt" },
    "/workspace/in/nowhere": { link: "/workspace/later.txt" },
    "/workspace/in/up": { link: "/workspace" },
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
    "allows what %j grants: %s %s [O1.checks]",
    async (permissions, kind, value) => {
      expect(await ask(permissions, kind, value)).toBe("allowed");
    },
  );

  it.each([
    [
      "nothing granted",
      {},
      "read",
      "/etc/passwd",
      /^grant: Requires read access to "\/etc\/passwd", grant it with: bascule grant words --allow-read=\/etc\/passwd$/,
    ],
    ["all of a kind", { read: ["in"] }, "read", undefined, /^grant: Requires read access, grant it with/],
    [
      "a denial inside of what is allowed",
      { read: { allow: ["in"], deny: ["in/a.txt"] } },
      "read",
      "/workspace/in/a.txt",
      /denies \("in\/a.txt"\)/,
    ],
    [
      "a folder of which a part is denied, to write",
      { write: { allow: ["in"], deny: ["in/a.txt"] } },
      "write",
      "/workspace/in",
      /everything in "\/workspace\/in", of which a part is denied/,
    ],
    ["a local socket that no grant names", { net: true }, "net", "unix:/tmp/any.sock", /^local sockets: .*does not cover local sockets$/],
    ["a link that leads out", { read: ["in"] }, "read", "/workspace/in/out", /^resolved path: .*leads outside of what is granted/],
    ["a folder's link that leads out", { read: ["in"] }, "read", "/workspace/in/up/secret.txt", /leads outside of what is granted/],
    [
      "a link that leads nowhere yet",
      { read: ["in"], write: ["in"] },
      "write",
      "/workspace/in/nowhere",
      /leads outside of what is granted/,
    ],
    ["a relative path, whatever it is relative to", { read: true }, "read", "in/a.txt", /^protocol: .*write it as an absolute path/],
    ["what Deno calls its folder for temporary files", { write: true }, "write", "<TMP>", /write it as an absolute path/],
    ["a public name of a private address", { net: ["inside.example.org"] }, "net", "inside.example.org:80", /whose address is not granted/],
    ["a name with one private address of two", { net: ["both.example.org"] }, "net", "both.example.org:80", /whose address is not granted/],
    ["a private address within all of net", { net: true }, "net", "169.254.169.254:80", /whose address is not granted/],
    ["a name that leads nowhere", { net: ["gone.example.org"] }, "net", "gone.example.org:80", /whose name leads nowhere/],
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
    ["a kind that Deno has not", { tools: ["words.run"] }, "tools", "words.run", /There is no permission "tools"/],
    ["a kind that nobody knows", {}, "__proto__", "x", /There is no permission "__proto__"/],
    ["a host that is none", { net: true }, "net", "http://example.org", /URLs are not supported/],
  ] satisfies readonly [string, Permissions, string, string | undefined, RegExp][])(
    "refuses %s [O1.checks, PA3]",
    async (...[, permissions, kind, value, reason]) => {
      expect(await ask(permissions, kind, value)).toMatch(reason);
    },
  );

  it("records what was asked, as the audit has it for the sandbox, at no length [O1.audit, PA8]", async () => {
    const { context } = testCall({ platform, cwd: "/workspace", permissions: { read: ["in"] } });
    expect(await answerCheck({ permission: "read", value: "/workspace/in/a.txt" }, context)).toMatchObject({
      act: { decision: "granted", permission: "read", value: "/workspace/in/a.txt", layer: "grant", rule: "in" },
    });
    const long = await answerCheck({ permission: "p".repeat(10_000), value: "v".repeat(100_000) }, context);
    expect(JSON.stringify(long.act).length).toBeLessThan(1_000);
  });
});
