import { describe, expect, it } from "vitest";
import { checkVersion, parseCommits, placeSection, type ReleaseCommit, toSection } from "../../scripts/release-notes.ts";
import { runCommand } from "../../scripts/run-command.ts";

const LOG = [
  "feat(host/policy): rules have quotas\0Why.",
  "docs: a page\0",
  "fix: a slow start\0",
  "refactor(host/mod)!: call() takes an object\0",
  "feat(cli): tables\0More.\n\nBREAKING CHANGE: Read --json\ninstead of the text.\n\nAnd more.",
  "perf(sandbox): a call takes half\0",
  "Merge branch 'main'\0",
  "",
].join("\x1e\n");

const COMMITS: readonly ReleaseCommit[] = [
  { kind: "feat", scope: "host/policy", subject: "rules have quotas" },
  { kind: "fix", subject: "a slow start" },
  { kind: "other", scope: "host/mod", subject: "call() takes an object", breaks: "" },
  { kind: "feat", scope: "cli", subject: "tables", breaks: "Read --json instead of the text." },
  { kind: "perf", scope: "sandbox", subject: "a call takes half" },
];

const SECTION = `## 0.2.0, 2026-12-01

### Breaking changes
- cli: tables. Read --json instead of the text.
- host/mod: call() takes an object

### Added
- host/policy: rules have quotas

### Fixed
- a slow start

### Faster
- sandbox: a call takes half`;

describe("the change log of a release", () => {
  it("has what a user notices, breaking changes first [DI1.changelog]", () => {
    expect(parseCommits(LOG)).toEqual(COMMITS);
    expect(toSection(COMMITS, { version: "0.2.0", date: "2026-12-01" })).toBe(SECTION);
    expect(toSection([], { version: "0.1.1", date: "2026-12-01" })).toBe("## 0.1.1, 2026-12-01\n\nNothing that a user notices.");
  });

  it.each<readonly [version: string, last: string, commits: readonly ReleaseCommit[], least: string | undefined]>([
    ["0.1.1", "0.1.0", COMMITS.slice(1, 2), undefined],
    ["0.1.0", "0.1.0", COMMITS.slice(1, 2), "0.1.1"],
    ["0.1.1", "0.1.0", COMMITS.slice(0, 1), "0.2.0"],
    ["0.1.9", "0.1.0", COMMITS.slice(2, 3), "0.2.0"],
    ["1.3.0", "1.2.0", COMMITS.slice(2, 3), "2.0.0"],
    ["2.0.0", "1.2.0", COMMITS, undefined],
  ])("checks version %s after %s [DI1.semver]", (version, last, commits, least) => {
    const said = checkVersion(version, last, commits);
    expect(said === undefined ? undefined : /need version (\S+),/u.exec(said)?.[1]).toBe(least);
  });

  it("goes above the versions before, once [DI1.changelog]", () => {
    const before = "# Changes\n\nText.\n\n## 0.1.0, 2026-01-01\nFirst.\n";
    const after = placeSection(before, SECTION);
    expect(after).toBe(`# Changes\n\nText.\n\n${SECTION}\n\n## 0.1.0, 2026-01-01\nFirst.\n`);
    expect(() => placeSection(after, SECTION)).toThrow('CHANGELOG.md has a section "## 0.2.0"');
    expect(placeSection("# Changes\n", SECTION)).toBe(`# Changes\n\n${SECTION}\n`);
  });

  it("is made by a command of a repository's commits [DI1.changelog]", async () => {
    const { code, output } = await runCommand("node", ["scripts/changelog.ts", "--from", "HEAD"]);
    expect({ code, output }).toEqual({
      code: 0,
      output: expect.stringMatching(/^## \d+\.\d+\.\d+, \d{4}-\d\d-\d\d\n\nNothing that a user notices\.\n$/u),
    });
    expect(await runCommand("node", ["scripts/changelog.ts", "--from", "no-such-commit"])).toMatchObject({ code: 1 });
  });
});
