import { describe, expect, it } from "vitest";
import { checkExport } from "../../../host/audit/export.ts";
import { currentPlatform } from "../../../host/platform/mod.ts";

const { journals } = currentPlatform();
const KEY = journals.newKey();
const EVENTS = [1, 2, 3].map((time) => JSON.stringify({ type: "tool.called", time }));

interface Export {
  readonly rows: readonly string[];
  readonly signature: string;
}

/** Returns an export as another program with the key would write it. @param says false claims for the signature */
function exportOf(events: readonly string[], says: object = {}): Export {
  const rows: string[] = [];
  let [seal, digest] = ["", ""];
  for (const [index, event] of events.entries()) {
    seal = journals.seal(seal, index + 1, event);
    digest = journals.seal(digest, index + 1, `${seal}\n${event}`);
    rows.push(`{"number":${index + 1},"seal":"${seal}","event":${event}}`);
  }
  const about = { rows: events.length, first: 1, last: events.length, time: 7, ...says };
  const of = journals.sign(KEY, `bascule export\n${about.rows}\n${about.first}\n${about.last}\n${about.time}\n${digest}`);
  return { rows, signature: JSON.stringify({ signature: { ...about, publicKey: KEY.publicKey, of } }) };
}

function problemsOf({ rows, signature }: Export): readonly string[] {
  return checkExport([...rows, signature], { journals, publicKey: undefined }).problems;
}

const OTHER = "the signature covers 3 other rows, 1 to 3";

describe("checkExport()", () => {
  it("accepts an unaltered export [AU3.export]", () => {
    expect(problemsOf(exportOf(EVENTS))).toEqual([]);
  });

  it("detects a forged export with correct seals by its signature [AU3.export]", () => {
    const { signature } = exportOf(EVENTS);
    const { rows } = exportOf([...EVENTS.slice(0, 2), '{"type":"tool.called","time":4}']);
    expect(problemsOf({ rows, signature })).toEqual([OTHER]);
  });

  it("names the first row that was changed [AU3.export]", () => {
    const { rows, signature } = exportOf(EVENTS);
    const changed = rows.map((row) => row.replace('"time":2', '"time":9'));
    expect(problemsOf({ rows: changed, signature })).toEqual(["row 2 does not match its seal", OTHER]);
    const cut = rows.filter((_row, index) => index !== 1);
    expect(problemsOf({ rows: cut, signature })).toEqual(["row 3 follows row 1", OTHER]);
  });

  it("detects a signature whose counts do not match [AU3.export]", () => {
    for (const says of [{ rows: 4 }, { first: 2 }, { last: 9 }]) {
      const { rows = 3, first = 1, last = 3 } = says as { readonly rows?: number; readonly first?: number; readonly last?: number };
      expect(problemsOf(exportOf(EVENTS, says))).toEqual([`the signature covers ${rows} other rows, ${first} to ${last}`]);
    }
  });
});
