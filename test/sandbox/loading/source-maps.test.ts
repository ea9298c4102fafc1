import { encode } from "@jridgewell/sourcemap-codec";
import { describe, expect, it } from "vitest";
import { createSourceMaps } from "../../../sandbox/loading/source-maps.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const CODE = "a.b;\nlonger();\n//# sourceMappingURL=main.js.map\n";
const MAPPINGS = encode([
  [
    [0, 0, 9, 4],
    [2, 0, 9, 6],
  ],
  [[0, 1, 0, 0]],
]);

function place(map: unknown, line: number, column: number, more: Readonly<Record<string, string>> = {}): unknown {
  const text = typeof map === "string" ? map : JSON.stringify(map);
  const files = Object.entries({ "dist/main.js": CODE, "dist/main.js.map": text, ...more });
  return createSourceMaps(new Map(files.map(([path, content]) => [path, bytes(content)])))("dist/main.js", { line, column });
}

describe("createSourceMaps()", () => {
  const map = { version: 3, sources: ["../src/a.ts", "b.ts"], mappings: MAPPINGS };

  it("maps a position to the author's file, by the map in the same folder [H5.positions]", () => {
    expect([place(map, 1, 1), place(map, 1, 3), place(map, 2, 4)]).toEqual([
      { file: "src/a.ts", line: 10, column: 5 },
      { file: "src/a.ts", line: 10, column: 7 },
      { file: "dist/b.ts", line: 1, column: 1 },
    ]);
  });

  it("maps positions inside a segment, but not into the next segment [H5.positions]", () => {
    expect(place(map, 1, 2)).toEqual({ file: "src/a.ts", line: 10, column: 6 });
  });

  it("answers quickly for lines that do not exist, as in a forged stack [H5.positions]", () => {
    expect(place(map, 1e15, 1)).toEqual({ file: "dist/b.ts", line: 1, column: 1 });
  });

  it.each([
    ["no JSON", "{"],
    ["not an object", "[]"],
    ["without sources", { version: 3, mappings: MAPPINGS }],
    ["too large", JSON.stringify({ ...map, more: "x".repeat(9 << 20) })],
    ["with too many mappings", { ...map, mappings: ";".repeat(4 << 20) }],
  ])("ignores a map that is %s [H5.positions]", (_what, bad) => {
    expect(place(bad, 1, 1)).toBeUndefined();
  });

  it.each(["https://a.b/x.ts", "../../x.ts".replace("x.ts", "..%2f..%2fx.ts"), "a b.ts", "\u001b[31m.ts", `${"a".repeat(2000)}.ts`, 7])(
    "keeps the position in the generated file if the source is named %j [H5.positions]",
    (source) => {
      expect(place({ ...map, sources: [source] }, 1, 1)).toEqual({ line: 1, column: 1 });
    },
  );

  it("does not look for a map that the code does not name [H5.positions]", () => {
    expect(place(map, 1, 1, { "dist/main.js": "a.b;" })).toBeUndefined();
    expect(place(map, 1, 1, { "dist/main.js": "a.b;\n//# sourceMappingURL=../secret.map" })).toBeUndefined();
  });
});
