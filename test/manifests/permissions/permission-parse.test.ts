import { describe, expect, it } from "vitest";

import { parsePermissions, type Permissions } from "../../../manifests/mod.ts";

function problemsOf(value: unknown): unknown {
  const parsed = parsePermissions(value, "/permissions");
  return parsed.ok ? [] : parsed.problems.map(({ pointer, message, fix }) => `${pointer}: ${message} (${fix ?? ""})`);
}

const EVERYTHING: Permissions = { read: true, write: true, net: true, env: true, sys: true, run: true, ffi: true, import: true };

describe("parsePermissions()", () => {
  it.each<[string, Permissions]>([
    ["nothing", {}],
    ["booleans", { read: true, write: false }],
    [
      "lists",
      {
        read: ["docs", "$workspace/**/*.md"],
        write: [],
        net: ["*.example.com:443", "10.0.0.0/8", "[::1]:80"],
        env: ["HOME", "APP_*"],
        sys: ["hostname"],
        run: ["git"],
        ffi: ["./lib.so"],
        import: ["jsr.io:443"],
      },
    ],
    [
      "entries",
      {
        read: { allow: true, deny: ["/etc"], ignore: ["/proc"], reason: "Reads notes" },
        net: { deny: true },
        env: { allow: ["A"], ignore: true },
      },
    ],
    [
      "bascule's additions",
      {
        tools: ["word_count", "words.grep", "notes.*"],
        mcp: ["github"],
        env: [{ name: "KEY", secret: true, hosts: ["api.com"] }],
        net: [{ host: "api.com:443", methods: ["GET"], paths: ["/v1"] }],
      },
    ],
  ])("reads %s unchanged [PA1]", (_, permissions) => {
    expect(parsePermissions(permissions)).toEqual({ ok: true, value: permissions, warnings: [] });
  });

  it.each<[string, unknown, Permissions]>([
    ["nothing else", { all: false }, {}],
    ["a named kind", { all: true, read: ["docs"], net: false }, { ...EVERYTHING, read: ["docs"], net: false }],
    [
      "a kind that only denies",
      { all: true, env: { deny: ["KEY"] }, tools: ["grep"] },
      { ...EVERYTHING, env: { allow: true, deny: ["KEY"] }, tools: ["grep"] },
    ],
  ])('reads Deno\'s "all" beside %s [PA1.all]', (_, value, permissions) => {
    expect(parsePermissions(value)).toEqual({ ok: true, value: permissions, warnings: [] });
  });

  it("lists every problem with its pointer and advice [PA1] [M4.all]", () => {
    const value = {
      reed: true,
      read: { alow: [] },
      net: ["http://a.com", 1, "ok.com"],
      sys: "hostname",
      write: { ignore: true, reason: "x\u202e" },
      all: 1,
    };
    expect(problemsOf(value)).toEqual([
      '/permissions/reed: "reed" is not a kind of permission (did you mean "read"?)',
      '/permissions/read/alow: "alow" is not a field of a permission (did you mean "allow"?)',
      '/permissions/net/0: "http://a.com" is a URL (write only its host, such as "example.com" or "example.com:443")',
      '/permissions/net/1: An item of "net" has the wrong form ()',
      '/permissions/sys: Permission "sys" is neither true, false, a list nor an object (write true, false, a list of items, or { "allow": …, "deny": … })',
      '/permissions/write/ignore: "ignore" exists for read and env only (write "deny")',
      '/permissions/write/reason: "reason" contains U+202E (right-to-left override) (remove it)',
      '/permissions/all: "all" must be true or false (write true or false)',
    ]);
  });

  it.each<[string, unknown]>([
    ["not an object", ["read"]],
    ["null", null],
    ["an empty env name", { env: [""] }],
    ["an env item with =", { env: ["A=B"] }],
    ["an env item with * inside", { env: ["A*B"] }],
    ["an unknown sys kind", { sys: ["everything"] }],
    ["an empty run item", { run: [""] }],
    ["a pattern of programs", { run: { deny: ["git*"] } }],
    ["an empty ffi item", { ffi: [""] }],
    ["a list of everything", { all: ["read"] }],
    ["an invalid tool name", { tools: ["a.b.c"] }],
    ["an MCP server with a space", { mcp: ["a b"] }],
    ["a secret for no host", { env: [{ name: "A", secret: true, hosts: [] }] }],
    ["a secret pattern", { env: [{ name: "A*", secret: true, hosts: ["a.com"] }] }],
    ["a secret for a URL", { env: [{ name: "A", secret: true, hosts: ["https://a.com"] }] }],
    ["a secret outside env", { net: [{ name: "A", secret: true, hosts: ["a.com"] }] }],
    ["a secret that is false", { env: [{ name: "A", secret: false, hosts: ["a.com"] }] }],
    ["a host item outside net", { import: [{ host: "a.com" }] }],
    ["a host item with more fields", { net: [{ host: "a.com", port: 80 }] }],
    ["a list of 257 items", { read: Array.from({ length: 257 }, (_, index) => `f${index}`) }],
    ["65 patterns", { read: Array.from({ length: 65 }, (_, index) => `*.${index}`) }],
    ["a reason of 501 characters", { read: { allow: true, reason: "x".repeat(501) } }],
    ["a __proto__ kind", JSON.parse('{"__proto__": true}')],
  ])("refuses %s [PA1] [PA2.refused]", (_, value) => {
    expect(problemsOf(value)).toHaveLength(1);
  });
});
