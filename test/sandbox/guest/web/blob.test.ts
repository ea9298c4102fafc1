import { describe, expect, it } from "vitest";
import { evaluateInGuest } from "../engine.ts";
import { askBoth } from "../oracle.ts";

const BLOBS = [
  `[0.5, 1.5, 1.7, 2.5, -0.5, -1.5, -2.5, NaN, Infinity, -Infinity, 2 ** 53, 2 ** 63, "1", null, true].map((n) => [new Blob(["abcdef"]).slice(0, n).size, new Blob(["abcdef"]).slice(n).size])`,
  `new Blob(["a", new Uint8Array([98]), new Blob(["c"]), new DataView(new ArrayBuffer(1)), 1]).text()`,
  `new Blob(["a\\r\\nb\\rc"], { endings: "native", type: "Text/PLAIN" })`,
  `(async () => [await new Blob(["abc"]).slice(1).text(), await new Blob(["abc"]).slice(-2, -1).text(), new Blob(["abc"]).slice(0, 1, "x/y").type])()`,
  `new Blob(["\\ud800"]).bytes()`,
  `new Blob(["\\ufeffa"]).text()`,
  `(async () => { const out = []; for await (const c of new Blob(["a".repeat(70_000)]).stream()) out.push(c.length); return out.reduce((a, b) => a + b) })()`,
  `(async () => (await Array.fromAsync(new Blob(["é"]).textStream())).join())()`,
  `new Blob("text")`,
  `new Blob([], { endings: "x" })`,
  `new Blob([], { type: "\\u00e9" }).type`,
  `new File(["a"], "n", { type: "x", lastModified: 5 })`,
  `[new File([], "a/b").name, new File([], "n", { lastModified: 1.9 }).lastModified, new File([], "n") instanceof Blob]`,
  `new File([])`,
  `structuredClone({ b: new Blob(["x"], { type: "t" }), f: new File(["y"], "n", { lastModified: 3 }) })`,
  `(async () => structuredClone(new Blob(["x"])).text())()`,
  `Blob.prototype.text.call({})`,
  `Object.prototype.toString.call(new File([], "n"))`,
];

const FORMS = [
  `(() => { const f = new FormData(); f.append("a", 1); f.append("a", "2"); f.set("b", new Blob(["x"])); return [[...f], f.getAll("a"), f.get("b").name, f.has("c"), f.get("c")] })()`,
  `(() => { const f = new FormData(); f.append("a", "1"); f.append("b", "2"); f.append("a", "3"); f.set("a", "4"); f.delete("b"); return [...f.entries()] })()`,
  `(() => { const f = new FormData(); f.append("f", new File(["x"], "old"), "new.txt"); return f })()`,
  `(() => { const f = new FormData(); const out = []; f.append("a", "1"); f.forEach(function (v, k, form) { out.push(v, k, form === f, this.x) }, { x: 1 }); return out })()`,
  `new FormData().append("a")`,
  `new FormData(1)`,
  `Object.prototype.toString.call(new FormData().keys())`,
  `new Response("a=1&b=%20+c&a=2", { headers: { "content-type": "application/x-www-form-urlencoded" } }).formData()`,
  `new Response("x", { headers: { "content-type": "multipart/form-data" } }).formData()`,
  `new Response("--b\\r\\nContent-Disposition: form-data; name=a\\r\\n\\r\\nv\\r\\n--b--", { headers: { "content-type": "multipart/form-data; boundary=b" } }).formData()`,
];

const READER = `const read = (method, blob, ...rest) => new Promise((resolve) => { const r = new FileReader(); const seen = []; for (const t of ["loadstart", "progress", "load", "loadend", "error", "abort"]) r.addEventListener(t, () => seen.push(t)); r.onloadend = () => resolve([seen, r.result, r.readyState]); r[method](blob, ...rest) });`;
const READERS = [
  `readAsText", new Blob(["hé"])`,
  `readAsText", new Blob([new Uint8Array([0xe9])]), "latin1"`,
  `readAsDataURL", new Blob(["abc"], { type: "text/plain" })`,
  `readAsArrayBuffer", new Blob(["abc"])`,
  `readAsBinaryString", new Blob([new Uint8Array([0, 200])])`,
].map((args) => `(async () => { ${READER} return (await read("${args})).slice(1) })()`);

describe("Blob, File, FormData and FileReader", () => {
  it("store, slice, read and clone bytes as in Deno [PB2.blob]", async () => {
    const { deno, guest } = await askBoth(BLOBS);
    expect(guest).toEqual(deno);
  });

  it("keep forms in order, and send and read them as bodies [PB2.form-data]", async () => {
    const { deno, guest } = await askBoth(FORMS);
    expect(guest).toEqual(deno);
  });

  it("round-trip names with line endings and quotes, and refuse a form without its end [PB2.form-data]", async () => {
    // Deno keeps the escapes in the name and treats a form without end as empty; this test follows the standard.
    const roundTrip = `(async () => { const f = new FormData(); f.append('q"\\n', "v\\nw"); f.append("file", new File(["abc"], "ü.txt", { type: "text/plain" })); const back = await new Response(f).formData(); return [[...back.keys()], back.get("file").name, back.get("file").type, await back.get("file").text(), back.get([...back.keys()][0])] })()`;
    expect(await evaluateInGuest(roundTrip)).toEqual([['q"\r\n', "file"], "ü.txt", "text/plain", "abc", "v\r\nw"]);
    const cut = `new Response("--b\\r\\nContent-Disposition: form-data; name=a\\r\\n\\r\\nv", { headers: { "content-type": "multipart/form-data; boundary=b" } }).formData().catch((e) => [e.name, e.message])`;
    expect(await evaluateInGuest(cut)).toEqual(["TypeError", "Unable to parse body as form data"]);
  });

  it("read blobs with events [PB2.file-reader]", async () => {
    const { deno, guest } = await askBoth(READERS);
    expect(guest).toEqual(deno);
  });
});
