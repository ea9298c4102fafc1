import { describe, expect, it } from "vitest";
import { checkRequired, type RequiredCheck } from "../../../host/capabilities/mod.ts";
import type { JsonValue, Permissions, Requirement } from "../../../manifests/mod.ts";
import { testCall } from "../../support/bridge-context.ts";
import { memoryPlatform, WORKSPACE } from "../../support/memory-platform.ts";

const READ: readonly Requirement[] = [{ capability: "read", arg: "path" }];

const platform = memoryPlatform({
  "a.txt": "a",
  "dir/b.txt": "b",
  link: { link: "dir/b.txt" },
  out: { link: "/home/user" },
  dangling: { link: "dir/none" },
  "/home/user/key": "k",
});

async function check(
  args: JsonValue,
  permissions: Permissions = { read: ["$workspace"], net: ["example.com"] },
  requires = READ,
): Promise<RequiredCheck> {
  const { context } = testCall({ platform, cwd: WORKSPACE, permissions });
  return await checkRequired(requires, args, { ...context, files: platform.files });
}

describe("checkRequired()", () => {
  it("replaces the written path by the resolved one [C5]", async () => {
    expect(await check({ path: "dir/../a.txt", n: 1 })).toEqual({ ok: true, args: { path: "/workspace/a.txt", n: 1 } });
    expect(await check({ path: "link" })).toEqual({ ok: true, args: { path: "/workspace/dir/b.txt" } });
    expect(await check({ path: "dir/new/file.txt" })).toEqual({ ok: true, args: { path: "/workspace/dir/new/file.txt" } });
    expect(await check({ path: ["a.txt", "link"] })).toEqual({ ok: true, args: { path: ["/workspace/a.txt", "/workspace/dir/b.txt"] } });
  });

  it("leaves absent arguments alone [C5]", async () => {
    expect(await check({ other: 1 })).toEqual({ ok: true, args: { other: 1 } });
    expect(await check({ path: null })).toEqual({ ok: true, args: { path: null } });
  });

  it.each(["../x", "/etc/passwd", "dir/../../x", "out/key", "out/none", "out"])(
    "refuses %s, which leaves the workspace, with the specified message [C5, X5]",
    async (path) => {
      expect(await check({ path })).toMatchObject({
        ok: false,
        error: { code: "fs_denied", message: "Path escapes workspace boundary", details: { path } },
      });
    },
  );

  it("refuses a dangling link, because its target could appear anywhere [C5]", async () => {
    expect(await check({ path: "dangling" })).toMatchObject({ ok: false, error: { code: "fs_denied" } });
  });

  it("refuses a workspace path outside of the grant, with the smallest grant [C5, X3]", async () => {
    expect(await check({ path: "a.txt" }, { read: ["dir"] })).toEqual({
      ok: false,
      error: {
        code: "fs_denied",
        message: `Requires read access to "a.txt", grant it with: bascule grant words --allow-read='$workspace/a.txt'`,
        details: { path: "a.txt", argument: "path" },
        visible: true,
        hint: {
          grant: { plugin: "words", permissions: { read: ["$workspace/a.txt"] } },
          command: `bascule grant words --allow-read='$workspace/a.txt'`,
        },
      },
    });
  });

  it.each([1, true, {}, [1], "", "a\0b", "\ud800"])("refuses %j, which is not a valid path [C5]", async (path) => {
    expect(await check({ path })).toMatchObject({ ok: false, error: { code: "fs_denied" } });
  });

  it("checks every item of a list [C5]", async () => {
    expect(await check({ path: ["a.txt", "../x"] })).toMatchObject({ ok: false, error: { code: "fs_denied" } });
  });

  it("checks hosts and URLs [C5]", async () => {
    const net: readonly Requirement[] = [{ capability: "net", arg: "url" }];
    expect(await check({ url: "https://example.com/x" }, undefined, net)).toEqual({ ok: true, args: { url: "https://example.com/x" } });
    expect(await check({ url: "example.com" }, undefined, net)).toEqual({ ok: true, args: { url: "example.com" } });
    for (const url of [
      "https://example.com.evil.test/",
      "https://example.com@evil.test/",
      "file:///etc/passwd",
      "data:text/plain,x",
      "http://0x7f.1/",
      "evil.test",
      "",
    ]) {
      expect(await check({ url }, undefined, net), url).toMatchObject({ ok: false, error: { code: "net_denied" } });
    }
  });

  it("passes the canonical URL, which is the checked one [C5]", async () => {
    const net: readonly Requirement[] = [{ capability: "net", arg: "url" }];
    const granted = { net: ["example.com", "127.0.0.1"] };
    for (const [written, canonical] of [
      ["HTTPS://EXAMPLE.com:443/a/../b", "https://example.com/b"],
      ["http://ex\tample.com\n/", "http://example.com/"],
      ["http://us:pw@example.com", "http://us:pw@example.com/"],
      ["http://0x7f.1:80/x", "http://127.0.0.1/x"],
      ["EXAMPLE.com:8080", "example.com:8080"],
    ] as const) {
      expect(await check({ url: written }, granted, net)).toEqual({ ok: true, args: { url: canonical } });
    }
  });

  it("leaves the method to the request itself [C5, C6.method]", async () => {
    const net: readonly Requirement[] = [{ capability: "net", arg: "url" }];
    const granted = { net: [{ host: "example.com", methods: ["POST"], paths: ["/v1"] }] };
    expect(await check({ url: "https://example.com/v1/x" }, granted, net)).toMatchObject({ ok: true });
    expect(await check({ url: "https://example.com/v2" }, granted, net)).toMatchObject({ ok: false, error: { code: "net_denied" } });
  });

  it("refuses a private address if all of net is granted [C5, PA4]", async () => {
    const net: readonly Requirement[] = [{ capability: "net", arg: "url" }];
    expect(await check({ url: "http://169.254.169.254/latest" }, { net: true }, net)).toEqual({
      ok: false,
      error: {
        code: "net_denied",
        message:
          'Requires net access to "169.254.169.254:80", whose address is not public: granting all of net does not cover it, list hosts and this address instead',
        details: { url: "http://169.254.169.254/latest", argument: "url" },
        visible: true,
      },
    });
    expect(await check({ url: "http://[::1]:8080/" }, { net: ["example.com"] }, net)).toMatchObject({
      ok: false,
      error: { code: "net_denied", hint: { command: expect.stringMatching(/--allow-net=/) as string } },
    });
  });
});
