import { describe, expect, it } from "vitest";
import { evaluateInGuest } from "./engine.ts";
import { askBoth } from "./oracle.ts";

const READ = `const all = async (s) => { const out = []; for await (const c of s) out.push(c); return out; };`;
const inside = (body: string): string => `(async () => { ${READ} ${body} })()`;

const STREAMS = [
  inside(`return all(new ReadableStream({ start(c) { c.enqueue("a"); c.enqueue(2); c.close(); } }))`),
  inside(`let n = 0; return all(new ReadableStream({ pull(c) { n < 3 ? c.enqueue(n++) : c.close(); } }))`),
  inside(`return all(ReadableStream.from([1, Promise.resolve(2)]))`),
  inside(`return all(ReadableStream.from((async function* () { yield "x"; yield "y"; })()))`),
  inside(`const [a, b] = ReadableStream.from([1, 2]).tee(); return [await all(a), await all(b)]`),
  inside(
    `return all(ReadableStream.from(["a", "b"]).pipeThrough(new TransformStream({ transform(c, t) { t.enqueue(c + c); }, flush(t) { t.enqueue("!"); } })))`,
  ),
  inside(
    `const out = []; await ReadableStream.from([1, 2, 3]).pipeTo(new WritableStream({ write(c) { out.push(c); }, close() { out.push("closed"); } })); return out`,
  ),
  inside(
    `const out = []; const w = new WritableStream({ write(c) { if (c === 2) throw new RangeError("no"); out.push(c); } }).getWriter(); w.write(1); await w.write(2).catch((e) => out.push(e.name)); await w.closed.catch((e) => out.push(e.message)); return out`,
  ),
  inside(
    `const r = new ReadableStream({ type: "bytes", pull(c) { const v = c.byobRequest.view; v[0] = 7; c.byobRequest.respond(1); } }).getReader({ mode: "byob" }); return [await r.read(new Uint8Array(4)), await r.read(new Uint8Array(2), { min: 2 })]`,
  ),
  inside(`const s = new ReadableStream({ start(c) { c.error(new TypeError("broken")); } }); return s.getReader().read()`),
  inside(`let why; const s = new ReadableStream({ cancel(r) { why = r; } }); await s.cancel("enough"); return why`),
  inside(`const s = new ReadableStream(); s.getReader(); return [s.locked, new WritableStream().locked]`),
  inside(`const s = new ReadableStream(); s.getReader(); return s.getReader()`),
  inside(
    `const c = new AbortController(); const p = new ReadableStream().pipeTo(new WritableStream(), { signal: c.signal }); c.abort(new SyntaxError("stop")); return p`,
  ),
  inside(
    `const t = new TransformStream(undefined, new CountQueuingStrategy({ highWaterMark: 3 })); return t.writable.getWriter().desiredSize`,
  ),
  inside(`return new ByteLengthQueuingStrategy({ highWaterMark: 1 }).size(new Uint8Array(5))`),
  inside(`return structuredClone({ s: new ReadableStream() })`),
];

const TEXT = [
  inside(
    `return (await all(ReadableStream.from(["h", "\\ud83d", "\\ude00", "\\ud800"]).pipeThrough(new TextEncoderStream()))).map((b) => [...b])`,
  ),
  inside(
    `return all(ReadableStream.from([new Uint8Array([0xe2]), new Uint8Array([0x82, 0xac, 0x61])]).pipeThrough(new TextDecoderStream()))`,
  ),
  inside(`return all(ReadableStream.from([new Uint8Array([0xff])]).pipeThrough(new TextDecoderStream("utf-8", { fatal: true })))`),
  inside(`return all(ReadableStream.from([new Uint8Array([0x82]), new Uint8Array([0xa0])]).pipeThrough(new TextDecoderStream("sjis")))`),
  inside(`return new TextDecoderStream("nope")`),
];

const SHOWN = [
  `new ReadableStream()`,
  `new ReadableStream({ type: "bytes" })`,
  `new WritableStream()`,
  `new TransformStream()`,
  `new CountQueuingStrategy({ highWaterMark: 2 })`,
  `new TextDecoderStream("latin1")`,
  `new TextEncoderStream()`,
  `new CompressionStream("gzip")`,
  `Object.keys(new ReadableStream())`,
  `JSON.stringify(new TransformStream())`,
];

const CLASSES = [
  ...["ReadableStreamDefaultReader", "ReadableStreamBYOBReader", "ReadableStreamDefaultController", "ReadableByteStreamController"],
  ...["ReadableStreamBYOBRequest", "WritableStream", "WritableStreamDefaultWriter", "WritableStreamDefaultController", "TransformStream"],
  ...["TransformStreamDefaultController", "ByteLengthQueuingStrategy", "CountQueuingStrategy", "TextEncoderStream", "TextDecoderStream"],
  ...["ReadableStream", "CompressionStream", "DecompressionStream"],
].map(
  (name) =>
    `(() => { const C = ${name}; return [C.name, C.length, Object.keys(C), Object.keys(C.prototype).sort(), C.prototype[Symbol.toStringTag], Object.keys(C.prototype).sort().map((k) => { const d = Object.getOwnPropertyDescriptor(C.prototype, k); return d.get ? d.get.name : d.value.name + d.value.length; })] })()`,
);

describe("streams", () => {
  it("read, write, pipe, tee, transform, cancel and fail as in Deno [PB2.streams]", async () => {
    const { deno, guest } = await askBoth(STREAMS);
    expect(guest).toEqual(deno);
  });

  it("encode and decode text that is split anywhere [PB2.text-streams]", async () => {
    const { deno, guest } = await askBoth(TEXT);
    expect(guest).toEqual(deno);
  });

  it("look as in Deno when printed, listed or serialised as JSON [PB2.streams]", async () => {
    const { deno, guest } = await askBoth(SHOWN);
    expect(guest).toEqual(deno);
  });

  it("have the same classes, members and lengths as in Deno [PB2.streams]", async () => {
    const { deno, guest } = await askBoth(CLASSES);
    expect(guest).toEqual(deno);
  });

  it("keep working after a plugin changes the classes [PB2.streams] [B5]", async () => {
    const spoiled = `(async () => {
      const response = new Response(ReadableStream.from([new Uint8Array([104, 105])]));
      for (const C of [ReadableStream, WritableStream, ReadableStream.prototype.getReader.call(new ReadableStream()).constructor])
        for (const k of Object.getOwnPropertyNames(C.prototype)) try { Object.defineProperty(C.prototype, k, { value() { throw new Error(k) } }) } catch {}
      globalThis.ReadableStream = globalThis.WritableStream = undefined;
      return response.text();
    })()`;
    expect(await evaluateInGuest(spoiled)).toBe("hi");
  });
});
