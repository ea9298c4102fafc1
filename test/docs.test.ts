import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { allCommands } from "../host/doors/cli/commands/mod.ts";
import { COMMON_OPTIONS } from "../host/doors/cli/help.ts";
import { MANIFEST_FOLDERS, ROOMS, SANDBOX_HEIGHTS } from "./support/architecture-rules.ts";
import { REPOSITORY } from "./support/source-files.ts";

const PAGES = [
  ...["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"],
  ...readdirSync(`${REPOSITORY}docs`, { recursive: true, encoding: "utf8" }).map((name) => `docs/${name}`),
].filter((name) => name.endsWith(".md") && name !== "docs/spec.md");

/** File names in a page: paths from the repository's root, in backticks, without placeholders. */
const PATH = /`((?:manifests|sandbox|host|plugins|test|bench|scripts|docs|bin)\/[\w./-]*|[\w-]+\.(?:json|md)|\.ox\w+\.json)`/g;

/** Files that users or tools create, not part of the checkout. */
const MADE_LATER = new Set(["docs/spec.md", "bascule.json", "manifest.json", "grants.json", "deno.lock"]);

function missingPaths(text: string): readonly string[] {
  const named = [...text.matchAll(PATH)].map((match) => match[1] ?? "");
  return named.filter((path) => !MADE_LATER.has(path) && !path.startsWith("dist/") && !existsSync(REPOSITORY + path));
}

function deadLinks(page: string, text: string): readonly string[] {
  const folder = page.includes("/") ? page.slice(0, page.lastIndexOf("/") + 1) : "";
  const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map((match) => match[1] ?? "");
  return targets.filter((target) => !existsSync(REPOSITORY + folder + target));
}

/** Finds links to a heading that the target page does not have. */
function deadAnchors(page: string, text: string): readonly string[] {
  const folder = page.slice(0, page.lastIndexOf("/") + 1);
  return [...text.matchAll(/\]\((?!https?:)([^)#\s]*\.md)?#([^)\s]+)\)/g)].flatMap(([, target, anchor = ""]) => {
    const there = target === undefined ? text : readFileSync(REPOSITORY + folder + target, "utf8");
    return headingsOf(there).includes(anchor) ? [] : [`${target ?? ""}#${anchor}`];
  });
}

/** Makes anchors of headings as GitHub does. */
function headingsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-"),
  );
}

const commands = new Map((await allCommands()).map((command) => [command.name, command]));

/** Finds commands and options in code of a page that bascule does not have. */
function unknownCommands(text: string): readonly string[] {
  return [...text.matchAll(/(?:^(?:\$ )?|[`(])(?:node bin\/bascule\.mjs|bascule) ([a-z][\w-]*)((?:[^`\n|;#)\]]|(?<=\[)\])*)/gm)].flatMap(
    ([, name = "", rest = ""]) => {
      const command = commands.get(name);
      if (command === undefined) return NO_COMMANDS.has(name) ? [] : [name];
      const known = new Set([...command.options, ...COMMON_OPTIONS].map((option) => option.name));
      const given = [...(rest.split(" -- ")[0] ?? "").matchAll(/(?<=\s)--([a-z][\w-]*)/g)].map((match) => match[1] ?? "");
      return given.filter((option) => !known.has(option)).map((option) => `${name} --${option}`);
    },
  );
}

/** Finds lines of prose that begin with the program's name, and signed texts. */
const NO_COMMANDS = new Set(["plugin", "and", "has", "runs"]);

describe("the documentation", () => {
  it("exists", () => {
    expect(PAGES).toEqual(
      expect.arrayContaining(["README.md", "docs/architecture.md", "docs/security.md", "docs/style.md", "docs/errors.md"]),
    );
  });

  it.each(PAGES)("%s names only files that exist", (page) => {
    expect(missingPaths(readFileSync(REPOSITORY + page, "utf8"))).toEqual([]);
  });

  it.each(PAGES)("%s links only to files that exist", (page) => {
    expect(deadLinks(page, readFileSync(REPOSITORY + page, "utf8"))).toEqual([]);
  });

  it.each(PAGES)("%s links only to headings that exist", (page) => {
    expect(deadAnchors(page, readFileSync(REPOSITORY + page, "utf8"))).toEqual([]);
  });

  it.each(PAGES)("%s names only commands and options that exist [I2.docs]", (page) => {
    expect(unknownCommands(readFileSync(REPOSITORY + page, "utf8"))).toEqual([]);
  });

  it("is reached from the index: every page for readers", () => {
    const index = readFileSync(`${REPOSITORY}docs/README.md`, "utf8");
    const readers = PAGES.filter((page) => /^docs\/(?:guide\/)?[\w-]+\.md$/.test(page) && page !== "docs/README.md");
    expect(readers.filter((page) => !index.includes(`(${page.slice("docs/".length)})`))).toEqual([]);
  });

  it("reports a missing heading, command or option", () => {
    expect(deadAnchors("docs/a.md", "# One two\n[a](#one-two) [b](#three) [c](style.md#words) [d](style.md#gone)")).toEqual([
      "#three",
      "style.md#gone",
    ]);
    expect(unknownCommands("`bascule calls x`\n$ bascule list --al\nbascule grant a --allow-read=. # --x\n")).toEqual([
      "calls",
      "list --al",
    ]);
  });

  it("reports a missing file", () => {
    expect(missingPaths("see `host/gone.ts`, `docs/style.md` and `host/platform/`")).toEqual(["host/gone.ts"]);
    expect(deadLinks("docs/a.md", "[a](gone.md) [b](style.md) [c](https://example.org) [d](#x)")).toEqual(["gone.md"]);
  });
});

describe("the threat model", () => {
  const table = readFileSync(`${REPOSITORY}docs/security.md`, "utf8").split("## Threats")[1]?.split("\n## ")[0] ?? "";
  const rows = table.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| vector") && !line.startsWith("| ---"));
  const pathsOf = (cell: string | undefined): readonly string[] => [...(cell ?? "").matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? "");

  it("has a row for every known attack", () => {
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

describe("docs/architecture.md", () => {
  const section = (text: string, heading: string): string => text.split(`\n${heading}\n`)[1]?.split(/\n##/)[0] ?? "";

  it("lists the rooms of host/ in their order", () => {
    const rooms = section(readFileSync(`${REPOSITORY}docs/architecture.md`, "utf8"), "### host/: everything with authority or state");
    const listed = [...rooms.matchAll(/^\| (\d+) \| `host\/([\w-]+)\/` \|/gm)].map(([, number, room]) => `${number ?? ""} ${room ?? ""}`);
    expect(listed).toEqual(ROOMS.map((room, index) => `${String(index + 1)} ${room}`));
    const folders = readdirSync(`${REPOSITORY}host`, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).toSorted()).toEqual(ROOMS.toSorted());
  });

  it("lists the folders of sandbox/ and manifests/ in their order", () => {
    const page = readFileSync(`${REPOSITORY}docs/architecture.md`, "utf8");
    const namedIn = (heading: string, pattern: RegExp): readonly string[] =>
      [...section(page, heading).matchAll(pattern)].map(([, folder = ""]) => folder);
    expect(namedIn("### sandbox/: untrusted code", /^\| \w+ \| `sandbox\/([\w-]+)\/` \|/gm)).toEqual([...SANDBOX_HEIGHTS.keys(), "guest"]);
    expect(namedIn("### manifests/: the contract as data", /`manifests\/([\w-]+)\/`/g)).toEqual(MANIFEST_FOLDERS);
  });

  it("lists the steps of dispatch in their order and in their words", () => {
    const steps = (text: string, pattern: RegExp): readonly string[] => [...text.matchAll(pattern)].map(([, step = ""]) => step);
    const path = readFileSync(`${REPOSITORY}docs/architecture.md`, "utf8").split("## One path of a call")[1]?.split("\n## ")[0] ?? "";
    const inCode = steps(readFileSync(`${REPOSITORY}host/dispatch/dispatch.ts`, "utf8"), /\/\/ (\d+\. [^.:]+)/g);
    expect(inCode).toHaveLength(11);
    expect(steps(path, /^(\d+\. [^.:]+)/gm)).toEqual(inCode);
  });
});
