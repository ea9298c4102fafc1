import { describe, expect, it } from "vitest";
import { divideOutput, toldOutput } from "../../../../sandbox/worker/call/large-output.ts";
import { LARGE_BYTES } from "../../../../sandbox/wire/marshal.ts";

const decoder = new TextDecoder();
const LONG = "x".repeat(LARGE_BYTES);

function divided(output: object): unknown {
  const found = divideOutput(JSON.stringify(output));
  return found.ok
    ? { text: JSON.parse(found.text), parts: found.parts.map(({ at, kind, bytes }) => [at, kind, decoder.decode(bytes)]) }
    : found.fault;
}

describe("divideOutput()", () => {
  it("extracts a plain output: a string as text, anything else as JSON [LV2.outputs]", () => {
    expect(divided({ o: `"${LONG}\\` })).toEqual({ text: { o: null }, parts: [["output", "text", `"${LONG}\\`]] });
    expect(divided({ o: [LONG, { a: 1 }] })).toEqual({ text: { o: null }, parts: [["output", "json", JSON.stringify([LONG, { a: 1 }])]] });
    // A lone surrogate, which UTF-8 cannot carry.
    expect(divided({ o: `\ud800${LONG}` })).toEqual({ text: { o: null }, parts: [["output", "json", JSON.stringify(`\ud800${LONG}`)]] });
  });

  it("extracts long members and strings of a tool output, and leaves the rest in place [LV2.outputs]", () => {
    const content = [
      { type: "text", text: "short", annotations: { priority: 1 }, unknown: 1 },
      { type: "image", data: LONG, mimeType: "image/png" },
      { type: "resource", uri: "file:///a", text: `{"text":"]${LONG}` },
      { type: "resource", uri: "file:///b", blob: LONG, _meta: { a: 1 } },
    ];
    const output = { output: { ok: true }, content, success: true, metadata: { long: LONG }, filesModified: ["/a", "/b"] };
    expect(divided({ t: output })).toEqual({
      text: {
        t: {
          output: { ok: true },
          content: [
            { type: "text", text: "short", annotations: { priority: 1 } },
            { type: "image", data: "", mimeType: "image/png" },
            { type: "resource", uri: "file:///a", text: "" },
            { type: "resource", uri: "file:///b", blob: "", _meta: { a: 1 } },
          ],
          success: true,
          filesModified: ["/a", "/b"],
        },
      },
      parts: [
        ["content/1/data", "text", LONG],
        ["content/2/text", "text", `{"text":"]${LONG}`],
        ["content/3/blob", "text", LONG],
        ["metadata", "json", JSON.stringify({ long: LONG })],
      ],
    });
  });

  it("keeps as many paths as the host accepts, and rejects more blocks than it parses at once [LV2.outputs]", () => {
    const paths = Array.from({ length: 5_000 }, (_, index) => `/some/folder/file-${index}.txt`);
    const found = divided({ t: { output: LONG, filesModified: paths } });
    expect(found).toMatchObject({ text: { t: { filesModified: paths.slice(0, 610) } } });
    const blocks = Array.from({ length: 3_000 }, (_, index) => ({ type: "text", text: `block ${index}` }));
    expect(divided({ t: { content: blocks } })).toMatchObject({ kind: "not_json", message: expect.stringContaining("too many blocks") });
  });

  it("terminates for any text [LV2.outputs]", () => {
    for (const text of [
      "",
      "{",
      '{"o":',
      '{"t":',
      '{"t":{',
      '{"t":{"',
      '{"t":{"a":{"}',
      '{"t":[]}',
      '{"t":{"content":[[{]}}',
      '{"t":{,,,}}',
      "[1]",
      '"',
    ])
      expect(["ok", "fault"]).toContain(divideOutput(text).ok ? "ok" : "fault");
  });
});

describe("toldOutput()", () => {
  it("checks a large output against the schema, and leaves a small one to the host [LV2.outputs]", () => {
    const schema = { type: "array", items: { type: "string" } } as const;
    const large = JSON.stringify({ o: [LONG, 1] });
    expect(toldOutput(large, large.length, schema).problems).toEqual([
      { pointer: "/1", message: "Is number, not string", keyword: "type" },
    ]);
    expect(toldOutput('{"o":1}', 7, schema)).toEqual({ output: '{"o":1}' });
  });
});
