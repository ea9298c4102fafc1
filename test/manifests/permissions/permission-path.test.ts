import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { checkItem, compilePermissions, evaluateAccess, normalizePath } from "../../../manifests/mod.ts";
import "../../support/seed.ts";

const BASES = { base: "/p", plugin: "/p", workspace: "/w", data: "/d", home: "/h" };

function reads(item: string, path: string, list: "allow" | "deny" = "allow"): boolean {
  const permissions = compilePermissions({ read: list === "allow" ? [item] : { allow: true, deny: [item] } }, BASES);
  const { state } = evaluateAccess([{ name: "l", permissions, unnamed: "none", otherwise: "denied" }], { kind: "read", path });
  return (state === "granted") === (list === "allow");
}

describe("normalizePath()", () => {
  it.each([
    ["/a/./b//c/", "/", "/a/b/c"],
    ["a", "/w", "/w/a"],
    [".", "/w", "/w"],
    ["../x", "/w/a", "/w/x"],
    ["../../../..", "/w/a", "/"],
    ["/../..", "/w", "/"],
    ["//server/share", "/w", "/server/share"],
    ["a\\b", "/w", "/w/a\\b"],
    ["a\\..\\b", "C:\\w", "C:/w/b"],
    ["c:/x", "C:/w", "C:/x"],
    ["\\x", "c:/w", "C:/x"],
    ["D:\\x\\", "C:/w", "D:/x"],
  ])("makes %j below %j into %j [PA4.lexical] [C4.dotdot]", (path, base, expected) => {
    expect(normalizePath(path, base)).toBe(expected);
  });

  it.each([
    ["", "/w"],
    ["a\0b", "/w"],
    ["a\ud800", "/w"],
    ["a", "relative"],
    ["x/".repeat(2_500), "/w"],
    ["x".repeat(256), "/w"],
    ["\\\\server\\share", "C:/w"],
    ["//?/C:/x", "C:/w"],
    ["secret.txt:stream", "C:/w"],
    ["secret.txt.", "C:/w"],
    ["secret.txt ", "C:/w"],
  ])("refuses %j below %j [PA4.lexical]", (path, base) => {
    expect(normalizePath(path, base)).toBeUndefined();
  });

  it("leaves no dots and is idempotent [PA4.lexical]", () => {
    const path = fc.array(fc.constantFrom("a", "b", "..", ".", "", "c d"), { maxLength: 12 }).map((parts) => parts.join("/"));
    fc.assert(
      fc.property(path, (text) => {
        fc.pre(text !== "");
        const normal = normalizePath(text, "/base/x") ?? "";
        expect(normal).toMatch(/^\/(?:[a-z ]+(?:\/[a-z ]+)*)?$/);
        expect(normalizePath(normal, "/")).toBe(normal);
      }),
    );
  });
});

describe("path items", () => {
  it.each([
    ["/tmp", "/tmp", true],
    ["/tmp", "/tmp/x", true],
    ["/tmp/", "/tmp/x", true],
    ["/tmp", "/tmpz", false],
    ["/tmp", "/", false],
    ["/", "/anything", true],
    ["docs", "/p/docs/a", true],
    ["./docs/../x", "/p/x", true],
    ["../q", "/q/a", true],
    [".", "/p/a", true],
    ["$plugin", "/p/a", true],
    ["$workspace/a", "/w/a/b", true],
    ["$workspace/a", "/w/ab", false],
    ["$workspace", "/w", true],
    ["$data", "/d/x", true],
    ["$home/.config", "/h/.config", true],
    ["$tmp", "/tmp/x", false],
  ])("%s covers %s: %s [PA2.path]", (item, path, expected) => {
    expect(reads(item, path)).toBe(expected);
  });

  it.each([
    ["/a/*", "/a/b", true],
    ["/a/*", "/a", false],
    ["/a/*", "/a/b/c", false],
    ["/a/*", "/a/.hidden", true],
    ["/a/*.ts", "/a/b.ts", true],
    ["/a/*.ts", "/a/b.js", false],
    ["/a/?.ts", "/a/b.ts", true],
    ["/a/?.ts", "/a/bc.ts", false],
    ["/a/x*y*z", "/a/x12yy3z", true],
    ["/a/x*y*z", "/a/x12y3", false],
    ["/a/**/c", "/a/c", true],
    ["/a/**/c", "/a/b/b/c", true],
    ["/a/**/c", "/a/b/b/d", false],
    ["/a/**", "/a", true],
    ["/a/**", "/a/b/c", true],
    ["**/*.md", "/p/x/y.md", true],
    ["**/*.md", "/q/y.md", false],
    ["/**/node_modules/**", "/x/node_modules/y/z", true],
    ["/a/**/b/**/c", "/a/b/b/x/c", true],
    ["$workspace/*/src", "/w/m/src", true],
    ["/a/A*", "/a/ab", false],
  ])("pattern %s covers %s: %s [C4.glob] [PA2.path]", (item, path, expected) => {
    expect(reads(item, path)).toBe(expected);
  });

  it("denies everything below a path that a denied pattern matches [C4.glob]", () => {
    expect(reads("/a/*.d", "/a/x.d/y", "allow")).toBe(false);
    expect(reads("/a/*.d", "/a/x.d/y", "deny")).toBe(true);
    expect(reads("**/.git", "/p/x/.git/config", "deny")).toBe(true);
  });

  it("agrees with a simple model of patterns [C4.glob]", () => {
    const part = fc.constantFrom("a", "b", "ab", "abb");
    const globPart = fc.constantFrom("a", "b", "*", "a*", "*b", "?", "a?", "**", "*a*b*");
    const pattern = fc.array(globPart, { minLength: 1, maxLength: 5 }).filter((parts) => parts.filter((text) => text === "**").length <= 2);
    fc.assert(
      fc.property(pattern, fc.array(part, { maxLength: 6 }), (parts, path) => {
        fc.pre(parts.some((text) => /[*?]/.test(text)));
        // A trailing "**" after literals equals the literal itself; the model says the same of zero segments.
        expect(reads(`/${parts.join("/")}`, `/${path.join("/")}`)).toBe(plainMatch(parts, path));
      }),
      { numRuns: 3_000 },
    );
  });

  it("matches hostile patterns and paths without backtracking [C4.glob]", () => {
    const pattern = `/**/${"*a".repeat(60)}b/**/x`;
    expect(checkItem("read", pattern)).toBeUndefined();
    expect(reads(pattern, `/${`${"a".repeat(200)}/`.repeat(20)}`)).toBe(false);
  });

  it.each([
    ["", "empty"],
    ["a\\b", 'write "/"'],
    ["a[bc]", "Patterns support"],
    ["{a,b}", "Patterns support"],
    ["!a", "negated"],
    ["~/x", "$home"],
    ["$HOME/x", "not a known folder"],
    ["$workspacex", "not a known folder"],
    ["$workspace/../x", "leaves"],
    ["a/**.ts", "stands alone"],
    ["**/**/**", "at most 2"],
    ["*/../x", "is ambiguous"],
    ["../".repeat(33), 'at most 32 ".."'],
    ["x".repeat(1_025), "at most 1024"],
    [`*${"x".repeat(256)}`, "at most 256"],
    ["a\u202eb", "right-to-left override"],
    ["a\0", "NUL"],
  ])("refuses %j, because it cannot be enforced [PA2.refused] [C4.glob]", (item, part) => {
    expect(checkItem("read", item)).toContain(part);
  });
});

/** A simple model of patterns; exponential, so only for short ones. */
function plainMatch(pattern: readonly string[], path: readonly string[]): boolean {
  const [head, ...rest] = pattern;
  if (head === undefined) return path.length === 0;
  if (head === "**") {
    // Only "**" is left after literals: a literal covers everything below. Otherwise any number of segments matches.
    return Array.from({ length: path.length + 1 }, (_, skip) => path.slice(skip)).some((tail) => plainMatch(rest, tail));
  }
  const [first, ...others] = path;
  return first !== undefined && plainSegment(head, first) && plainMatch(rest, others);
}

function plainSegment(pattern: string, text: string): boolean {
  if (pattern === "") return text === "";
  if (pattern.startsWith("*"))
    return Array.from({ length: text.length + 1 }, (_, skip) => text.slice(skip)).some((tail) => plainSegment(pattern.slice(1), tail));
  return text !== "" && (pattern.startsWith("?") || pattern[0] === text[0]) && plainSegment(pattern.slice(1), text.slice(1));
}
