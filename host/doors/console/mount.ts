/** Serves the console: one page, its script and its style, and no third-party content (SPEC I5). */

import { sha256Hex } from "../../primitives/digest.ts";
import type { HttpMount } from "../http/mount.ts";
import { problem } from "../http/problem.ts";
import { CONSOLE_SCRIPT, CONSOLE_STYLE } from "./assets.gen.ts";

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>bascule</title>
<link rel="stylesheet" href="/console.css">
<script type="module" src="/console.js"></script>
</head>
<body>
<div id="app"><noscript>The console needs JavaScript; the bascule commands offer the same functions.</noscript></div>
</body>
</html>
`;

/** Allows the console's own script and style and requests to this server; no inline code and no HTML from strings. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

interface ConsoleFile {
  readonly text: string;
  readonly type: string;
}

const FILES: ReadonlyMap<string, ConsoleFile> = new Map([
  ["/", { text: PAGE, type: "text/html" }],
  ["/console.js", { text: CONSOLE_SCRIPT, type: "text/javascript" }],
  ["/console.css", { text: CONSOLE_STYLE, type: "text/css" }],
]);

/** Forms in which a file is sent, made when it is asked for first. */
interface SentForms {
  readonly etag: string;
  readonly zipped: Uint8Array<ArrayBuffer>;
}
const sent = new Map<ConsoleFile, Promise<SentForms>>();

/** Needs no token: the page holds no data and asks the user to log in. */
export const consoleMount: HttpMount = {
  path: "/",
  async fetch(request) {
    const file = FILES.get(new URL(request.url).pathname);
    if (file === undefined) return problem("not_found", "Path not found: the console is at /, the API below /v1");
    if (request.method !== "GET" && request.method !== "HEAD")
      return problem("method_not_allowed", "This path takes GET", {}, { allow: "GET" });
    const { etag, zipped } = await formsOf(file);
    const fields = {
      ...{ "content-type": `${file.type}; charset=utf-8`, "content-security-policy": POLICY },
      // The browser keeps the file and asks whether it is still the same.
      ...{ etag, "cache-control": "no-cache", vary: "accept-encoding" },
    };
    if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers: fields });
    if (!/\bgzip\b/.test(request.headers.get("accept-encoding") ?? "")) return new Response(file.text, { headers: fields });
    return new Response(zipped, { headers: { ...fields, "content-encoding": "gzip" } });
  },
};

function formsOf(file: ConsoleFile): Promise<SentForms> {
  const made = sent.get(file) ?? makeForms(file);
  sent.set(file, made);
  return made;
}

async function makeForms({ text }: ConsoleFile): Promise<SentForms> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  const [zipped, hash] = await Promise.all([new Response(stream).arrayBuffer(), sha256Hex(text)]);
  // Weak, because one tag stands for both encodings.
  return { etag: `W/"${hash.slice(0, 32)}"`, zipped: new Uint8Array(zipped) };
}
