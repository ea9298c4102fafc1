import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { outputOf, startSandbox, type TestSandbox } from "../../support/sandbox.ts";

/** A stream that is half read when the plugin's image is made: its input must be in the image alone. */
const HALF_WAY = `
const bytes = new TextEncoder().encode("first half, second half");
const compressor = new CompressionStream("gzip");
const writer = compressor.writable.getWriter();
const written = writer.write(bytes.slice(0, 12));
const stream = ReadableStream.from(["a", "b", "c"]);
const reader = stream.getReader();
const first = await reader.read();
const blob = new Blob(["in the image"]);

export async function run() {
  written.catch(() => {});
  writer.write(bytes.slice(12));
  writer.close();
  const text = await new Response(compressor.readable.pipeThrough(new DecompressionStream("gzip"))).text();
  const rest = [first.value];
  for (;;) { const { value, done } = await reader.read(); if (done) break; rest.push(value); }
  return [text, rest, await blob.text()];
}`;

describe.each(["metered", "plain"] as const)("web APIs across restores, on the %s engine", (engine) => {
  let box: TestSandbox;
  beforeAll(() => {
    box = startSandbox({ engine, maximumWorkers: 1 });
  });
  afterAll(async () => {
    expect(box.defects).toEqual([]);
    await box[Symbol.asyncDispose]();
  });

  it("continue from the image in every call, independent of other calls [PB2.streams] [PB2.compression] [B2]", async () => {
    expect(await box.load("half-way", HALF_WAY, ["run"])).toMatchObject({ ok: true });
    for (let call = 0; call < 3; call++) {
      expect(outputOf(await box.call("half-way", "run"))).toEqual(["first half, second half", ["a", "b", "c"], "in the image"]);
    }
  });

  it("end a call whose stream never enqueues, without affecting the next one [PB2.streams] [B4]", async () => {
    const source = `export function run({ hang }) { return hang ? new ReadableStream().getReader().read() : new Response("ok").text() }`;
    expect(await box.load("hang", source, ["run"])).toMatchObject({ ok: true });
    expect(await box.call("hang", "run", { args: { hang: true } })).toMatchObject({ ok: false, fault: { kind: "never_settles" } });
    expect(outputOf(await box.call("hang", "run", { args: { hang: false } }))).toBe("ok");
  });
});
