import { readFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FUZZ_SEED } from "../support/seed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { createBasculeOracle } from "./bascule-answer.ts";
import { type Answer, askDeno, prepareFolder } from "./deno-answer.ts";
import { acceptedByDeno, ADDED, anyItem, isItemOfBascule, type Item, nameGrammarDifference, REFUSED, toDescriptor } from "./grammar.ts";

const TEXTS = 20_000;
/** Queries per command line. */
const QUESTIONS = 1_000;

describe("the grammar of items and queries", () => {
  const items = fc.sample(anyItem, { seed: FUZZ_SEED, numRuns: TEXTS });

  it(`accepts and refuses the same items as Deno, in ${TEXTS} random texts, except named differences [PA9.grammar] [PA2]`, async () => {
    const folder = await oracleFolder();
    const byDeno = await acceptedByDeno(items, folder);
    const unnamed = items.filter((item, index) => {
      const isItem = byDeno[index] === true;
      return isItemOfBascule(item) !== isItem && nameGrammarDifference(item, isItem) === undefined;
    });
    expect({ seed: FUZZ_SEED, unnamed: unnamed.slice(0, 10) }).toEqual({ seed: FUZZ_SEED, unnamed: [] });
    // Both answers must be frequent, or the comparison would show little.
    const taken = byDeno.filter(Boolean).length;
    expect(Math.min(taken, TEXTS - taken)).toBeGreaterThan(TEXTS / 10);
  });

  it("refuses the empty text like Deno [PA9.grammar]", async () => {
    const folder = await oracleFolder();
    const empty: readonly Item[] = [
      ["read", ""],
      ["write", ""],
      ["net", ""],
      ["env", ""],
      ["sys", ""],
      ["import", ""],
    ];
    expect(await acceptedByDeno(empty, folder)).toEqual(empty.map(() => false));
    for (const policy of [{ run: { allow: [""] } }, { ffi: { allow: [""] } }]) {
      await expect(askDeno({ by: "flags", policy, queries: [] }, folder)).rejects.toThrow(/[Ee]mpty/);
      expect(() => createBasculeOracle(policy, folder)).toThrow("refuses");
    }
    expect(empty.filter(isItemOfBascule)).toEqual([]);
  });

  it("refuses queries with Deno's class and message [PA9.grammar] [PA7.errors]", async () => {
    const folder = await oracleFolder();
    const ours = createBasculeOracle({}, folder);
    const differing: unknown[] = [];
    for (let start = 0; start < TEXTS / 4; start += QUESTIONS) {
      // A program's arguments cannot contain a NUL.
      const queries = items.slice(start, start + QUESTIONS).map(toDescriptor);
      const denos = await askDeno({ by: "flags", policy: {}, queries }, folder);
      for (const [index, descriptor] of queries.entries()) {
        const [deno, bascule] = [refusalOf(denos[index]), refusalOf(ours(descriptor))];
        if (JSON.stringify(deno) !== JSON.stringify(bascule)) differing.push({ descriptor, deno, bascule });
      }
    }
    expect(differing.slice(0, 10)).toEqual([]);
  });

  it.each<[string, Item, boolean]>([
    ["hidden-text", ["read", "a\u202eb"], true],
    ["path-patterns", ["read", "app/[id]"], true],
    ["path-patterns", ["write", "~/notes"], true],
    ["path-patterns", ["ffi", "a\\b"], true],
    ["path-patterns", ["read", "a/**b"], true],
    ["run-patterns", ["run", "git*"], true],
    ["path-tokens", ["read", "$x/y"], true],
    ["variable-names", ["env", "A=B"], true],
    ["variable-names", ["env", "A*B"], true],
    ["host-spelling", ["net", "127.1:80"], true],
    ["host-spelling", ["net", "*.1.2.3.4"], true],
    ["host-names", ["net", "a#b"], true],
    ["host-names", ["net", `${"x".repeat(64)}.com`], true],
    ["idna", ["net", "bücher.example"], false],
    ["ipv6-blocks", ["net", "fd00::/8"], false],
    ["ipv6-blocks", ["net", "[fd00::/8]:80"], false],
  ])("%s: %j, accepted by Deno: %s [PA9.grammar]", async (id, item, isItemOfDeno) => {
    expect(await acceptedByDeno([item], await oracleFolder())).toEqual([isItemOfDeno]);
    expect(isItemOfBascule(item)).toBe(!isItemOfDeno);
    expect(nameGrammarDifference(item, isItemOfDeno)).toBe(id);
  });

  it("has a documented row for each difference of the grammar", async () => {
    const page = await readFile(new URL("../../docs/permissions.md", import.meta.url), "utf8");
    expect([...REFUSED, ...ADDED].filter(({ id }) => !page.includes(`| \`${id}\` |`))).toEqual([]);
  });
});

async function oracleFolder(): Promise<string> {
  const folder = await temporaryFolder();
  await prepareFolder(folder);
  return folder;
}

function refusalOf(answer: Answer | undefined): unknown {
  return answer === undefined || "error" in answer ? answer : "answered";
}
