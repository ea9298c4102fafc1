import { describe, expect, it } from "vitest";
import { evaluateInGuest } from "./engine.ts";
import { askBoth } from "./oracle.ts";

const HEADERS = [
  `[...new Headers({ B: "2", a: " 1 " })]`,
  `[...new Headers([["a", "1"], ["A", "2"], ["set-cookie", "x"], ["Set-Cookie", "y"]])]`,
  `(() => { const h = new Headers(); h.append("a", "1"); h.append("a", "2"); h.set("b", "3"); h.delete("c"); return [h.get("A"), h.get("z"), h.has("b"), h.getSetCookie(), [...h.keys()], [...h.values()]] })()`,
  `(() => { const h = new Headers({ c: "1", a: "2" }); const seen = []; for (const [k] of h) { seen.push(k); if (seen.length === 1) h.set("b", "3") } return seen })()`,
  `new Headers({ "a b": "c" })`,
  `new Headers({ a: "x\\0" })`,
  `new Headers({ a: "\\u0100" })`,
  `new Headers([["a"]])`,
  `new Headers(null)`,
  `new Headers(new Headers({ a: "b" }))`,
  `Object.prototype.toString.call(new Headers().entries())`,
];

const RESPONSES = [
  `(async () => { const r = new Response((async function* () { yield new TextEncoder().encode("a"); yield new Uint8Array([98]); })()); return [r.headers.get("content-type"), r.body instanceof ReadableStream, r.bodyUsed, await r.text(), r.bodyUsed]; })()`,
  `Promise.all([[new Uint8Array([97])], new Set([new Uint8Array([98])]), { [Symbol.iterator]: () => [].values() }, new String("text"), {}, 5, { [Symbol.asyncIterator]: null }].map((body) => new Response(body).text()))`,
  `Promise.all([["a"], (function* () { yield "a"; })(), new Map([[1, 2]]), (async function* () { yield 5; })(), (async function* () { throw new RangeError("mine"); })()].map((body) => new Response(body).text().catch((error) => error.name)))`,
  `(async () => { const r = new Response("x", { status: 201, statusText: "Made", headers: { a: "b" } }); return [r.ok, r.status, r.statusText, await r.text(), r.bodyUsed, r.type, r.url] })()`,
  `new Response(null, { status: 204 }).text()`,
  `new Response("x", { status: 204 })`,
  `new Response("x", { status: 99 })`,
  `(async () => { const r = new Response("x"); await r.text(); return r.text() })()`,
  `(async () => { const r = new Response("x"); const c = r.clone(); return [await r.text(), await c.text()] })()`,
  `(async () => { const r = new Response("x"); await r.text(); return r.clone() })()`,
  `new Response('{"a":[1]}').json()`,
  `new Response("{").json()`,
  `new Response(new Uint8Array([1, 2])).arrayBuffer()`,
  `new Response(new URLSearchParams({ a: "b c" })).text()`,
  `[new Response("x"), new Response(new URLSearchParams()), new Response(new Blob([], { type: "a/b" })), new Response(new Uint8Array())].map((r) => r.headers.get("content-type"))`,
  `(async () => (await Response.json({ a: 1 }, { status: 201 })).status)()`,
  `(async () => [Response.json({ a: 1 }).headers.get("content-type"), await Response.json([1]).text()])()`,
  `Response.json(undefined)`,
  `[Response.redirect("http://a/b", 301).headers.get("location"), Response.redirect("http://a").status]`,
  `Response.redirect("http://a", 200)`,
  `[Response.error().type, Response.error().status]`,
  `Response.error().headers.append("a", "b")`,
  `(async () => new Response(ReadableStream.from([new TextEncoder().encode("ab"), new TextEncoder().encode("c")])).text())()`,
  `(async () => new Response(ReadableStream.from(["text"])).text())()`,
  `(async () => { const r = new Response("abc"); const reader = r.body.getReader(); const { value } = await reader.read(); return [value, r.bodyUsed, r.body.locked] })()`,
  `(async () => { const s = new ReadableStream(); s.getReader(); return new Response(s) })()`,
  `Response.prototype.text.call({})`,
  `[Response.length, Request.length, Headers.length, Object.keys(Response.prototype), Object.keys(Request.prototype), Object.keys(Response)]`,
];

const REQUESTS = [
  `Promise.all([(async function* () { yield new Uint8Array([97]); })(), [new Uint8Array([98])]].map((body) => new Request("http://a.test/", { method: "POST", body, duplex: "half" }).text()))`,
  `new Request("http://a/b?c#d")`,
  `(async () => { const r = new Request("http://a", { method: "post", body: "x", headers: { a: "b" } }); return [r.method, r.url, [...r.headers], await r.text(), r.bodyUsed] })()`,
  `(() => { const r = new Request("http://a"); return [r.method, r.redirect, r.credentials, r.mode, r.cache, r.referrer, r.referrerPolicy, r.integrity, r.keepalive, r.signal.aborted] })()`,
  `new Request("/a")`,
  `new Request("http://a", { body: "x" })`,
  `new Request("http://a", { method: "a b" })`,
  `new Request("http://a", { method: "TRACE" })`,
  `[new Request("http://a", { method: "put" }).method, new Request("http://a", { method: "patch" }).method]`,
  `new Request("http://a", { redirect: "x" })`,
  `(async () => { const r = new Request("http://a", { method: "POST", body: "x" }); const s = new Request(r, { headers: { c: "d" } }); return [await s.text(), s.method, [...s.headers], r.bodyUsed] })()`,
  `(async () => { const r = new Request("http://a", { method: "POST", body: "x" }); const c = r.clone(); return [await r.text(), await c.text()] })()`,
  `(() => { const c = new AbortController(); const r = new Request("http://a", { signal: c.signal }); const k = r.clone(); c.abort(); return [r.signal.aborted, k.signal.aborted] })()`,
  `new Request("http://a", { signal: {} })`,
  `(async () => [...(await new Request("http://a", { method: "POST", body: new URLSearchParams("a=1&b=2") }).formData())])()`,
];

const DATA_URLS = [
  `(async () => { const r = await fetch("data:text/plain;charset=utf-8,h%C3%A9"); return [await r.text(), r.headers.get("content-type"), r.status] })()`,
  `(async () => [...(await (await fetch("data:application/octet-stream;base64,AQID")).bytes())])()`,
  `fetch("data:x")`,
  `fetch("/relative")`,
  `fetch()`,
];

describe("Headers, Request, Response and fetch", () => {
  it("keep headers in order, combined and validated [PB2.headers]", async () => {
    const { deno, guest } = await askBoth(HEADERS);
    expect(guest).toEqual(deno);
  });

  it("have bodies of every kind that are read once [PB2.response]", async () => {
    const { deno, guest } = await askBoth(RESPONSES);
    expect(guest).toEqual(deno);
  });

  it("create requests, copies and clones from everything that Deno accepts [PB2.request]", async () => {
    const { deno, guest } = await askBoth(REQUESTS);
    expect(guest).toEqual(deno);
  });

  it("fetch data URLs in the guest itself, and refuse invalid arguments first [PB2.fetch]", async () => {
    const { deno, guest } = await askBoth(DATA_URLS);
    expect(guest).toEqual(deno);
  });

  it("reject a request that was already aborted with its reason [PB2.fetch]", async () => {
    expect(await evaluateInGuest(`fetch("http://a", { signal: AbortSignal.abort("why") }).catch((e) => e)`)).toBe("why");
  });
});

describe("formData() of a multipart body", () => {
  const read = (lines: readonly string[]): Promise<unknown> =>
    evaluateInGuest(`new Response(${JSON.stringify(lines.join("\r\n"))}, { headers: { "content-type": "multipart/form-data; boundary=B" } }).formData()
      .then(async (form) => { const all = []; for (const [name, value] of form) all.push([name, typeof value === "string" ? value : await value.text()]); return all; },
        (error) => error.name + ": " + error.message)`);
  const field = (name: string): string[] => [`Content-Disposition: form-data; name="${name}"`, ""];

  it("accepts only whole lines as boundaries, with trailing blanks and surrounding text [PB2.multipart]", async () => {
    expect(
      await read(["preamble", "--B\t ", ...field("a"), "x--B", "--Bx", "--B--x", "y", "--B", ...field("b"), "2", "--B-- ", "epilogue"]),
    ).toEqual([
      ["a", "x--B\r\n--Bx\r\n--B--x\r\ny"],
      ["b", "2"],
    ]);
    expect(await read(["--B--"])).toEqual([]);
    expect(await read(["x--B", ...field("a"), "1", "x--B--"])).toBe("TypeError: Unable to parse body as form data");
  });

  it("leaves out a part without a name, and bounds a part's headers [PB2.multipart]", async () => {
    expect(await read(["--B", 'Content-Disposition: form-data; filename="f"', "", "skipped", "--B", ...field("b"), "2", "--B--"])).toEqual([
      ["b", "2"],
    ]);
    const many = Array.from({ length: 128 }, (_one, index) => `X-${index}: 1`);
    expect(await read(["--B", ...many, ...field("a"), "1", "--B--"])).toBe(
      "TypeError: Unable to parse body as form data: a part has too many headers",
    );
    expect(await read(["--B", `X: ${"x".repeat(16_384)}`, ...field("a"), "1", "--B--"])).toBe(
      "TypeError: Unable to parse body as form data: a part's headers are too large",
    );
  });
});
