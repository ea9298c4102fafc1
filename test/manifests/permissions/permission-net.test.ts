import { describe, expect, it } from "vitest";

import {
  canonicalHost,
  compilePermissions,
  evaluateAccess,
  parseNetItem,
  type AccessQuery,
  type NetItem,
  type PermissionItem,
} from "../../../manifests/mod.ts";

type NetQuery = Omit<Extract<AccessQuery, { kind: "net" }>, "kind">;

function verdict(permission: readonly PermissionItem[] | { allow: true; deny: readonly PermissionItem[] }, query: NetQuery): string {
  const permissions = compilePermissions({ net: permission }, { base: "/" });
  const { state, partial } = evaluateAccess([{ name: "l", permissions, unnamed: "none", otherwise: "prompt" }], { kind: "net", ...query });
  return partial ? `${state} in part` : state;
}

describe("parseNetItem()", () => {
  it.each([
    ["example.com", { host: { kind: "name", name: "example.com" } }],
    ["EXAMPLE.com.", { host: { kind: "name", name: "example.com" } }],
    ["example.com:443", { host: { kind: "name", name: "example.com" }, port: 443 }],
    ["localhost:0", { host: { kind: "name", name: "localhost" }, port: 0 }],
    ["a_b.example", { host: { kind: "name", name: "a_b.example" } }],
    ["bücher.example", { host: { kind: "name", name: "xn--bcher-kva.example" } }],
    ["*.Example.com:80", { host: { kind: "suffix", name: "example.com" }, port: 80 }],
    ["1.2.3.4", { host: { kind: "block", block: { address: [1, 2, 3, 4], bits: 32 } } }],
    ["10.0.0.0/8:80", { host: { kind: "block", block: { address: [10, 0, 0, 0], bits: 8 } }, port: 80 }],
    ["[::ffff:1.2.3.4]:80", { host: { kind: "block", block: { address: [1, 2, 3, 4], bits: 32 } }, port: 80 }],
    ["[::1]", { host: { kind: "block", block: { address: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], bits: 128 } } }],
    [
      "[::1%eth0]:+080",
      { host: { kind: "block", block: { address: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], bits: 128 } }, port: 80 },
    ],
    ["1.2.3.4%eth0", { host: { kind: "block", block: { address: [1, 2, 3, 4], bits: 32 } } }],
    ["unix:/run/../run/a.sock", { host: { kind: "socket", name: "unix:/run/a.sock" } }],
    ["vsock:-1:+80", { host: { kind: "socket", name: "vsock:4294967295:80" } }],
    ["fd00::/8", { host: { kind: "block", block: { address: [0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], bits: 8 } } }],
  ])("reads %s [PA2.net]", (item, value) => {
    expect(parseNetItem(item)).toEqual({ ok: true, value });
  });

  it.each([
    ["", "empty"],
    ["*", "write true"],
    ["*.", "write"],
    ["http://example.com", "is a URL"],
    ["HTTPS://example.com", "is a URL"],
    ["example.com/path", "neither a host nor a CIDR block"],
    ["example.com:", "no port"],
    ["example.com:65536", "no port"],
    ["a..b", "not a host"],
    [".a", "not a host"],
    ["a b", "not a host"],
    ["user@example.com", "not a host"],
    ["exa%6dple.com", "not a host"],
    ["a.*.com", '"*"'],
    ["*a.com", '"*"'],
    ["*.1.2.3.4", "write"],
    ["::1", "needs brackets"],
    ["[::1", "write"],
    ["[x%eth0]", "not a host"],
    ["unix:x", "absolute path"],
    ["unix:", "absolute path"],
    ["vsock:1", "vsock:cid:port"],
    ["vsock:4294967296:1", "vsock:cid:port"],
    ["10.0.0.0/008", "neither a host nor a CIDR block"],
    ["[1.2.3.4]", "not a host"],
    ["1.2.3.4.", 'write "1.2.3.4"'],
    ["01.2.3.4", 'write "1.2.3.4"'],
    ["2130706433", 'write "127.0.0.1"'],
    ["0x7f.1", 'write "127.0.0.1"'],
    ["10.0.0.0/33", "write"],
    ["x".repeat(301), "at most 300"],
    [`${"x".repeat(64)}.com`, "not a host"],
  ])("refuses %j with advice [PA2.net] [PA2.refused]", (item, part) => {
    const outcome = parseNetItem(item);
    expect(outcome.ok ? "accepted" : outcome.reason).toContain(part);
  });

  it.each<[NetItem, string]>([
    [{ host: "a.com", methods: [] }, "methods"],
    [{ host: "a.com", methods: ["GE T"] }, "HTTP method"],
    [{ host: "a.com", paths: ["v1"] }, "path prefix"],
    [{ host: "a.com", paths: ["/a/../b"] }, "path prefix"],
    [{ host: "a.com", paths: ["/a*"] }, "path prefix"],
    [{ host: "a.com", paths: ["/%2e%2e"] }, "path prefix"],
    [{ host: "http://a.com", paths: ["/a"] }, "URL"],
  ])("refuses %j [PA2.net] [PA2.refused]", (item, part) => {
    const outcome = parseNetItem(item);
    expect(outcome.ok ? "accepted" : outcome.reason).toContain(part);
  });
});

describe("canonicalHost()", () => {
  it.each([
    ["Example.COM.", "example.com"],
    ["BÜCHER.example", "xn--bcher-kva.example"],
    ["[::1]", "0:0:0:0:0:0:0:1"],
    ["::FFFF:127.0.0.1", "127.0.0.1"],
    ["2130706433", "127.0.0.1"],
    ["0x7f.0.0.1", "127.0.0.1"],
    ["0177.1", "127.0.0.1"],
    ["①27.0.0.1", "127.0.0.1"],
  ])("reads %s as %s [PA2.net]", (host, expected) => {
    expect(canonicalHost(host)).toBe(expected);
  });

  it.each(["", "a b", "a/b", "a@b", "a\0", "a:80", "%61", "a..b", "[::1", "::1%lo", "\u202ea"])("refuses %j [PA2.net]", (host) => {
    expect(canonicalHost(host)).toBeUndefined();
  });
});

describe("net items", () => {
  it.each<[string, NetQuery, string]>([
    ["example.com", { host: "EXAMPLE.com.", port: 443 }, "granted"],
    ["example.com", { host: "a.example.com" }, "prompt"],
    ["*.example.com", { host: "a.b.example.com" }, "granted"],
    ["*.example.com", { host: "example.com" }, "granted"],
    ["*.example.com", { host: "badexample.com" }, "prompt"],
    ["example.com:443", { host: "example.com", port: 443 }, "granted"],
    ["example.com:443", { host: "example.com", port: 80 }, "prompt"],
    ["example.com:443", { host: "example.com" }, "prompt"],
    ["10.0.0.0/8", { host: "10.255.1.1", port: 1 }, "granted"],
    ["10.0.0.0/8", { host: "11.0.0.0" }, "prompt"],
    ["10.0.0.0/9", { host: "10.128.0.0" }, "prompt"],
    ["0.0.0.0/0", { host: "1.1.1.1" }, "granted"],
    ["10.0.0.0/8", { host: "[::ffff:10.0.0.1]" }, "granted"],
    ["127.0.0.1", { host: "0x7f.1" }, "granted"],
    ["127.0.0.1", { host: "localhost" }, "prompt"],
    ["[fe80::1]", { host: "fe80:0::1" }, "granted"],
    ["fe80::/10", { host: "[febf::1]" }, "granted"],
    ["fe80::/10", { host: "[fec0::1]" }, "prompt"],
    ["example.com", { host: "exa mple" }, "denied"],
    ["unix:/run/a.sock", { host: "unix:/run/./a.sock" }, "granted"],
    ["unix:/run", { host: "unix:/run/a.sock" }, "prompt"],
    ["*.example.com", { host: "unix:/a.example.com" }, "prompt"],
    ["vsock:1:2", { host: "vsock:1:2" }, "granted"],
    ["10.0.0.0/8", { host: "10.0.0.0/8" }, "prompt"],
  ])("%s answers %j: %s [PA2.net]", (item, query, expected) => {
    expect(verdict([item], query)).toBe(expected);
  });

  it.each<[NetQuery, string]>([
    [{ host: "api.com", method: "get", path: "/v1/x" }, "granted"],
    [{ host: "api.com", method: "GET", path: "/v1" }, "granted"],
    [{ host: "api.com", method: "POST", path: "/v1" }, "prompt"],
    [{ host: "api.com", method: "GET", path: "/v12" }, "prompt"],
    [{ host: "api.com", method: "GET", path: "/v1/../admin" }, "prompt"],
    [{ host: "api.com", method: "GET", path: "/v1/%2e%2e/admin" }, "prompt"],
    [{ host: "api.com", method: "GET", path: "/v1/..%2fadmin" }, "prompt"],
    [{ host: "api.com", method: "GET", path: "/v1/..%5cadmin" }, "prompt"],
    [{ host: "api.com" }, "prompt"],
  ])("limits a host to methods and paths: %j is %s [PA2.net]", (query, expected) => {
    expect(verdict([{ host: "api.com", methods: ["GET"], paths: ["/v1"] }], query)).toBe(expected);
  });

  it.each<[PermissionItem, NetQuery, string]>([
    ["x.com:80", { host: "x.com", port: 80 }, "denied"],
    ["x.com:80", { host: "x.com", port: 81 }, "granted"],
    ["x.com:80", { host: "x.com" }, "granted in part"],
    [{ host: "x.com", methods: ["DELETE"] }, { host: "x.com", method: "DELETE", path: "/" }, "denied"],
    [{ host: "x.com", methods: ["DELETE"] }, { host: "x.com" }, "granted in part"],
    [{ host: "x.com", paths: ["/admin"] }, { host: "x.com", method: "GET", path: "/a/..%2fadmin/x" }, "denied"],
    [{ host: "x.com", paths: ["/admin"] }, { host: "x.com", method: "GET", path: "/%61dmin" }, "denied"],
    [{ host: "x.com", paths: ["/admin"] }, { host: "x.com", method: "GET", path: "/a" }, "granted"],
    ["10.0.0.0/8", { host: "::ffff:10.1.1.1", port: 1 }, "denied"],
  ])("denying %j answers %j: %s [PA3.deny] [PA5]", (item, query, expected) => {
    expect(verdict({ allow: true, deny: [item] }, query)).toBe(expected);
  });
});
