/** Pages next to each other, taken as one: what is copied out of a guest lies in some hundred pieces, not in thousands. */

import type { Marks } from "./marks.ts";

/** The first page, and the one after the last. */
export type PageRun = readonly [first: number, end: number];

/** Of page numbers that ascend. */
export function toRuns(pages: Iterable<number>): readonly PageRun[] {
  const runs: [number, number][] = [];
  for (const page of pages) {
    const last = runs.at(-1);
    if (last?.[1] === page) last[1] = page + 1;
    else runs.push([page, page + 1]);
  }
  return runs;
}

/** Of the pages below `count` that are marked. Eight at a look: most are clean. `count` is a multiple of 8. */
export function markedRuns(marks: Marks, count: number): readonly PageRun[] {
  const groups = new Float64Array(marks.buffer, marks.byteOffset, count / 8);
  const runs: PageRun[] = [];
  let first = -1;
  for (let group = 0; group < groups.length; group++) {
    // No mark is -0 or NaN, so that a group compares with 0 as its bytes do.
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
