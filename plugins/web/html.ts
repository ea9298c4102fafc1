/** Converts a web page to readable text: headings, lists and code are kept, everything else is dropped. Takes one pass over any page. */

/** A page as text. */
export interface Page {
  readonly title: string;
  readonly text: string;
}

/** Elements whose contents are not text. */
const SKIPPED: ReadonlySet<string> = new Set([
  "script",
  "style",
  "noscript",
  "template",
  "svg",
  "iframe",
  "nav",
  "footer",
  "form",
  "button",
]);
const HEADINGS: ReadonlyMap<string, string> = new Map(
  ["h1", "h2", "h3", "h4", "h5", "h6"].map((name, index) => [name, "#".repeat(index + 1)]),
);
const BLOCKS: ReadonlySet<string> = new Set(
  "p div section article main header aside ul ol dl dt dd table tr blockquote figure figcaption hr address details summary body".split(" "),
);

const ENTITIES: ReadonlyMap<string, string> = new Map(
  [
    ...(["amp &", "lt <", "gt >", 'quot "', "apos '", "copy ©", "reg ®", "trade ™", "hellip …", "mdash —", "ndash –"] as const),
    ...(["lsquo ‘", "rsquo ’", "ldquo “", "rdquo ”", "laquo «", "raquo »", "bull •", "middot ·", "euro €", "times ×", "rarr →"] as const),
    "nbsp  ",
  ].map((pair) => [pair.slice(0, pair.indexOf(" ")), pair.slice(pair.indexOf(" ") + 1)] as const),
);

export function readHtml(html: string): Page {
  const lower = html.toLowerCase();
  const [from, to] = mainPart(lower);
  return { title: oneLine(decode(between(html, lower, "title"))), text: textIn(html, lower, from, to) };
}

/** Finds where the content starts, if the page marks it. */
function mainPart(lower: string): readonly [number, number] {
  for (const name of ["main", "article", "body"]) {
    const open = new RegExp(`<${name}[\\s>]`, "u").exec(lower);
    if (open === null) continue;
    const end = lower.lastIndexOf(`</${name}`);
    return [open.index, end > open.index ? end : lower.length];
  }
  return [0, lower.length];
}

function between(html: string, lower: string, name: string): string {
  const open = lower.indexOf(`<${name}`);
  const begin = open === -1 ? -1 : lower.indexOf(">", open);
  const end = begin === -1 ? -1 : lower.indexOf(`</${name}`, begin);
  return end === -1 ? "" : html.slice(begin + 1, end);
}

function textIn(html: string, lower: string, from: number, to: number): string {
  const out = new Lines();
  let at = from;
  while (at < to) {
    const open = html.indexOf("<", at);
    if (open === -1 || open >= to) {
      out.text(decode(html.slice(at, to)));
      break;
    }
    out.text(decode(html.slice(at, open)));
    if (lower.startsWith("<!--", open)) {
      at = after(lower, "-->", open + 4);
      continue;
    }
    const tag = /^<(\/?)([a-z][a-z0-9-]*)/u.exec(lower.slice(open, open + 40));
    if (tag === null) {
      out.text("<");
      at = open + 1;
      continue;
    }
    const [, slash, name = ""] = tag;
    at = after(lower, ">", open);
    if (SKIPPED.has(name)) {
      // An element that is never closed extends to the end of the page.
      if (slash === "") at = after(lower, ">", after(lower, `</${name}`, at) - 1);
      continue;
    }
    out.tag(name, slash === "/");
  }
  return out.done();
}

/** Returns the index after the next `what`, or the end. */
function after(text: string, what: string, from: number): number {
  const found = text.indexOf(what, from);
  return found === -1 ? text.length : found + what.length;
}

/** Collects text in lines, with white space collapsed as in browsers. */
class Lines {
  readonly #parts: string[] = [];
  #line = "";
  #inPre = 0;

  text(text: string): void {
    this.#line += this.#inPre > 0 ? text : text.replace(/\s+/gu, " ");
  }

  tag(name: string, isEnd: boolean): void {
    const heading = HEADINGS.get(name);
    if (heading !== undefined) {
      this.#end(true);
      if (!isEnd) this.#line = `${heading} `;
    } else if (name === "pre") {
      this.#end(!isEnd);
      // Ignore end tags without a start tag.
      if (isEnd && this.#inPre === 0) return;
      this.#parts.push("```", ...(isEnd ? [""] : []));
      this.#inPre += isEnd ? -1 : 1;
    } else if (name === "li") {
      this.#end(false);
      if (!isEnd) this.#line = "- ";
    } else if (name === "br") this.#end(false);
    else if ((name === "td" || name === "th") && isEnd) this.#line += " | ";
    else if (name === "code" && this.#inPre === 0) this.#line += "`";
    else if (BLOCKS.has(name)) this.#end(name === "p");
  }

  done(): string {
    this.#end(false);
    return this.#parts
      .join("\n")
      .replace(/\n{3,}/gu, "\n\n")
      .trim();
  }

  #end(isParagraph: boolean): void {
    const line = this.#inPre > 0 ? this.#line.replace(/^\n+|\s+$/gu, "") : this.#line.replace(/ {2,}/gu, " ").trim();
    this.#line = "";
    if (line !== "" && !/^(?:#+|-|\|)$/u.test(line)) this.#parts.push(line);
    if (isParagraph) this.#parts.push("");
  }
}

function decode(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/giu, (whole, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return ENTITIES.get(name.toLowerCase()) ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : "\ufffd";
  });
}

function oneLine(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}
