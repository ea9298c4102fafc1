import { describe, expect, it } from "vitest";

import { checkFormat } from "../../../manifests/schema/format.ts";

const CASES: readonly [format: string, good: readonly string[], bad: readonly string[]][] = [
  ["date", ["2024-02-29", "1999-12-31"], ["2023-02-29", "2024-13-01", "2024-00-10", "2024-1-1", "2024-01-32", "", "2024-02-30"]],
  [
    "time",
    ["00:00:00Z", "23:59:60Z", "12:00:00.123+02:00", "01:29:60+01:30"],
    ["24:00:00Z", "12:00:00", "12:60:00Z", "22:59:60Z", "12:00Z"],
  ],
  ["date-time", ["2024-02-29T12:00:00Z", "2024-02-29t12:00:00.5-08:00"], ["2024-02-29 12:00:00Z", "2024-02-29", "2023-02-29T12:00:00Z"]],
  [
    "email",
    ["a@b.example", "a.b+c@example.com", '"a b"@example.com', "a@[127.0.0.1]"],
    ["a", "@b", "a@", "a..b@c", ".a@b", "a@b c", "a b@c", "a@-b"],
  ],
  ["uri", ["https://example.com/a?b#c", "urn:isbn:1", "mailto:a@b"], ["example.com", "//a", "https://a b", "a:%zz", "a:<", "a:ä"]],
  [
    "uuid",
    ["0193a5b0-0000-7000-8000-000000000000", "0193A5B0-0000-7000-8000-000000000000"],
    ["0193a5b0", "0193a5b0000070008000000000000000", "g193a5b0-0000-7000-8000-000000000000"],
  ],
  ["ipv4", ["0.0.0.0", "255.255.255.255"], ["256.1.1.1", "01.2.3.4", "1.2.3", "1.2.3.4.", "::1", "0x7f.1"]],
  [
    "ipv6",
    ["::", "::1", "fe80::1:2", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "1::"],
    ["1.2.3.4", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "::g", "fe80::1%eth0", "1::2::3", "12345::"],
  ],
  [
    "hostname",
    ["example.com", "a", "1.example", "xn--bcher-kva.de"],
    ["-a", "a-", "a..b", "a_b", "a b", "", `${"a".repeat(64)}.com`, "a.".repeat(130)],
  ],
];

describe("checkFormat()", () => {
  it.each(CASES)("checks %s [S1.format]", (format, good, bad) => {
    expect(good.filter((text) => !checkFormat(format, text))).toEqual([]);
    expect(bad.filter((text) => checkFormat(format, text))).toEqual([]);
  });

  it("treats every other format as an annotation [S1.format]", () => {
    expect(checkFormat("color", "anything")).toBe(true);
    expect(checkFormat("toString", "anything")).toBe(true);
  });

  it("checks hostile texts without backtracking [S4.bounded]", () => {
    const hostile = [
      "a".repeat(60_000),
      `${"a.".repeat(30_000)}!`,
      `${"a@".repeat(30_000)}`,
      `a:${"%".repeat(60_000)}`,
      "1:".repeat(30_000),
      `${"a-".repeat(30_000)}`,
      "a".repeat(1_000_000),
    ];
    const verdicts = CASES.flatMap(([format]) => hostile.map((text) => checkFormat(format, text)));
    // The fifth is not a URI either, because it begins with a digit.
    expect(verdicts.filter(Boolean)).toEqual([]);
  });
});
