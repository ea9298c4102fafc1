import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { REPOSITORY } from "./support/source-files.ts";

const PAGES = [
  ...["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"],
  ...readdirSync(`${REPOSITORY}docs`, { recursive: true, encoding: "utf8" }).map((name) => `docs/${name}`),
].filter((name) => name.endsWith(".md"));

/** Names of files as a page writes them: a path from the repository's root, in backticks, without placeholders. */
const PATH = /`((?:manifests|sandbox|host|plugins|test|bench|scripts|docs|bin)\/[\w./-]*|[\w-]+\.(?:json|md)|\.ox\w+\.json)`/g;

/** Files that a user or a tool makes, not the checkout. */
const MADE_LATER = new Set(["bascule.json", "manifest.json", "grants.json", "deno.lock"]);

function missingPaths(text: string): readonly string[] {
  const named = [...text.matchAll(PATH)].map((match) => match[1] ?? "");
  return named.filter((path) => !MADE_LATER.has(path) && !path.startsWith("dist/") && !existsSync(REPOSITORY + path));
}

function deadLinks(page: string, text: string): readonly string[] {
  const folder = page.includes("/") ? page.slice(0, page.lastIndexOf("/") + 1) : "";
  const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map((match) => match[1] ?? "");
  return targets.filter((target) => !existsSync(REPOSITORY + folder + target));
}

describe("the documentation", () => {
  it("exists", () => {
    expect(PAGES).toEqual(
      expect.arrayContaining(["README.md", "docs/architecture.md", "docs/security.md", "docs/style.md", "docs/errors.md", "docs/spec.md"]),
    );
  });

  // docs/spec.md quotes the specification, which speaks of users' files too.
  it.each(PAGES.filter((page) => page !== "docs/spec.md"))("%s names only files that exist", (page) => {
    expect(missingPaths(readFileSync(REPOSITORY + page, "utf8"))).toEqual([]);
  });

  it.each(PAGES)("%s links only to files that exist", (page) => {
    expect(deadLinks(page, readFileSync(REPOSITORY + page, "utf8"))).toEqual([]);
  });

  it("would notice a file that is gone", () => {
    expect(missingPaths("see `host/gone.ts`, `docs/style.md` and `host/platform/`")).toEqual(["host/gone.ts"]);
    expect(deadLinks("docs/a.md", "[a](gone.md) [b](style.md) [c](https://example.org) [d](#x)")).toEqual(["gone.md"]);
  });
});

describe("the threat model", () => {
  const table = readFileSync(`${REPOSITORY}docs/security.md`, "utf8").split("## Threats")[1]?.split("\n## ")[0] ?? "";
  const rows = table.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| vector") && !line.startsWith("| ---"));
  const pathsOf = (cell: string | undefined): readonly string[] => [...(cell ?? "").matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "");

  it("has a row for every way in that was thought of", () => {
    expect(rows.length).toBeGreaterThan(50);
  });

  it.each(rows.map((row) => row.slice(2).split(" | ")))(
    "%s: names the files of the defence and the tests that prove it",
    (_vector, defence, where, tests) => {
      expect(defence).toMatch(/\w/);
      const [files, proofs] = [pathsOf(where), pathsOf(tests)];
      expect(files.filter((path) => !/^(manifests|sandbox|host)\/.*\.ts$/.test(path) || !existsSync(REPOSITORY + path))).toEqual([]);
      expect(
        proofs.filter((path) => !path.startsWith("test/") || !/\bit(\.\w+)*[(<]/.test(readFileSync(REPOSITORY + path, "utf8"))),
      ).toEqual([]);
      expect([files.length, proofs.length]).not.toContain(0);
    },
  );
});

describe("the lock file", () => {
  it("names no registry and no machine", () => {
    const text = readFileSync(`${REPOSITORY}package-lock.json`, "utf8");
    expect(text).not.toMatch(/"resolved"|registry\./);
  });
});
