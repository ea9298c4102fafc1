/** Turns commits into the section of a release, and says which version they need. The policy is in CONTRIBUTING.md. */

import { inc, lt } from "semver";

/** A commit that a user notices. */
export interface ReleaseCommit {
  readonly kind: "feat" | "fix" | "perf" | "other";
  readonly scope?: string;
  readonly subject: string;
  /** Advice of its author on how to adapt; may be empty. Absent if no interface breaks. */
  readonly breaks?: string;
}

const HEADINGS = [
  ["feat", "Added"],
  ["fix", "Fixed"],
  ["perf", "Faster"],
] as const;

const SUBJECT = /^(?<kind>[a-z]+)(?:\((?<scope>[^)]+)\))?(?<mark>!?): (?<subject>.+)$/u;

/** Parses `git log --format=%s%x00%b%x1e`. Leaves out what no user notices: tests, documentation, refactoring, merges. */
export function parseCommits(log: string): readonly ReleaseCommit[] {
  return log.split("\x1e").flatMap((entry): readonly ReleaseCommit[] => {
    const [first = "", body = ""] = entry.trim().split("\0");
    const { kind = "", scope, mark, subject = "" } = SUBJECT.exec(first)?.groups ?? {};
    const [, says] = /(?:^|\n)BREAKING CHANGE: (?<says>[\s\S]+?)(?:\n\n|$)/u.exec(body) ?? [];
    const breaks = says?.replaceAll(/\s+/gu, " ").trim() ?? (mark === "!" ? "" : undefined);
    const known = HEADINGS.find(([name]) => name === kind)?.[0];
    if (subject === "" || (known === undefined && breaks === undefined)) return [];
    return [{ kind: known ?? "other", subject, ...(scope !== undefined && { scope }), ...(breaks !== undefined && { breaks }) }];
  });
}

/** Returns what is wrong with a version after `last`: a breaking change needs a major (before 1.0 a minor) one, a feature a minor one. */
export function checkVersion(version: string, last: string, commits: readonly ReleaseCommit[]): string | undefined {
  const isBreaking = commits.some(({ breaks }) => breaks !== undefined);
  const step =
    isBreaking && !last.startsWith("0.") ? "major" : isBreaking || commits.some(({ kind }) => kind === "feat") ? "minor" : "patch";
  const least = inc(last, step);
  if (least === null || !lt(version, least)) return undefined;
  return `The commits since ${last} need version ${least}, and package.json has ${version} (npm version ${step} --no-git-tag-version)`;
}

/** Formats the section: breaking changes first, then by kind, each sorted by scope. */
export function toSection(
  commits: readonly ReleaseCommit[],
  { version, date }: { readonly version: string; readonly date: string },
): string {
  const groups = [
    ["Breaking changes", commits.filter(({ breaks }) => breaks !== undefined)],
    ...HEADINGS.map(([kind, heading]) => [heading, commits.filter((one) => one.kind === kind && one.breaks === undefined)] as const),
  ] as const;
  const parts = groups.flatMap(([heading, group]) => (group.length === 0 ? [] : [`### ${heading}\n${linesOf(group).join("\n")}`]));
  return [`## ${version}, ${date}`, ...(parts.length === 0 ? ["Nothing that a user notices."] : parts)].join("\n\n");
}

function linesOf(commits: readonly ReleaseCommit[]): readonly string[] {
  const key = ({ scope = "" }: ReleaseCommit): string => scope;
  return commits
    .toSorted((left, right) => (key(left) < key(right) ? -1 : key(left) > key(right) ? 1 : 0))
    .map(
      ({ scope, subject, breaks = "" }) => `- ${scope === undefined ? "" : `${scope}: `}${subject}${breaks === "" ? "" : `. ${breaks}`}`,
    );
}

/** Puts a section above the other versions. @throws {Error} if the version has one */
export function placeSection(changelog: string, section: string): string {
  const [heading = ""] = section.split(",", 1);
  if (changelog.includes(`\n${heading},`)) throw new Error(`CHANGELOG.md has a section "${heading}" (remove it to make it again)`);
  const at = changelog.indexOf("\n## ") + 1;
  return at === 0 ? `${changelog.trimEnd()}\n\n${section}\n` : `${changelog.slice(0, at)}${section}\n\n${changelog.slice(at)}`;
}
