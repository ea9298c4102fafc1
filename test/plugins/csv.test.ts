import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { csv_to_json, json_to_csv } from "../../plugins/data/main.ts";

const field = fc.string({
  unit: fc.constantFrom("a", "b", "0", "1", ",", ";", "\t", "|", '"', "'", "\n", "\r", " ", "=", "é", "😀", "\uFEFF", "\u00a0"),
  maxLength: 8,
});
const name = field.filter((text) => text !== "");
const delimiter = fc.constantFrom(",", ";", "\t", "|");

/** A table of texts with at least one column. */
const table = fc.uniqueArray(name, { minLength: 1, maxLength: 5 }).chain((columns) =>
  fc.record({
    columns: fc.constant(columns),
    rows: fc.array(fc.array(field, { minLength: columns.length, maxLength: columns.length }), { maxLength: 8 }),
  }),
);

describe("json_to_csv() and csv_to_json()", () => {
  it("round-trip rows with any fields [G3.csv]", async () => {
    await fc.assert(
      fc.asyncProperty(table, delimiter, fc.boolean(), async ({ columns, rows }, character, crlf) => {
        const objects = rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index] ?? ""])));
        const { csv } = await json_to_csv({ rows: objects, columns, delimiter: character, crlf });
        const read = await csv_to_json({ csv, delimiter: character });
        expect(read).toEqual({ columns, rows: objects, rowCount: rows.length, complete: true, delimiter: character, problems: [] });
      }),
      { numRuns: 1_000 },
    );
  });

  it("round-trip rows without a header", async () => {
    await fc.assert(
      fc.asyncProperty(table, async ({ rows }) => {
        // Blank lines before the first row are skipped, because the column count is not known yet.
        fc.pre(rows[0]?.length !== 1 || rows[0][0] !== "");
        const { csv } = await json_to_csv({ rows, header: false });
        expect((await csv_to_json({ csv, delimiter: ",", header: false })).rows).toEqual(rows);
      }),
      { numRuns: 500 },
    );
  });
});

describe("json_to_csv()", () => {
  it("writes no blank line, because readers skip it", async () => {
    expect((await json_to_csv({ rows: [{ a: "" }, { a: null }, { a: "x" }] })).csv).toBe('a\n""\n""\nx\n');
    expect((await json_to_csv({ rows: [{ a: "", b: null }] })).csv).toBe("a,b\n,\n");
  });

  it.each(["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx"])("counts %j as a formula, and escapes it where asked", async (text) => {
    const rows = [{ a: text, b: "plain", c: -1, d: `x${text}` }];
    expect(await json_to_csv({ rows })).toMatchObject({ formulaCells: 1 });
    const { csv } = await json_to_csv({ rows, escapeFormulas: true });
    expect((await csv_to_json({ csv })).rows).toEqual([{ a: `'${text}`, b: "plain", c: "-1", d: `x${text}` }]);
  });
});

describe("csv_to_json()", () => {
  it.each(["\n", "\r\n", "\r"])("reads lines that end with %j among others, and keeps those within quotes", async (end) => {
    const csv = `a,b${end}1,"x\r\ny"\n2,"\r"\r\n3,z\r4,w${end}`;
    expect((await csv_to_json({ csv })).rows).toEqual([
      { a: "1", b: "x\r\ny" },
      { a: "2", b: "\r" },
      { a: "3", b: "z" },
      { a: "4", b: "w" },
    ]);
  });

  it("returns a result or a clear error for any text", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(field).map((parts) => parts.join("")),
        fc.boolean(),
        fc.boolean(),
        async (csv, header, types) => {
          const outcome = await csv_to_json({ csv, header, types }).catch((error: unknown) => error);
          if (outcome instanceof Error) {
            expect(outcome.message).toMatch(
              /^Cannot read the CSV: the quoted field that begins at line \d+, column \d+ (is never closed|goes on after its closing quote)/u,
            );
            return;
          }
          const { columns, rows, rowCount } = outcome as Awaited<ReturnType<typeof csv_to_json>>;
          expect({ rowCount, unique: new Set(columns).size }).toEqual({ rowCount: rows.length, unique: columns.length });
          if (header) expect(rows.every((row) => Object.keys(row).length === columns.length)).toBe(true);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("converts only texts that a number reproduces [G3.csv]", async () => {
    const digits = fc.string({ unit: fc.constantFrom(..."0123456789+-.eExX ,_".split("")), minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.oneof(digits, fc.double().map(String), fc.bigInt().map(String)), async (text) => {
        const { rows } = await csv_to_json({ csv: `a\n"${text}"\n`, types: true });
        const [row] = rows as readonly { readonly a: unknown }[];
        if (typeof row?.a === "number") expect(normal(String(row.a))).toBe(normal(text));
        else expect(row?.a).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ["42", 42],
    ["-0.50", -0.5],
    ["1e3", 1000],
    ["123456789012345", 123_456_789_012_345],
    ["1234567890123456", "1234567890123456"],
    ["007", "007"],
    ["+1", "+1"],
    [".5", ".5"],
    ["1,5", "1,5"],
    ["1 000", "1 000"],
    ["0x10", "0x10"],
    ["1e999", "1e999"],
    ["1e-999", "1e-999"],
    ["NaN", "NaN"],
    ["2024-01-31", "2024-01-31"],
    ["null", "null"],
    ["TRUE", true],
    ["false", false],
    ["yes", "yes"],
    ["", null],
  ])("takes %j for %j where types are asked for", async (text, value) => {
    expect((await csv_to_json({ csv: `a,b\n"${text}",\n`, types: true })).rows).toEqual([{ a: value, b: null }]);
  });

  it("counts lines as an editor does, also within quotes and with any line ends", async () => {
    const { problems } = await csv_to_json({ csv: 'a,b\r\n"1\n2\r\n3",x\r\nshort\r\n' });
    expect(problems).toEqual([{ line: 5, message: "1 field, but 2 columns" }]);
    await expect(csv_to_json({ csv: 'a\r1\r"x' })).rejects.toThrow("line 3, column 1 is never closed");
  });

  it("lists at most fifty problems", async () => {
    const { problems, rowCount } = await csv_to_json({ csv: `a,b\n${"1\n".repeat(200)}` });
    expect([rowCount, problems.length, problems.at(-1)?.message]).toEqual([200, 51, "This row and later ones have problems too"]);
  });
});

/** Digits and exponent of a number, in any notation. */
function normal(text: string): string {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const digits = (whole + fraction).replace(/^0+/u, "");
  const kept = digits.replace(/0+$/u, "");
  if (kept === "") return "0";
  return `${mantissa.startsWith("-") ? "-" : ""}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}
