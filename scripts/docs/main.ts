/**
 * `npm run docs`: builds the documentation site into `dist/site`, or into the folder that is given. With `--pictures` it makes the pictures of
 * the tour first.
 */

import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { REPOSITORY } from "../run-command.ts";
import { buildSite } from "./site.ts";
import { makeTourPictures, TOUR_FOLDER } from "./tour-pictures.ts";

const { values, positionals } = parseArgs({ options: { pictures: { type: "boolean", default: false } }, allowPositionals: true });
const started = performance.now();
if (values.pictures) await makeTourPictures(TOUR_FOLDER);
const folder = resolve(positionals[0] ?? `${REPOSITORY}dist/site`);
const { pages, bytes } = await buildSite(folder);
const seconds = ((performance.now() - started) / 1000).toFixed(1);
console.log(`Wrote ${pages} pages (${(bytes / 2 ** 20).toFixed(1)} MiB) in ${seconds} s: open ${folder}/index.html`);
