/** Code blocks as HTML with classes for colours, made when the site is built. */

import { createRequire } from "node:module";
import { ERROR_CODES } from "../../host/mod.ts";
import { escapeHtml } from "./html.ts";

interface Highlighter {
  highlight(code: string, options: { readonly language: string }): { readonly value: string };
}

// By `require`, because the types of the package load the types of the browser, which conflict with those of Node.
const load: (name: string) => unknown = createRequire(import.meta.url);
const highlighter = load("highlight.js/lib/common");
if (!isHighlighter(highlighter)) throw new Error('"highlight.js/lib/common" has no function "highlight"');
const { highlight: highlightCode } = highlighter;

const LANGUAGES: ReadonlyMap<string, string> = new Map([
  ["sh", "bash"],
  ["bash", "bash"],
  ["diff", "diff"],
  ["js", "javascript"],
  ["json", "json"],
  ["ts", "typescript"],
  ["tsx", "typescript"],
  ["yaml", "yaml"],
]);

/** First words of output that reports a failure. */
const FAILURES = new Set<string>([...ERROR_CODES, "error", "FAILED", "failed"]);

/** Highlights a block. An unknown language stays plain text. */
export function highlight(code: string, language: string): string {
  if (language === "console") return code.split("\n").map(consoleLine).join("\n");
  const known = LANGUAGES.get(language);
  return known === undefined ? escapeHtml(code) : highlightCode(code, { language: known }).value;
}

/** A line of a terminal: a command after `$ `, a comment, or output. */
function consoleLine(line: string): string {
  if (line.startsWith("$ ")) return `<span class="prompt">$ </span><span class="command">${highlight(line.slice(2), "sh")}</span>`;
  if (line.startsWith("# ")) return `<span class="hljs-comment">${escapeHtml(line)}</span>`;
  const [first = ""] = line.trim().split(/[ :]/);
  const kind = FAILURES.has(first) ? "out bad" : first === "ok" ? "out good" : "out";
  return `<span class="${kind}">${escapeHtml(line)}</span>`;
}

function isHighlighter(value: unknown): value is Highlighter {
  return typeof value === "object" && value !== null && "highlight" in value && typeof value.highlight === "function";
}
