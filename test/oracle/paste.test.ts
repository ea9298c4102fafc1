import { describe, expect, it } from "vitest";
import { parsePermissions } from "../../manifests/mod.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { createBasculeOracle } from "./bascule-answer.ts";
import { askDeno, prepareFolder } from "./deno-answer.ts";
import type { Descriptor, OraclePolicy } from "./policy.ts";

/** Realistic sets of `deno.json`: every short form, mixed. */
const SETS: readonly (readonly [string, unknown])[] = [
  ["a web server", { net: ["0.0.0.0:8000", "localhost:5432"], read: ["./static", "./.env"], env: ["PORT", "DATABASE_*"] }],
  ["a scraper", { net: { allow: true, deny: ["169.254.169.254", "10.0.0.0/8", "localhost"] }, write: ["out"], read: false }],
  ["a formatter", { read: true, write: { allow: ["src", "docs"], deny: ["src/vendor"] } }],
  ["everything but", { all: true, ffi: false, env: { deny: ["AWS_SECRET_ACCESS_KEY"] }, read: { deny: ["/etc/shadow"] } }],
  [
    "a test run",
    { read: { allow: ["."], ignore: [".env"] }, env: { allow: ["HOME"], ignore: ["CI", "GITHUB_*"] }, sys: ["hostname", "osRelease"] },
  ],
  ["nothing", {}],
  ["empty lists", { read: [], write: { allow: [], deny: [] }, net: [], import: ["jsr.io:443", "*.example.com"] }],
  ["sockets and addresses", { net: ["unix:/var/run/docker.sock", "[::1]:8080", "*.internal.example:443"], ffi: ["./lib"] }],
];

const QUERIES: readonly Descriptor[] = [
  ...["static/a.css", ".env", "src/a.ts", "src/vendor/x", "out/1", "/etc/shadow", "/", "lib/x.so"].flatMap((path): Descriptor[] => [
    { name: "read", path },
    { name: "write", path },
    { name: "ffi", path },
  ]),
  ...[
    "0.0.0.0:8000",
    "localhost",
    "localhost:5432",
    "169.254.169.254:80",
    "10.1.2.3",
    "example.com:443",
    "[::1]:8080",
    "unix:/var/run/docker.sock",
  ].flatMap((host): Descriptor[] => [
    { name: "net", host },
    { name: "import", host },
  ]),
  ...["PORT", "DATABASE_URL", "AWS_SECRET_ACCESS_KEY", "HOME", "CI", "GITHUB_TOKEN"].map((variable): Descriptor => ({
    name: "env",
    variable,
  })),
  ...["hostname", "uid"].map((kind): Descriptor => ({ name: "sys", kind })),
  ...(["read", "write", "net", "env", "sys", "run", "ffi"] as const).map((name): Descriptor => ({ name })),
];

describe("a permission set of deno.json, pasted into a manifest", () => {
  it.each(SETS)("%s: is accepted unchanged and decides the same [PA1.paste]", async (_, set) => {
    const folder = await temporaryFolder();
    await prepareFolder(folder);
    expect(parsePermissions(set)).toMatchObject({ ok: true, warnings: [] });
    // Written as in a file, including the short forms.
    const policy = set as OraclePolicy;
    const denos = await askDeno({ by: "set", policy, queries: QUERIES }, folder);
    const differing = QUERIES.flatMap((descriptor, index) => {
      const [deno, bascule] = [denos[index], createBasculeOracle(policy, folder)(descriptor)];
      return JSON.stringify(deno) === JSON.stringify(bascule) ? [] : [{ descriptor, deno, bascule }];
    });
    expect(differing).toEqual([]);
  });

  it.each<[string, unknown]>([
    ["an unknown kind", { reed: true }],
    ["an unknown field", { read: { alow: [] } }],
    ["ignore for a kind without it", { net: { ignore: ["a.x"] } }],
    ["a string instead of a list", { net: "a.x" }],
    ["a number", { read: 1 }],
    ["a list of numbers", { read: [1] }],
    ["all as a list", { all: ["read"] }],
  ])("%s: is refused by both [PA1.paste]", async (_, set) => {
    const folder = await temporaryFolder();
    await prepareFolder(folder);
    expect(parsePermissions(set).ok).toBe(false);
    await expect(askDeno({ by: "set", policy: set as OraclePolicy, queries: [] }, folder)).rejects.toThrow();
  });
});
