import fc from "fast-check";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import "../../../support/seed.ts";
import { startGuest } from "../engine.ts";
import { askBoth } from "../oracle.ts";

/** Public test data of the web platform; not ours to commit. */
const VECTORS = fileURLToPath(new URL("../../../../../shared/vectors/wpt-url/", import.meta.url));

interface ParseCase {
  readonly input: string;
  readonly base: string | null;
  readonly failure?: boolean;
  readonly href?: string;
  readonly [part: string]: unknown;
}

interface SetterCase {
  readonly attribute: string;
  readonly href: string;
  readonly new_value: string;
  readonly expected: Readonly<Record<string, string>>;
}

const PARTS = ["href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash"];

function readVectors(name: string): unknown {
  return JSON.parse(readFileSync(VECTORS + name, "utf8"));
}

/** Runs a function of `(cases)` in the guest. */
async function inGuest(body: string, cases: unknown): Promise<unknown[]> {
  const guest = await startGuest({
    source: `const PARTS = ${JSON.stringify(PARTS)}; export function tool({ cases }) { return cases.map(${body}) }`,
  });
  try {
    // The tool returns one result per case.
    return guest.output({ args: { cases } }) as unknown[];
  } finally {
    guest.dispose();
  }
}

const PARSE = `(c) => { try { const url = new URL(c.input, c.base ?? undefined); return Object.fromEntries(PARTS.map((part) => [part, url[part]])) } catch (error) { return error.name } }`;
const SET = `(c) => { const url = new URL(c.href); url[c.attribute] = c.new_value; return Object.fromEntries(Object.keys(c.expected).map((part) => [part, url[part]])) }`;

/** Cases that the standards have changed since the data of 2021: inputs (and bases), by reason. */
const CHANGED_SINCE: ReadonlySet<string> = new Set([
  // A host that ends in a number is an IPv4 address or invalid.
  ...["http://a.b.c.xn--pokxncvks about:blank", "http://10.0.0.xn--pokxncvks about:blank", "http://0..0x300/ about:blank"],
  ...["http://256.256.256.256.256 http://other.com/", "http://0177.0.0.0189 about:blank"],
  // C0 controls are forbidden in hosts.
  "http://\u001f!\"$&'()*+,-.;=_`{}~/ about:blank",
  // The path percent-encode set was extended by U+005E.
  ...["foo://host/ !\"$%&'()*+,-./:;<=>@[\\]^_`{|}~ about:blank", "wss://host/ !\"$%&'()*+,-./:;<=>@[\\]^_`{|}~ about:blank"],
  "pathname a:/",
  // Unicode IDNA: punycode that decodes to nothing, to ASCII or to an invalid label is an error.
  ...["file://xn--/p about:blank", "xn--a", "xn--a.xn--nxa", "xn--1ug.example", "xn--a-yoc", "xn--zn7c.com", "xn--"],
]);

/** Deno's own parser differs from the standard for these kinds of URL; the guest uses the parser of its runtime. */
const DIFFERS_IN_DENO = /file:|non-spec:|foo:/u;

function isKnown(name: string): boolean {
  return CHANGED_SINCE.has(name) || ("Deno" in globalThis && DIFFERS_IN_DENO.test(name));
}

const OBJECTS = [
  `(() => { const u = new URL("../x?a=1#h", "http://u:p@h:81/b/c"); return [u.href, String(u), JSON.stringify({ u }), u.origin, u.host, u.port, u.username] })()`,
  `new URL("nope")`,
  `new URL()`,
  `new URL("x", "also no")`,
  `[URL.canParse("http://a"), URL.canParse("a"), URL.canParse("a", "http://b"), URL.parse("no"), URL.parse("http://a/b").href]`,
  `(() => { const u = new URL("http://a/"); try { u.href = "no" } catch (error) { return [error.name, u.href] } })()`,
  `(() => { const u = new URL("http://a/?x=1"); const p = u.searchParams; p.append("y", "2 3"); const first = u.href; u.search = "?z=9"; return [first, p.get("z"), p.has("x"), u.searchParams === p] })()`,
  `(() => { const u = new URL("http://a/?x=1"); u.searchParams.delete("x"); return [u.href, u.search] })()`,
  `(() => { const u = new URL("http://a/?x=1"); const p = u.searchParams; u.href = "http://b/?n=5"; return [...p] })()`,
  `(() => { const u = new URL("http://a/?a=b~&c=d%20e"); u.searchParams.sort(); return u.href })()`,
  `new URL("http://a/\\0b\\ud800").href`,
  `new URL({ toString() { return "http://from/object" } }).href`,
  `URL.prototype.toString.call({})`,
  `Object.getOwnPropertyDescriptor(URL.prototype, "href").enumerable`,
  `[URL.length, URL.name, Object.prototype.toString.call(new URL("a:b"))]`,
  `(() => { const u = new URL("http://a:80/"); u.port = "8080x"; const one = u.port; u.port = "99999"; const two = u.port; u.protocol = "https"; return [one, two, u.href] })()`,
  `(() => { const u = new URL("http://bücher.example/ä?ö#ü"); u.hostname = "xn--e1afmkfd.xn--p1ai"; return u.href })()`,
];

const PARAMS = [
  `[...new URLSearchParams("?a=1&b=%20+&a=%F0%9F%98%80&=x&y&&")]`,
  `[...new URLSearchParams("??a=1")]`,
  `[...new URLSearchParams({ a: 1, b: [2, 3], c: null })]`,
  `[...new URLSearchParams([["a", 1], new Set(["b", "c"])])]`,
  `[...new URLSearchParams(new Map([["a", "b"]]))]`,
  `[...new URLSearchParams(new URLSearchParams("q=1"))]`,
  `new URLSearchParams([["a"]])`,
  `new URLSearchParams([1])`,
  `new URLSearchParams("a=%zz&b=%E2%82").toString()`,
  `new URLSearchParams({ "a b": "c&d=e", "é*-._~": "😀'()!" }).toString()`,
  `new URLSearchParams([["\\0", "\\ud800"]]).toString()`,
  `(() => { const p = new URLSearchParams("a=1&b=2&a=3"); p.set("a", "x"); p.append("c", "y"); p.delete("b"); return [p.toString(), p.size, p.getAll("a"), p.get("none"), p.has("c"), p.has("c", "z")] })()`,
  `(() => { const p = new URLSearchParams("a=1&a=2&a=1"); p.delete("a", "1"); return p.toString() })()`,
  `(() => { const p = new URLSearchParams("z=1&ä=2&😀=3&\\uffff=4&a=5&z=0"); p.sort(); return [...p] })()`,
  `(() => { const out = []; new URLSearchParams("a=1&b=2").forEach(function (v, k, p) { out.push([k, v, this.t, p.size]) }, { t: 7 }); return out })()`,
  `(() => { const p = new URLSearchParams("a=1&b=2&c=3"); const seen = []; for (const [k] of p) { seen.push(k); if (k === "a") p.delete("b") } return seen })()`,
  `[[...new URLSearchParams("a=1").keys()], [...new URLSearchParams("a=1").values()], new URLSearchParams("a=1").entries().next()]`,
  `new URLSearchParams().append("a")`,
  `new URLSearchParams().get()`,
  `new URLSearchParams("a").forEach(1)`,
  `Object.prototype.toString.call(new URLSearchParams().entries())`,
  `new URLSearchParams.prototype.constructor === URLSearchParams`,
  `[URLSearchParams.length, URLSearchParams.prototype[Symbol.iterator] === URLSearchParams.prototype.entries]`,
  `new URLSearchParams("a=1").entries().next.call({})`,
];

describe("URL", () => {
  it("parses like its runtime, for every case of web-platform-tests [PB1.URL]", async (context) => {
    if (!existsSync(VECTORS)) return context.skip("web-platform-tests data is not beside this checkout");
    // The list contains comments as strings.
    const cases = (readVectors("urltestdata.json") as (ParseCase | string)[]).filter(
      (entry): entry is ParseCase => typeof entry !== "string",
    );
    const results = await inGuest(PARSE, cases);
    const expected = cases.map(({ input, base }) => {
      const url = URL.parse(input, base ?? undefined);
      // Every part of a URL is a string under its own name.
      return url === null ? "TypeError" : Object.fromEntries(PARTS.map((part) => [part, Reflect.get(url, part) as string]));
    });
    expect(results).toEqual(expected);
    const failed = cases.filter((entry, index) => !meets(entry, results[index])).map(({ input, base }) => `${input} ${base ?? ""}`.trim());
    expect(failed.filter((name) => !isKnown(name))).toEqual([]);
    expect(cases.length).toBeGreaterThan(500);
    return undefined;
  });

  it("sets every part as web-platform-tests expect [PB1.URL]", async (context) => {
    if (!existsSync(VECTORS)) return context.skip("web-platform-tests data is not beside this checkout");
    const { comment: _comment, ...byAttribute } = readVectors("setters_tests.json") as Record<string, SetterCase[]>;
    const cases = Object.entries(byAttribute).flatMap(([attribute, entries]) => entries.map((entry) => ({ ...entry, attribute })));
    const results = await inGuest(SET, cases);
    const failed = cases.filter(({ expected }, index) => JSON.stringify(results[index]) !== JSON.stringify(expected));
    const names = failed.map(({ attribute, href }) => `${attribute} ${href}`);
    expect(names.filter((name) => !isKnown(name))).toEqual([]);
    return undefined;
  });

  it("converts hosts as web-platform-tests expect [PB1.URL]", async (context) => {
    if (!existsSync(VECTORS)) return context.skip("web-platform-tests data is not beside this checkout");
    const cases = (readVectors("toascii.json") as ({ input: string; output: string | null } | string)[]).filter(
      (entry) => typeof entry !== "string",
    );
    const results = await inGuest(`(c) => { try { return new URL("https://" + c.input + "/x").host } catch { return null } }`, cases);
    const failed = cases.filter(({ output }, index) => results[index] !== output).map(({ input }) => input);
    expect(failed.filter((name) => !isKnown(name))).toEqual([]);
    return undefined;
  });

  it("behaves as an object like in Deno [PB1.URL] [B5]", async () => {
    const { deno, guest } = await askBoth(OBJECTS);
    expect(guest).toEqual(deno);
  });
});

/** Returns whether a result meets a case's expectations. */
function meets(entry: ParseCase, result: unknown): boolean {
  if (entry.failure === true || typeof result === "string") return (entry.failure === true) === (typeof result === "string");
  return PARTS.every((part) => entry[part] === undefined || entry[part] === (result as Record<string, unknown>)[part]);
}

describe("URLSearchParams", () => {
  it("reads, changes and writes like Deno [PB1.URLSearchParams]", async () => {
    const { deno, guest } = await askBoth(PARAMS);
    expect(guest).toEqual(deno);
  });

  it("reads and writes random text like Deno, including stray percent signs beside other alphabets [PB1.URLSearchParams]", async () => {
    const part = fc.constantFrom(
      "%",
      "%2",
      "%zz",
      "%C3%A9",
      "%c3",
      "%F0%9F",
      "%00",
      "+",
      "=",
      "&",
      "?",
      "#",
      "é",
      "😀",
      "\ufeff",
      "\ud800",
      "a",
      " ",
      "\0",
    );
    const texts = fc.sample(
      fc.array(part, { maxLength: 9 }).map((parts) => JSON.stringify(parts.join(""))),
      400,
    );
    const expressions = [...new Set(texts)].map(
      (text) => `((p) => [[...p], String(p), [...new URLSearchParams(String(p))]])(new URLSearchParams(${text}))`,
    );
    const { deno, guest } = await askBoth(expressions);
    expect(guest).toEqual(deno);
  });

  it("reads a form's body like Deno [PB1.URLSearchParams] [PB2.fetch]", async () => {
    const { deno, guest } = await askBoth([
      `new Response("é=%C3%A9&%=%zz+%41&=&&x", { headers: { "content-type": "application/x-www-form-urlencoded" } }).formData().then((f) => [...f])`,
    ]);
    expect(guest).toEqual(deno);
  });
});

describe("URLPattern", () => {
  /** A host in a text that is given as a path must not be lost, because a pattern for "/b" would match then. */
  const PATHS = ["//b", "//evil/b", "/a//b", "b//c", "//", "///x", "/a/../b", "a/../b", "/é", "/%zz", "/a%20b"];

  it("reads paths as paths, like Deno [PB1.URLPattern]", async () => {
    const quoted = PATHS.map((path) => JSON.stringify(path));
    const { deno, guest } = await askBoth([
      ...quoted.map(
        (path) => `["/b", "//b", "//evil/b", "/x", ${path}].map((p) => new URLPattern({ pathname: p }).test({ pathname: ${path} }))`,
      ),
      ...quoted.map(
        (path) =>
          `["/b", "//b", "//x", "/"].map((p) => new URLPattern({ protocol: "foo", pathname: p }).test({ protocol: "foo", pathname: ${path} }))`,
      ),
      ...quoted.map(
        (path) => `["", "foo", "data"].map((protocol) => new URLPattern({ pathname: ${path}, ...(protocol && { protocol }) }).pathname)`,
      ),
      ...quoted.map(
        (path) => `new URLPattern({ pathname: "*" }).exec({ pathname: ${path}, baseURL: "https://h.test/x/y" }).pathname.input`,
      ),
      ...quoted.map((path) => `((p) => [p.hostname, p.pathname])(new URLPattern(${path}, "https://h.test/x/y"))`),
      `["https://good.com/x", "https://good.com//x", "https://evil.com//x"].map((url) => new URLPattern("https://good.com//*").test(url))`,
      `["ws", "wss", "http", "https", "ftp"].map((protocol) => [80, 443, 21].map((port) => new URLPattern({ protocol, port: String(port) }).port))`,
    ]);
    expect(guest).toEqual(deno);
  });
});
