/** Formats test results in the layout of `deno test`. All texts from guests are made inert. */

import type { FileOutcome, TestError, TestEvent, TestOutcome } from "../../testing/outcome.ts";
import type { Style } from "../../primitives/style.ts";
import { count, printable, printableLines } from "../../primitives/text.ts";

/** Creates a formatter for test events. @param shown converts a plugin's file to a path relative to the working directory */
export function createTestLines(style: Style, shown: (plugin: string, file: string) => string): (event: TestEvent) => readonly string[] {
  let hasOutput = false;
  const closing = (): readonly string[] => {
    if (!hasOutput) return [];
    hasOutput = false;
    return [style.dim("----- output end -----")];
  };
  return (event) => {
    switch (event.type) {
      case "file":
        return [...closing(), style.dim(`running ${count(event.tests, "test")} from ${printable(shown(event.plugin, event.file))}`)];
      case "begin":
        return [...closing(), `${indent(event.level)}${printable(event.name)} ...`];
      case "end":
        return [...closing(), endLine(event.outcome, event.level, style)];
      case "output": {
        const first = hasOutput ? [] : [style.dim("------- output -------")];
        hasOutput = true;
        return [...first, ...printableLines(event.text).split("\n")];
      }
    }
  };
}

function endLine(outcome: TestOutcome, level: number, style: Style): string {
  const failed = outcome.steps.filter(({ status }) => status === "failed").length;
  const because =
    outcome.status === "failed" && outcome.error === undefined && failed > 0 ? ` (due to ${count(failed, "failed step")})` : "";
  return `${indent(level)}${printable(outcome.name)} ... ${statusText(outcome, style)}${because} ${style.dim(`(${duration(outcome.ms)})`)}`;
}

function statusText({ status }: TestOutcome, style: Style): string {
  switch (status) {
    case "ok":
      return style.green("ok");
    case "failed":
      return style.red("FAILED");
    case "ignored":
      return style.yellow("ignored");
    case "cancelled":
      return style.dim("cancelled");
  }
}

function indent(level: number): string {
  return "  ".repeat(level);
}

function duration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)}ms` : `${(ms / 1_000).toFixed(1)}s`;
}

/** Numbers of tests and steps by status. */
interface TestCounts {
  readonly passed: number;
  readonly failed: number;
  readonly ignored: number;
  readonly filtered: number;
  readonly passedSteps: number;
  readonly failedSteps: number;
  readonly ignoredSteps: number;
}

export function countTests(files: readonly FileOutcome[]): TestCounts {
  const tests = files.flatMap(({ results }) => results);
  const steps = tests.flatMap(stepsOf);
  const withStatus = (list: readonly TestOutcome[], ...wanted: readonly TestOutcome["status"][]): number =>
    list.filter(({ status }) => wanted.includes(status)).length;
  return {
    passed: withStatus(tests, "ok"),
    failed: withStatus(tests, "failed", "cancelled") + files.filter(({ error }) => error !== undefined).length,
    ignored: withStatus(tests, "ignored"),
    filtered: files.reduce((sum, file) => sum + file.filtered, 0),
    passedSteps: withStatus(steps, "ok"),
    failedSteps: withStatus(steps, "failed"),
    ignoredSteps: withStatus(steps, "ignored"),
  };
}

function stepsOf({ steps }: TestOutcome): readonly TestOutcome[] {
  return steps.flatMap((step) => [step, ...stepsOf(step)]);
}

/** Formats the errors and the final line. */
export function summaryLines(
  files: readonly FileOutcome[],
  ms: number,
  style: Style,
  shown: (plugin: string, file: string) => string,
): readonly string[] {
  const failures = failuresOf(files, shown);
  const counts = countTests(files);
  const isGood = counts.failed === 0;
  const usedOnly = files.some((file) => file.usedOnly);
  const steps = (number: number): string => (number === 0 ? "" : ` (${count(number, "step")})`);
  return [
    ...(failures.length === 0 ? [] : ["", style.bold(style.red("ERRORS"))]),
    ...failures.flatMap(({ title, error }) => [
      "",
      title,
      `${style.red("error")}: ${printableLines(error.message)}`,
      ...stackLines(error, style),
    ]),
    ...(failures.length === 0 ? [] : ["", style.bold(style.red("FAILURES")), "", ...failures.map(({ title }) => title)]),
    "",
    [
      isGood ? style.green("ok") : style.red("FAILED"),
      `${counts.passed} passed${steps(counts.passedSteps)}`,
      `${counts.failed} failed${steps(counts.failedSteps)}`,
      ...(counts.ignored + counts.ignoredSteps === 0 ? [] : [`${counts.ignored} ignored${steps(counts.ignoredSteps)}`]),
      ...(counts.filtered === 0 ? [] : [`${counts.filtered} filtered out`]),
    ].join(" | ") + style.dim(` (${duration(ms)})`),
    ...(usedOnly ? ["", `${style.red("error")}: Test failed because the "only" option was used`] : []),
  ];
}

/** A failed test, step or file, with its error. */
interface Failure {
  readonly title: string;
  readonly error: TestError;
}

/** Returns all failures in order. Titles are inert. */
export function failuresOf(files: readonly FileOutcome[], shown: (plugin: string, file: string) => string): readonly Failure[] {
  return files.flatMap((file) => failuresOfFile(file, shown));
}

function failuresOfFile(file: FileOutcome, shown: (plugin: string, file: string) => string): readonly Failure[] {
  const at = (place: string | undefined): string => (place === undefined ? shown(file.plugin, file.file) : shown(file.plugin, place));
  const visit = (outcome: TestOutcome, above: string): readonly Failure[] => {
    const name = `${above}${outcome.name}`;
    const own =
      outcome.status === "failed" && outcome.error !== undefined
        ? [{ title: printable(`${name} => ${at(outcome.place)}`), error: outcome.error }]
        : [];
    return [...outcome.steps.flatMap((step) => visit(step, `${name} ... `)), ...own];
  };
  const uncaught =
    file.error === undefined ? [] : [{ title: printable(`${shown(file.plugin, file.file)} (uncaught error)`), error: file.error }];
  return [...file.results.flatMap((outcome) => visit(outcome, "")), ...uncaught];
}

function stackLines({ stack }: TestError, style: Style): readonly string[] {
  return stack === ""
    ? []
    : printableLines(stack)
        .split("\n")
        .map((line) => style.dim(line));
}
