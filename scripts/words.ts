/**
 * `npm run words`: lists openings and words that docs/style.md asks to avoid in comments, messages and docs.
 *
 * `npm run words -- host/doors docs` checks only these. Exit code 1 if a message or a page has one, or if comments exceed the
 * shares below.
 */

import { readdirSync, readFileSync } from "node:fs";
import { checkComment, checkMessage, type Prose, type ProseFinding, proseOf } from "./prose.ts";
import { REPOSITORY } from "./run-command.ts";

/** Maximum shares of all comments, by kind of finding. */
const MAX_SHARE = { opening: 0.03, person: 0.003, word: 0 } as const;

const SOURCES = ["bench", "bin", "console", "host", "manifests", "plugins", "sandbox", "scripts", "test"];
const PAGES = ["docs", "README.md", "CONTRIBUTING.md", "SECURITY.md"];
/** Generated and foreign files, `docs/spec.md`, which is made and not committed, and the test whose inputs are these words. */
const LEFT_OUT = /\.gen\.ts$|\.d\.ts$|\/fixtures\/|\/golden\/|\/vendor\/|^docs\/spec\.md$|^test\/scripts\/prose\.test\.ts$/;

export interface Finding extends ProseFinding {
  readonly path: string;
  readonly text: string;
  readonly isComment: boolean;
}

export interface WordsReport {
  readonly comments: number;
  readonly findings: readonly Finding[];
  /** Limits that are exceeded; empty if all are met. */
  readonly failures: readonly string[];
}

export function checkWords(below: readonly string[] = []): WordsReport {
  const findings: Finding[] = [];
  let comments = 0;
  const add = (path: string, texts: readonly Prose[], isComment: boolean): void => {
    for (const prose of texts)
      for (const found of (isComment ? checkComment : checkMessage)(prose)) findings.push({ ...found, path, text: prose.text, isComment });
  };
  for (const path of [...SOURCES, ...PAGES].flatMap(filesBelow)) {
    if (LEFT_OUT.test(path) || (below.length > 0 && !below.some((prefix) => path.startsWith(prefix)))) continue;
    const text = readFileSync(REPOSITORY + path, "utf8");
    if (path.endsWith(".md")) add(path, linesOf(text), false);
    else {
      const prose = proseOf(text, path.endsWith(".tsx") ? "tsx" : "ts");
      comments += prose.comments.length;
      add(path, prose.comments, true);
      add(path, prose.messages, false);
    }
  }
  return { comments, findings, failures: failuresOf(findings, comments) };
}

/** One line of a list that editors can follow. */
export function formatFinding({ path, line, kind, found, text, isComment }: Finding): string {
  return `${path}:${String(line)} ${isComment ? "comment" : "text"} ${kind} "${found}": ${text.replaceAll(/\s+/g, " ").slice(0, 140)}`;
}

function failuresOf(findings: readonly Finding[], comments: number): readonly string[] {
  const shown = findings.filter(({ isComment }) => !isComment).length;
  const failures = shown === 0 ? [] : [`${String(shown)} in messages and pages (none is allowed)`];
  for (const kind of ["opening", "person", "word"] as const) {
    const count = findings.filter((found) => found.isComment && found.kind === kind).length;
    const most = Math.floor(MAX_SHARE[kind] * comments);
    if (count > most) failures.push(`${String(count)} comments with "${kind}" (at most ${String(most)} of ${String(comments)})`);
  }
  return failures;
}

function filesBelow(top: string): readonly string[] {
  if (top.endsWith(".md")) return [top];
  return readdirSync(REPOSITORY + top, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(?:ts|tsx|md)$/.test(entry.name))
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(REPOSITORY.length))
    .toSorted();
}

function linesOf(text: string): readonly Prose[] {
  return text.split("\n").map((line, index) => ({ line: index + 1, text: line }));
}

if (import.meta.main) {
  const { comments, findings, failures } = checkWords(process.argv.slice(2));
  for (const finding of findings) console.log(formatFinding(finding));
  console.log(`${String(comments)} comments, ${String(findings.length)} findings`);
  for (const failure of failures) console.log(`FAILED ${failure}`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}
