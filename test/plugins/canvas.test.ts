import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readCanvas, writeCanvas } from "../../plugins/canvas/json-canvas.ts";
import { readMarkdown, writeMarkdown } from "../../plugins/canvas/markdown.ts";
import { checkSteps, compare, isUnchanged, type Reasoning, type Step } from "../../plugins/canvas/steps.ts";

const words = fc.constantFrom("a", "## b", "# c", "\\## d", "**e**", "- f", "(after x)", "[g]", "", "\u00fc");

/** Each step follows some of the earlier ones. */
const reasonings: fc.Arbitrary<Reasoning> = fc
  .array(
    fc.record({
      lines: fc.array(words, { maxLength: 4 }),
      kind: fc.option(fc.constantFrom("question", "my kind")),
      links: fc.nat({ max: 255 }),
    }),
    {
      minLength: 1,
      maxLength: 8,
    },
  )
  .map((parts) => ({
    title: "A title",
    steps: parts.map(({ lines, kind, links }, index): Step => ({
      id: `s${index}`,
      ...(kind !== null && { kind }),
      text: `t ${lines.join("\n")}`.trim(),
      after: parts.flatMap((_, before) => (before < index && ((links >> before) & 1) === 1 ? [`s${before}`] : [])),
    })),
  }));

describe.each([
  ["JSON Canvas", writeCanvas, readCanvas],
  ["Markdown", writeMarkdown, readMarkdown],
])("a reasoning as %s", (_name, write, read) => {
  it("reads back what it wrote [G3.canvas]", () => {
    fc.assert(
      fc.property(reasonings, (reasoning) => {
        checkSteps(reasoning.steps);
        expect(read(write(reasoning))).toEqual(reasoning);
      }),
      { numRuns: 200 },
    );
  });
});

describe("writeCanvas()", () => {
  it("has the nodes and edges of JSON Canvas 1.0, and no overlapping cards [G3.canvas]", () => {
    const steps = [
      { id: "a", text: "one", after: [] },
      { id: "b", text: "two\n".repeat(20), after: [] },
      { id: "c", kind: "decision", text: "three", after: ["a", "b"] },
    ];
    const { nodes, edges } = JSON.parse(writeCanvas({ title: "T", steps })) as {
      readonly nodes: readonly {
        readonly id: string;
        readonly type: string;
        readonly x: number;
        readonly y: number;
        readonly width: number;
        readonly height: number;
      }[];
      readonly edges: readonly Readonly<Record<string, string>>[];
    };
    for (const { id, type, ...place } of nodes)
      expect({
        id,
        type,
        isPlaced: Object.values({ x: place.x, y: place.y, width: place.width, height: place.height }).every(Number.isInteger),
      }).toEqual({ id: expect.any(String), type: "text", isPlaced: true });
    expect(edges).toEqual(
      ["a", "b"].map((from) => ({ id: `${from} to c`, fromNode: from, fromSide: "right", toNode: "c", toSide: "left" })),
    );
    for (const left of nodes)
      for (const right of nodes) {
        const apart =
          left.x + left.width <= right.x ||
          right.x + right.width <= left.x ||
          left.y + left.height <= right.y ||
          right.y + right.height <= left.y;
        expect({ left: left.id, right: right.id, apart: apart || left === right }).toMatchObject({ apart: true });
      }
  });
});

describe("readCanvas()", () => {
  it("reads other programs' canvases: links and files as steps, without groups and loose arrows [G3.canvas]", () => {
    const text = JSON.stringify({
      nodes: [
        { id: "1", type: "text", text: "one", x: 0, y: 0, width: 1, height: 1 },
        { id: "2", type: "link", url: "https://jsoncanvas.org" },
        { id: "3", type: "file", file: "notes/a.md" },
        { id: "4", type: "group", label: "all" },
        { type: "text", text: "no id" },
        { id: "5", type: "text", text: 5 },
        null,
        "x",
      ],
      edges: [
        { id: "e", fromNode: "1", toNode: "2" },
        { id: "e", fromNode: "1", toNode: "2" },
        { fromNode: "2", toNode: "2" },
        { fromNode: "9", toNode: "1" },
        { fromNode: 1 },
      ],
    });
    expect(readCanvas(text)).toEqual({
      title: "",
      steps: [
        { id: "1", text: "one", after: [] },
        { id: "2", text: "https://jsoncanvas.org", after: ["1"] },
        { id: "3", text: "notes/a.md", after: [] },
        { id: "card 5", text: "no id", after: [] },
      ],
    });
  });

  it.each([
    ["{", "Invalid JSON"],
    ["[]", "Not a canvas"],
    ['{"nodes": {}}', "nodes and edges must be lists"],
    [JSON.stringify({ nodes: Array.from({ length: 2_001 }, () => ({})) }), "more than 2000 cards"],
  ])("refuses %.30s [G3.canvas]", (text, message) => {
    expect(() => readCanvas(text)).toThrow(message);
  });
});

describe("compare()", () => {
  it("reports added, removed, changed and newly linked steps, each new step once [G3.canvas]", () => {
    const before: readonly Step[] = [
      { id: "a", text: "A", after: [] },
      { id: "b", text: "B", after: ["a"] },
      { id: "__proto__", text: "P", after: ["a"] },
    ];
    const after: readonly Step[] = [
      { id: "a", kind: "question", text: "A", after: ["b"] },
      { id: "b", text: "B", after: [] },
      { id: "new", text: "N", after: ["a"] },
    ];
    expect(compare(before, after)).toEqual({
      added: [{ id: "new", text: "N", after: ["a"] }],
      removed: ["__proto__"].map((id) => ({ id, text: "P", after: ["a"] })),
      changed: [{ id: "a", before: { text: "A" }, after: { kind: "question", text: "A" } }],
      linksAdded: [{ from: "b", to: "a" }],
      linksRemoved: [{ from: "a", to: "b" }],
    });
    expect(isUnchanged(compare(before, before))).toBe(true);
    expect(() => checkSteps([{ id: "a", text: "", after: ["x"] }])).toThrow('Step "a" comes after "x", which is not a step');
    expect(() => checkSteps([...before, ...before])).toThrow('Duplicate step id "a"');
  });
});
