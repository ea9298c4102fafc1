/**
 * `npm run changelog`: makes the section of a release for CHANGELOG.md of the commits since the last tag `v…`, and prints it.
 *
 * `--write` puts it into CHANGELOG.md, above the other versions; `--from REV` begins after another commit. Only commits that a user notices are listed:
 * `feat`, `fix`, `perf`, and every one that breaks an interface (`feat(scope)!: …`, or `BREAKING CHANGE: how to adapt` in its body).
 */

import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { checkVersion, parseCommits, placeSection, toSection } from "./release-notes.ts";
import { REPOSITORY, runCommand } from "./run-command.ts";

const OPTIONS = { write: { type: "boolean", default: false }, from: { type: "string" } } as const;
const PATH = `${REPOSITORY}CHANGELOG.md`;

try {
  const { values } = parseArgs({ options: OPTIONS });
  const section = await makeSection(values.from);
  if (values.write) writeFileSync(PATH, placeSection(readFileSync(PATH, "utf8"), section));
  else console.log(section);
} catch (cause) {
  console.error(cause instanceof Error ? cause.message : cause);
  process.exitCode = 1;
}

/** @throws {Error} if git finds no tag, or the version in package.json is too low for the commits */
async function makeSection(from: string | undefined): Promise<string> {
  const { version } = JSON.parse(readFileSync(`${REPOSITORY}package.json`, "utf8")) as { readonly version: string };
  const start = from ?? (await git("describe", "--tags", "--abbrev=0", "--match=v[0-9]*"));
  const commits = parseCommits(await git("log", "--no-merges", "--format=%s%x00%b%x1e", `${start}..HEAD`));
  const wrong = /^v\d/u.test(start) ? checkVersion(version, start.slice(1), commits) : undefined;
  if (wrong !== undefined) throw new Error(wrong);
  return toSection(commits, { version, date: new Date().toISOString().slice(0, 10) });
}

async function git(...args: readonly string[]): Promise<string> {
  const { code, output } = await runCommand("git", args);
  if (code !== 0) throw new Error(`Cannot read the history: ${output.trim()} (git fetch --tags, or give --from REV)`);
  return output.trim();
}
