/** The reasons of all suites, and which is whose. */

import { DENO_GAPS } from "./deno.ts";
import { type Gap, gap } from "./gap.ts";
import { PACKAGES_GAPS } from "./packages.ts";
import { STD_GAPS } from "./std.ts";
import { WPT_GAPS } from "./wpt.ts";

export type { Gap } from "./gap.ts";

export const GAPS: ReadonlyMap<string, readonly Gap[]> = new Map([
  ["std", STD_GAPS],
  ["deno", DENO_GAPS],
  ["wpt", WPT_GAPS],
  ["packages", PACKAGES_GAPS],
  ["jmespath", [gap(/^literal\.json: /, "a raw string with two backslashes: the specification changed after the suite")]],
]);

/** The reason of a test that fails; undefined if nobody wrote one. */
export function gapOf(suite: string, file: string, test: string): Gap | undefined {
  const line = `${file}: ${test}`;
  return GAPS.get(suite)?.find(({ tests }) => tests.test(line));
}
