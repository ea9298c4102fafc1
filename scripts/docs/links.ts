/** Checks the finished site: every link, image and script leads to a file of it, every anchor to an element, and nothing to another server. */

import { posix } from "node:path";
import { textOfHtml } from "./html.ts";

/** Attributes that load something as soon as the page is opened. */
const LOADED = /<(?:img|script|link|source|iframe)\b[^>]*\s(?:src|href)="([^"]+)"/g;
const ANY = /\s(?:href|src)="([^"]+)"/g;

/** @param files of the site by path; pages with their HTML, others with any text. Returns what is wrong, one line each. */
export function deadLinks(files: ReadonlyMap<string, string>): readonly string[] {
  const pages = [...files].filter(([path]) => path.endsWith(".html"));
  const anchors = new Map(
    pages.map(([path, html]) => [path, new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = ""]) => textOfHtml(id)))]),
  );
  return pages.flatMap(([path, html]) => {
    const loaded = [...html.matchAll(LOADED)].flatMap(([, url = ""]) => (/^(?:\w+:)?\/\//.test(url) ? [`${path}: loads "${url}"`] : []));
    const targets = new Set([...html.matchAll(ANY)].map(([, url = ""]) => textOfHtml(url)));
    return [...loaded, ...[...targets].flatMap((url) => deadTarget(path, url, { files, anchors }))];
  });
}

interface Known {
  readonly files: ReadonlyMap<string, string>;
  readonly anchors: ReadonlyMap<string, ReadonlySet<string>>;
}

function deadTarget(from: string, url: string, { files, anchors }: Known): readonly string[] {
  if (/^(?:https?|mailto):/.test(url)) return [];
  const [file = "", anchor] = url.split("#");
  const path = file === "" ? from : posix.join(posix.dirname(from), file);
  if (!files.has(path)) return [`${from}: "${url}" leads to no file`];
  if (anchor === undefined || anchors.get(path)?.has(anchor) === true) return [];
  return [`${from}: "${url}" leads to no heading`];
}
