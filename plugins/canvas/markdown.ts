/** Reasonings as Markdown, with a heading for each step. */

import type { Reasoning, Step } from "./steps.ts";

const MAX_STEPS = 2_000;
const HEADING = /^## \[([^\]]+)\](?: ([^()]+?))?(?: \(after ([^)]*)\))?\s*$/u;

export function writeMarkdown({ title, steps }: Reasoning): string {
  const parts = steps.map(({ id, kind, text, after }) => {
    const heading = `## [${id}]${kind === undefined ? "" : ` ${kind}`}${after.length === 0 ? "" : ` (after ${after.join(", ")})`}`;
    return `${heading}\n\n${escapeHeadings(text)}\n`;
  });
  return `${[`# ${title}\n`, ...parts].join("\n")}`;
}

/**
 * Reads steps. A heading without an id in brackets is a step that a user added; its words become the start of the text.
 *
 * @throws {Error} if there are too many steps.
 */
export function readMarkdown(text: string): Reasoning {
  const [before = "", ...parts] = text.replace(/\r\n?/gu, "\n").split(/^(?=## )/mu);
  if (parts.length > MAX_STEPS) throw new Error(`It has more than ${MAX_STEPS} steps`);
  const read = parts.map((part, index) => {
    const [first = "", ...rest] = part.split("\n");
    const body = unescapeHeadings(rest.join("\n").trim());
    const [, id, kind, after = ""] = HEADING.exec(first) ?? [];
    if (id === undefined) return { id: `added ${index + 1}`, text: `${first.slice(3).trim()}\n\n${body}`.trim(), after: [] };
    return { id, ...(kind !== undefined && { kind }), text: body, after: after.split(",").map((one) => one.trim()) };
  });
  const ids = new Set(read.map(({ id }) => id));
  const steps = read.map((step): Step => ({ ...step, after: [...new Set(step.after)].filter((one) => ids.has(one) && one !== step.id) }));
  return { title: /^# (.+)$/mu.exec(before)?.[1]?.trim() ?? "", steps };
}

/** Escape lines of the text that would be read as a step. */
function escapeHeadings(text: string): string {
  return text.replace(/^(\\*## )/gmu, "\\$1");
}

function unescapeHeadings(text: string): string {
  return text.replace(/^\\(\\*## )/gmu, "$1");
}
