import { describe, expect, it } from "vitest";
import { findProofs } from "../../scripts/spec-proofs.ts";
import { mergeNotes, parseSpec } from "../../scripts/spec-rows.ts";

describe("findProofs()", () => {
  it("reads ids and facets from titles of every form", () => {
    const code = `
      describe("dispatch() [X9]", () => {
        it("runs once [D1]", () => {});
        it(\`ends \${name} [D2.end, PA10]\`, async () => {});
        it.each([1, 2])("takes %s [D3] [D4]", () => {});
        test.skipIf(absent)("reads the vectors [S4]", () => {});
      });`;
    expect(findProofs("test/x.test.ts", code)).toEqual([
      { id: "D1", file: "test/x.test.ts", title: "runs once" },
      { id: "D2", facet: "end", file: "test/x.test.ts", title: "ends …" },
      { id: "PA10", file: "test/x.test.ts", title: "ends …" },
      { id: "D3", file: "test/x.test.ts", title: "takes %s" },
      { id: "D4", file: "test/x.test.ts", title: "takes %s" },
      { id: "S4", file: "test/x.test.ts", title: "reads the vectors" },
    ]);
  });

  it.each([
    ["a skipped test", `it.skip("runs [D1]", () => {});`],
    ["a planned test", `it.todo("runs [D1]");`],
    ["a skipped suite", `describe.skip("x", () => { it("runs [D1]", () => {}); });`],
    ["a comment", `// it("runs [D1]")`],
    ["other brackets", `it("answers [a, b] and [Object]", () => {});`],
    ["the title of a suite", `describe("dispatch [D1]", () => {});`],
  ])("takes %s for no proof", (_name, code) => {
    expect(findProofs("test/x.test.ts", code)).toEqual([]);
  });
});

describe("parseSpec()", () => {
  it("reads one row in each line, and more if the numbers continue", () => {
    const text =
      "# bascule\nprose M1\n## 1. Manifest (M)\n- M1 One directory. A second sentence with M2 in it.\n- M10 Ten\n## 2. Kinds (K)\n- K1 One: a. K2 Two, see K5. K3 Three.";
    expect(parseSpec(text)).toEqual([
      {
        title: "1. Manifest (M)",
        rows: [
          { id: "M1", text: "One directory" },
          { id: "M10", text: "Ten" },
        ],
      },
      {
        title: "2. Kinds (K)",
        rows: [
          { id: "K1", text: "One: a" },
          { id: "K2", text: "Two, see K5" },
          { id: "K3", text: "Three" },
        ],
      },
    ]);
  });

  it("throws on a duplicate id", () => {
    expect(() => parseSpec("## A\n- M1 One\n- M1 Two")).toThrow('SPEC.md has row "M1" twice');
  });
});

describe("mergeNotes()", () => {
  it("keeps the notes of existing rows", () => {
    const fresh = [{ title: "A", rows: [{ id: "M1", text: "new" }] }];
    const committed = [
      {
        title: "B",
        rows: [
          { id: "M1", text: "old", open: ["links"] },
          { id: "M2", text: "gone", open: ["x"] },
        ],
      },
    ];
    expect(mergeNotes(fresh, committed)).toEqual([{ title: "A", rows: [{ id: "M1", text: "new", open: ["links"] }] }]);
  });
});
