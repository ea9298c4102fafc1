/** Runs of adjacent pages. Most guests change some hundred runs, but thousands of pages. */

import type { Marks } from "../engine/marks.ts";

/** The first page and the page after the last. */
export type PageRun = readonly [first: number, end: number];

/** Groups ascending page numbers into runs. */
export function toRuns(pages: Iterable<number>): readonly PageRun[] {
  const runs: [number, number][] = [];
  for (const page of pages) {
    const last = runs.at(-1);
    if (last?.[1] === page) last[1] = page + 1;
    else runs.push([page, page + 1]);
  }
  return runs;
}

/** Returns the runs of marked pages below `count`, a multiple of 8. Checks eight marks at a time, because most pages are clean. */
export function markedRuns(marks: Marks, count: number): readonly PageRun[] {
  const groups = new Float64Array(marks.buffer, marks.byteOffset, count / 8);
  const runs: PageRun[] = [];
  let first = -1;
  for (let group = 0; group < groups.length; group++) {
    // No mark makes a group read as -0 or NaN, so comparing the float with 0 compares its bytes.
    if (groups[group] === 0 && first < 0) continue;
    for (let page = group * 8; page < group * 8 + 8; page++) {
      const isMarked = marks[page] !== 0;
      if (isMarked && first < 0) first = page;
      if (isMarked || first < 0) continue;
      runs.push([first, page]);
      first = -1;
    }
  }
  if (first >= 0) runs.push([first, count]);
  return runs;
}
