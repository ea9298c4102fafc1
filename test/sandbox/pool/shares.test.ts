import { describe, expect, it } from "vitest";
import { type Claim, type GiveBack, Shares } from "../../../sandbox/pool/shares.ts";

const NEVER = new AbortController().signal;
const of = (party: string, line: unknown = party, size = 1): Claim => ({ party, line, size, within: [[party, 2]] });

/** Queues one claim per name; `granted` lists the names in the order in which they were granted. */
function queue(shares: Shares): { readonly granted: string[]; readonly back: GiveBack[]; take(name: string, claim: Claim): void } {
  const granted: string[] = [];
  const back: GiveBack[] = [];
  return {
    granted,
    back,
    take: (name, claim) =>
      void shares.take(claim, NEVER).then((giveBack) => {
        if (giveBack === undefined) return;
        granted.push(name);
        back.push(giveBack);
      }),
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("Shares", () => {
  it("gives each party its share and no more, even if more is free [LV3.share]", async () => {
    const q = queue(new Shares(10));
    for (const name of ["a1", "a2", "a3"]) q.take(name, of("a"));
    q.take("b1", of("b"));
    await turn();
    expect(q.granted).toEqual(["a1", "a2", "b1"]);
    q.back[0]?.();
    q.back[0]?.();
    await turn();
    expect(q.granted).toEqual(["a1", "a2", "b1", "a3"]);
  });

  it("alternates between parties, and between the lines of a party [LV3.turns]", async () => {
    const q = queue(new Shares(1));
    q.take("first", of("z"));
    for (const name of ["a1", "a2", "a3"]) q.take(name, of("a", 1));
    q.take("a4 of another line", of("a", 2));
    q.take("b1", of("b"));
    await turn();
    for (let given = 0; given < 5; given++) {
      q.back[given]?.();
      await turn();
    }
    expect(q.granted).toEqual(["first", "a1", "b1", "a4 of another line", "a2", "a3"]);
  });

  it("grants a claim above its share alone [LV3.large]", async () => {
    const q = queue(new Shares(10));
    q.take("a1", of("a"));
    q.take("large", of("a", "a", 8));
    q.take("b1", of("b"));
    await turn();
    expect(q.granted).toEqual(["a1", "b1"]);
    q.back[0]?.();
    await turn();
    expect(q.granted).toEqual(["a1", "b1", "large"]);
  });

  it("lets no small claim overtake one that waits for the whole [LV3.large]", async () => {
    const q = queue(new Shares(4));
    q.take("a", of("a", "a", 2));
    q.take("large", of("b", "b", 4));
    q.take("c", of("c"));
    await turn();
    expect(q.granted).toEqual(["a"]);
    q.back[0]?.();
    await turn();
    expect(q.granted).toEqual(["a", "large"]);
  });

  it("gives a party that holds nothing its floor, whatever the others hold [LV3.floor]", async () => {
    const shares = new Shares(2, 1);
    expect(shares.takeNow(of("a", "a", 2))).toBeTypeOf("function");
    expect(shares.takeNow(of("b"))).toBeTypeOf("function");
    expect(shares.takeNow(of("b"))).toBe(undefined);
  });

  it("drops an aborted claim and grants those behind it [LV3.cancel]", async () => {
    const shares = new Shares(4);
    const q = queue(shares);
    q.take("a", of("a", "a", 2));
    const stop = new AbortController();
    const large = shares.take(of("b", "b", 4), stop.signal);
    q.take("c", of("c"));
    await turn();
    stop.abort();
    expect(await large).toBe(undefined);
    await turn();
    expect(q.granted).toEqual(["a", "c"]);
    expect(await shares.take(of("d"), stop.signal)).toBe(undefined);
  });
});
