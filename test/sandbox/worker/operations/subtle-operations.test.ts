import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hash, subtle } from "../../../../host/platform/web-crypto.ts";
import { CallKeys } from "../../../../sandbox/worker/operations/call-keys.ts";
import type { LocalAnswer } from "../../../../sandbox/worker/operations/local-answer.ts";
import { SUBTLE_METHODS } from "../../../../sandbox/worker/operations/subtle.ts";
import { createSubtleCalls, type SubtleCall } from "../../../../sandbox/worker/operations/subtle-calls.ts";
import { runSubtle } from "../../../../sandbox/worker/operations/subtle-operations.ts";
import { RoundRobin } from "../../../../sandbox/worker/operations/round-robin.ts";
import "../../../support/seed.ts";

const NOTHING = new Uint8Array(0);
const HMAC = { a: { name: "HMAC", hash: { a: { name: "SHA-256" } } } };

function run(keys: CallKeys, method: string, args: unknown, bytes: Uint8Array = NOTHING): Promise<LocalAnswer> {
  return runSubtle({ method, text: typeof args === "string" ? args : JSON.stringify(args), bytes }, subtle, keys);
}

async function handleOf(keys: CallKeys): Promise<string> {
  const { answer } = await run(keys, "generateKey", [HMAC, false, ["sign"]]);
  return /"k":\["([^"]+)"/u.exec(answer)?.[1] ?? answer;
}

const GONE = `e${JSON.stringify({ name: "InvalidAccessError", message: "Key not found: keys end with the call that made them (make or import it in this call)" })}`;

describe("runSubtle()", () => {
  it("finds a key only in the call that made it, whatever handle a guest forges [PB2.subtle] [B5]", async () => {
    const [mine, theirs] = [new CallKeys(7), new CallKeys(8)];
    const [own, foreign] = [await handleOf(mine), await handleOf(theirs)];
    const sign = async (keys: CallKeys, handle: unknown): Promise<string> =>
      (await run(keys, "sign", [HMAC, { k: handle }, { b: [0, 1] }], new Uint8Array(1))).answer;
    expect(await sign(mine, own)).toBe('v{"b":[0,32]}');
    for (const forged of [foreign, "8.1", "7.2", "7.0", "1", 1, null, { toString: "7.1" }, ["7.1"], "__proto__"]) {
      expect(await sign(mine, forged)).toBe(GONE);
    }
    mine.clear();
    expect(await sign(mine, own)).toBe(GONE);
    expect(await sign(theirs, foreign)).toBe('v{"b":[0,32]}');
  });

  it("answers any request, with an error name from a closed set [PB2.subtle] [B5]", async () => {
    const names = [
      "TypeError",
      "NotSupportedError",
      "SyntaxError",
      "InvalidAccessError",
      "DataError",
      "OperationError",
      "QuotaExceededError",
    ];
    const piece = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom(
        HMAC,
        { b: [0, 4] },
        { b: [-1, 2] },
        { b: [0, 1e9] },
        { a: {} },
        { a: { name: "AES-GCM", iv: { b: [0, 4] }, length: 128 } },
      ),
      fc.constantFrom<unknown>(
        { j: { kty: "oct", k: "AAAA" } },
        { j: { __proto__: null, oth: [] } },
        { k: "1.1" },
        "raw",
        "jwk",
        true,
        ["sign"],
        ["encrypt"],
        null,
      ),
    );
    const method = fc.constantFrom<string>(...SUBTLE_METHODS, "constructor", "__proto__", "toString", "");
    await fc.assert(
      fc.asyncProperty(method, fc.array(piece, { maxLength: 7 }), async (name, args) => {
        const keys = new CallKeys(1);
        await handleOf(keys);
        const { answer } = await run(keys, name, args, new Uint8Array(8));
        if (answer.startsWith("e")) expect(names).toContain((JSON.parse(answer.slice(1)) as { name: string }).name);
        else expect(answer).toMatch(/^v(?:true|false|\{)/u);
      }),
      { numRuns: 400 },
    );
    for (const text of ["", "null", "{}", "[", `[${"[".repeat(100)}${"]".repeat(100)}]`, `["${"x".repeat(300_000)}"]`]) {
      expect((await run(new CallKeys(1), "digest", text)).answer).toMatch(/^e/u);
    }
  });

  it("never reveals an unextractable key's bytes [PB2.subtle]", async () => {
    const keys = new CallKeys(1);
    const handle = await handleOf(keys);
    for (const format of ["raw", "jwk", "raw-secret"])
      expect((await run(keys, "exportKey", [format, { k: handle }])).answer).toContain("Key is not extractable");
  });
});

describe("RoundRobin", () => {
  it("runs one task at a time, alternating between owners, and drops the tasks of an owner that left [PB2.subtle]", async () => {
    const order: string[] = [];
    let running = 0;
    let work: Promise<void> = Promise.resolve();
    const turns = new RoundRobin((promise) => void (work = promise));
    const [a, b, c] = [{}, {}, {}];
    const piece = (name: string) => async (): Promise<void> => {
      expect(++running).toBe(1);
      order.push(name);
      await Promise.resolve();
      running--;
    };
    for (const name of ["a1", "a2", "a3"]) turns.take(a, piece(name));
    for (const name of ["b1", "b2"]) turns.take(b, piece(name));
    turns.take(c, piece("c1"));
    turns.leave(c);
    await work;
    expect(order).toEqual(["a1", "a2", "b1", "a3", "b2"]);
    turns.take(c, piece("c2"));
    await work;
    expect(order.at(-1)).toBe("c2");
  });
});

describe("createSubtleCalls()", () => {
  const lane = () => Promise.resolve(() => {});
  const settled = (call: SubtleCall, text: string): Promise<LocalAnswer> =>
    new Promise((resolve) => expect(call.begin({ method: "generateKey", text, bytes: undefined }, resolve)).toBe(true));

  it("bounds waiting requests in number and bytes, and settles nothing after the end [PB2.subtle] [B3]", async () => {
    let work: Promise<void> = Promise.resolve();
    const open = createSubtleCalls({ subtle, now: () => 0, lane, background: (promise) => void (work = promise) });
    const text = JSON.stringify([HMAC, true, ["sign"]]);
    const ended = open(1);
    let answers = 0;
    const begin = (bytes?: Uint8Array): boolean => ended.begin({ method: "generateKey", text, bytes }, () => answers++);
    for (let count = 0; count < 1_024; count++) expect(begin()).toBe(true);
    expect(begin()).toBe(false);
    ended.close();
    const other = open(2);
    expect((await settled(other, text)).answer).toContain('"k":["2.1","secret",true');
    await work;
    expect(answers).toBe(0);
    const large = new Uint8Array(40 << 20);
    const full = open(3);
    // The first request waits for its lane and holds its bytes.
    expect([1, 2, 3].map(() => full.begin({ method: "digest", text: "", bytes: large }, () => {}))).toEqual([true, false, false]);
    await work;
  });

  it("waits for a lane with long operations, one per call at a time, and only with these [LV3.crypto]", async () => {
    const lanes: { readonly call: number; give(): void }[] = [];
    const ends: string[] = [];
    const works: Promise<void>[] = [];
    const waits = (call: number): Promise<() => void> =>
      new Promise((resolve) => lanes.push({ call, give: () => resolve(() => void ends.push(`done ${call}`)) }));
    const open = createSubtleCalls({ subtle, now: () => 0, lane: waits, background: (work) => void works.push(work) });
    const [first, second] = [open(1), open(2)];
    const begin = (call: SubtleCall, method: string, bytes?: Uint8Array): boolean =>
      call.begin({ method, text: "", bytes }, () => void ends.push(method));
    for (const method of ["deriveBits", "deriveKey"]) begin(first, method);
    begin(second, "generateKey");
    begin(second, "digest", new Uint8Array(65_537));
    const short = new Promise((resolve) => first.begin({ method: "sign", text: "", bytes: new Uint8Array(65_536) }, resolve));
    await short;
    expect([lanes.map(({ call }) => call), ends]).toEqual([[1, 2], []]);
    lanes[0]?.give();
    await expect.poll(() => ends).toEqual(["deriveBits", "done 1"]);
    expect(lanes.map(({ call }) => call)).toEqual([1, 2, 1]);
    // The call ends while it waits: it does not use its lane, and requests no other.
    second.close();
    for (const { give } of lanes) give();
    await Promise.all(works);
    expect(ends.toSorted()).toEqual(["deriveBits", "deriveKey", "done 1", "done 1", "done 2"]);
    expect(lanes.length).toBe(3);
  });
});

describe("hash()", () => {
  it("equals the result of the runtime's own subtle [PB2.subtle]", async () => {
    const bytes = new TextEncoder().encode("abc");
    for (const name of ["SHA-1", "SHA-256", "SHA-384", "SHA-512", "SHA3-256", "SHA3-384", "SHA3-512"] as const) {
      expect(hash(name, [bytes.subarray(0, 1), bytes.subarray(1)])).toEqual(new Uint8Array(await crypto.subtle.digest(name, bytes)));
    }
  });
});
