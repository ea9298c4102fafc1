import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHost, type Host } from "../../host/mod.ts";
import type { JsonValue } from "../../manifests/mod.ts";
import type { Log } from "../../host/platform/platform.ts";
import { acceptLimits } from "../support/accept-limits.ts";
import { REPOSITORY } from "../support/source-files.ts";

const silent: Log = { write: () => {}, child: () => silent };
const MILLION = 1_000_000;

let host: Host;

beforeAll(async () => {
  host = await createHost({ plugins: [`${REPOSITORY}plugins`], config: false, workspace: REPOSITORY, watch: false, logger: silent });
  await acceptLimits(host);
});

afterAll(async () => {
  await host.close();
});

/** Returns the code and the beginning of the message, and the output if there is one. */
async function outcomeOf(tool: string, args: JsonValue, timeoutMs?: number): Promise<string> {
  const result = await host.call(tool, args, timeoutMs === undefined ? {} : { timeoutMs });
  return result.ok ? `answered ${JSON.stringify(result.output).slice(0, 100)}` : `${result.error.code}: ${result.error.message}`;
}

/** CPU or wall time, whichever limit is reached first. */
const ENDED = /^(timeout|resource_exhausted): Tool exceeded/u;

describe("hostile input of the data plugin", () => {
  it.each([
    ["brackets", "(".repeat(4_000)],
    ["signs", `${"!".repeat(4_000)}a`],
    ["lists", "[".repeat(4_000)],
    ["hashes", "{a:".repeat(1_300)],
    ["members", `a${".a".repeat(2_000)}`],
    ["pipes", `a${"|a".repeat(2_000)}`],
    ["flattening", `@${"[]".repeat(2_000)}`],
  ])("refuses thousands of nested %s in an expression, and goes on serving", async (_name, expression) => {
    expect(await outcomeOf("data.json_query", { data: { a: 1 }, expression })).toMatch(
      /^tool_failed: (Cannot evaluate the JMESPath expression: it is nested too deeply|Invalid JMESPath at character)/u,
    );
    expect(await outcomeOf("data.json_query", { data: { a: 1 }, expression: "a" })).toBe('answered {"result":1}');
  });

  it.each([
    ["doubles its result forty times", { data: 1, expression: `[@,@]${"|[@,@]".repeat(40)}` }],
    ["pads a text to a hundred million characters", { data: 1, expression: "pad_left('a', `100000000`)" }],
    [
      "looks at every triple of a thousand",
      { data: Array.from({ length: 1_000 }, (_, index) => index), expression: "[?$[?$[?@ == `1`]]]" },
    ],
  ])("is ended where an expression %s", async (_name, args) => {
    expect(await outcomeOf("data.json_query", args, 1_000)).toMatch(ENDED);
    expect(await outcomeOf("data.json_query", { data: { a: 1 }, expression: "a" })).toBe('answered {"result":1}');
  });

  it.each([
    [
      "a quote that is never closed",
      `a,b\n1,"${"x".repeat(MILLION)}`,
      "Cannot read the CSV: the quoted field that begins at line 2, column 3 is never closed",
    ],
    ["a million fields in one row", ",".repeat(MILLION), "Cannot read the CSV: line 1 has 1000001 fields, more than 5000"],
  ])("says what is wrong with a megabyte of CSV: %s", async (_name, csv, message) => {
    expect(await outcomeOf("data.csv_to_json", { csv })).toBe(`tool_failed: ${message}`);
  });

  it("ends a call with a megabyte of misplaced quotes", async () => {
    expect(await outcomeOf("data.csv_to_json", { csv: '"a"b'.repeat(MILLION / 4) }, 3_000)).toMatch(ENDED);
  });

  it("reads a megabyte of CSV", async () => {
    const csv = `id,name,value\n${Array.from({ length: 40_000 }, (_, index) => `${index},"name, ${index}",${index}`).join("\n")}`;
    // Sessions have room for this much of results at once.
    const session = host.session({ resultBytes: 4_000_000 });
    const result = await host.call("data.csv_to_json", { csv, types: true, maxRows: 40_000 }, { session });
    expect(result.ok && result.output).toMatchObject({ rowCount: 40_000, complete: true, problems: [] });
  });

  it("refuses a text beyond its limit before the plugin sees it", async () => {
    expect(await outcomeOf("data.csv_to_json", { csv: "x".repeat(2 * MILLION + 1) })).toMatch(/^invalid_args: /u);
    expect(await outcomeOf("data.json_parse", { text: "1".repeat(2 * MILLION + 1) })).toMatch(/^invalid_args: /u);
    expect(await outcomeOf("math.calculate", { expression: "1".repeat(4_097) })).toMatch(/^invalid_args: /u);
  });

  it("refuses a megabyte of opening brackets as JSON", async () => {
    expect(await outcomeOf("data.json_parse", { text: "[".repeat(MILLION) })).toBe(
      "tool_failed: Cannot read the JSON: it is nested deeper than 60 at line 1, column 61",
    );
  });

  it("drops members named __proto__, and inherited ones", async () => {
    const args = JSON.parse(
      '{"json": "{\\"__proto__\\": {\\"polluted\\": 1}, \\"a\\": 2}", "expression": "[polluted, a, values(@)[0].polluted]"}',
    ) as JsonValue;
    expect(await outcomeOf("data.json_query", args)).toBe('answered {"result":[null,2,1]}');
    expect(await outcomeOf("data.csv_to_json", { csv: "__proto__,b\n1,2" })).toContain('"columns":["column_1","b"]');
  });
});

describe("an expression as deep as the data plugin allows", () => {
  it.each([
    ["brackets", `${"(".repeat(50)}a${")".repeat(50)}`, 1],
    ["calls", `${"abs(".repeat(50)}a${")".repeat(50)}`, 1],
    ["signs", `${"!".repeat(148)}a`, true],
    ["members", `a${".a".repeat(148)}`, null],
    ["alternatives", `b${" || b".repeat(148)} || a`, 1],
    ["projections", `[a]${"[]".repeat(70)}`, [1]],
    ["mapped functions", `[@.a]${" | map(&abs(@), @)".repeat(70)}`, [1]],
    ["nested functions", `${"map(&".repeat(49)}@${", [a])".repeat(49)}`, undefined],
  ])("has the stack for its %s", async (_name, expression, result) => {
    const outcome = await outcomeOf("data.json_query", { data: { a: 1 }, expression });
    if (result === undefined) expect(outcome).toMatch(/^answered /u);
    else expect(outcome).toBe(`answered ${JSON.stringify({ result })}`);
  });

  it.each([
    [
      "brackets",
      `${"(".repeat(51)}a${")".repeat(51)}`,
      "tool_failed: Invalid JMESPath at character 51: brackets are nested deeper than 50 here",
    ],
    ["signs", `${"!".repeat(150)}a`, "tool_failed: Cannot evaluate the JMESPath expression: it is nested too deeply (split it up)"],
  ])("is refused for one more of its %s", async (_name, expression, message) => {
    expect((await outcomeOf("data.json_query", { data: { a: 1 }, expression })).split("\n")[0]).toBe(message);
  });
});

describe("hostile input of the math plugin", () => {
  it.each([
    ["brackets", `${"(".repeat(2_000)}1${")".repeat(2_000)}`],
    ["signs", `${"-".repeat(4_000)}1`],
    ["powers", `1${"^1".repeat(2_000)}`],
    ["calls", `${"abs(".repeat(800)}1${")".repeat(800)}`],
  ])("refuses thousands of nested %s", async (_name, expression) => {
    expect(await outcomeOf("math.calculate", { expression })).toMatch(
      /^tool_failed: Cannot calculate at character \d+: the expression is nested deeper than 40 here/u,
    );
  });

  it.each([
    ["brackets", `${"(".repeat(39)}1${")".repeat(39)}`],
    ["calls", `${"max(1,".repeat(39)}1${")".repeat(39)}`],
    ["powers", `1${"^1".repeat(39)}`],
    ["brackets and signs", `${"-(".repeat(19)}-1${")".repeat(19)}`],
  ])("has the stack for as many nested %s as it allows", async (_name, expression) => {
    expect(await outcomeOf("math.calculate", { expression })).toBe('answered {"result":1,"text":"1"}');
  });

  it("calculates a sum of two thousand terms", async () => {
    expect(await outcomeOf("math.calculate", { expression: `1${"+1".repeat(2_000)}` })).toBe('answered {"result":2001,"text":"2001"}');
  });

  it("describes a hundred thousand numbers, and refuses more", async () => {
    const values = Array.from({ length: 100_000 }, (_, index) => index % 1_000);
    expect(await outcomeOf("math.statistics", { values })).toMatch(/^answered \{"count":100000,"missing":0,"sum":49950000,"mean":499.5/u);
    expect(await outcomeOf("math.statistics", { values: [...values, 1] })).toMatch(/^invalid_args: /u);
  });
});
