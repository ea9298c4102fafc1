/** The pictures of the tour show what the commands print today. */

import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { makeTourPictures, TOUR_FOLDER } from "../../scripts/docs/tour-pictures.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

it.skipIf("Deno" in globalThis || process.platform !== "linux")(
  "are those that `npm run docs -- --pictures` would make, but for times and ids [I7.site]",
  { timeout: 120_000 },
  async () => {
    const folder = `${await temporaryFolder()}/`;
    await makeTourPictures(folder);
    expect(picturesOf(TOUR_FOLDER)).toEqual(picturesOf(folder));
  },
);

function picturesOf(folder: string): Readonly<Record<string, string>> {
  return Object.fromEntries(readdirSync(folder).map((name) => [name, masked(readFileSync(folder + name, "utf8"))]));
}

/** Replaces what differs at each run. */
function masked(picture: string): string {
  return picture
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/\b[\da-f]{8}-[\da-f-]+|(?<=, )[\da-f]{8}[\da-f-]*(?=\. Undoing)/g, "ID");
}
