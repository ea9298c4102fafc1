import { describe, expect, it } from "vitest";
import { checkComment, checkMessage, proseOf } from "../../scripts/prose.ts";

const lines = (...all: readonly string[]): string => all.join("\n");

describe("proseOf()", () => {
  it("finds line comments and block comments with the line that each begins on", () => {
    const code = lines("// first", "const a = 1; // second", "/** third */", "/*", " * fourth", " * goes on", " */", "export { a };");
    expect(proseOf(code).comments).toMatchObject([
      { line: 1, text: "first" },
      { line: 2, text: "second" },
      { line: 3, text: "third" },
      { line: 4, text: "fourth\ngoes on" },
    ]);
  });

  it("joins line comments below one another, and no others", () => {
    const code = lines("// one", "// two", "", "// three", "const a = 1; // four", "// five");
    expect(proseOf(code).comments).toMatchObject([
      { line: 1, text: "one two" },
      { line: 4, text: "three" },
      { line: 5, text: "four" },
      { line: 6, text: "five" },
    ]);
  });

  it.each([
    ["a string", `const a = "// no";`],
    ["a string in single quotes with an escape", String.raw`const a = '\' /* no */';`],
    ["a template", "const a = `// no`;"],
    ["a template after a value", "const a = `${1} // no ${2} /* no */`;"],
    ["a regular expression", String.raw`const a = /\/\/ no/;`],
    ["a class of a regular expression", "const a = /[/*]/g, b = /[*/]/;"],
    ["an address", `const a = "http://example.com/a/*";`],
  ])("takes nothing in %s for a comment", (_name, code) => {
    expect(proseOf(`${code} // yes`).comments).toMatchObject([{ line: 1, text: "yes" }]);
  });

  it("finds comments inside of a template's values and after a division", () => {
    expect(proseOf("const a = `x ${1 /* inner */} y`;\nconst b = 4 / 2; // outer / end").comments).toMatchObject([
      { line: 1, text: "inner" },
      { line: 2, text: "outer / end" },
    ]);
  });

  it("leaves out empty comments and instructions to tools", () => {
    expect(proseOf(lines("//", "const a = 1; // oxlint-disable-line", "// @ts-expect-error why")).comments).toEqual([]);
  });

  it("gives texts that hold a space as messages, parts of templates included", () => {
    const code = lines(`const a = "one word";`, `const b = "single";`, "const c = `no ${a}`;", "const d = / x/;");
    expect(proseOf(code).messages).toEqual([
      { line: 1, text: `"one word"` },
      { line: 3, text: "`no ${" },
    ]);
  });

  it("reads TSX", () => {
    expect(proseOf("const a = <p>{/* inside */}</p>;", "tsx").comments).toMatchObject([{ line: 1, text: "inside" }]);
  });

  it("throws on a text that does not parse", () => {
    expect(() => proseOf("const = ;")).toThrow();
  });
});

describe("checkComment() and checkMessage()", () => {
  const kinds = (text: string, check = checkComment): readonly string[] => check({ line: 7, text }).map(({ kind }) => kind);

  it.each(["What", "Of", "Who", "Whose", "Whom", "That", "It"])("finds the opening %s", (word) => {
    expect(checkComment({ line: 7, text: `${word} is left` })).toContainEqual({ line: 7, kind: "opening", found: word });
  });

  it.each(["Its owner", "Often", "Items", "Thatched", "It-like", "what is left", "The rest. It ends."])(
    "does not take the beginning of %j for an opening",
    (text) => {
      expect(kinds(text)).toEqual([]);
    },
  );

  it.each(["nobody", "Somebody", "anybody", "everybody", "whoever", "whom"])("finds a person that is not named: %s", (word) => {
    expect(kinds(`There ${word} waits`)).toEqual(["person"]);
    expect(kinds(`There ${word} waits`, checkMessage)).toEqual(["person"]);
  });

  it.each(["anew", "by now", "is said", "came of", "comes of", "ever so", "is no", "are no"])("finds the words %j", (words) => {
    expect(checkMessage({ line: 7, text: `This ${words} tool` })).toEqual([{ line: 7, kind: "word", found: words }]);
    expect(kinds(`This ${words} tool`)).toEqual(["word"]);
  });

  it.each(["is no longer there", "are no more than two", "is none", "is now", "renewed"])("does not find %j", (text) => {
    expect(kinds(`This ${text}`)).toEqual([]);
  });

  it("allows a message to begin with any word", () => {
    expect(kinds("It failed", checkMessage)).toEqual([]);
  });
});
