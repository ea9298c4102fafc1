import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { copyJson, copySlices, deepFreeze } from "../../../../host/primitives/json/json.ts";
import "../../../support/seed.ts";

const bounds = { maxBytes: 10_000, maxDepth: 16 };

describe("copyJson()", () => {
  it("copies what JSON.stringify would write, frozen", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const copy = copyJson(value, { maxBytes: 1e6, maxDepth: 16 });
        if (!copy.ok) throw new Error(copy.problem.message);
        const written = JSON.stringify(value, (key, member: unknown) => (key === "__proto__" ? undefined : member));
        expect(JSON.stringify(copy.value)).toBe(written);
        expect(typeof copy.value !== "object" || Object.isFrozen(copy.value)).toBe(true);
      }),
    );
  });

  it("omits undefined members, and calls toJSON", () => {
    expect(copyJson({ a: undefined, b: [undefined], when: new Date(0) }, bounds)).toMatchObject({
      ok: true,
      value: { b: [null], when: "1970-01-01T00:00:00.000Z" },
    });
  });

  it.each<[string, unknown, string]>([
    ["a function", { a: () => 1 }, "/a"],
    ["a BigInt", [1n], "/0"],
    ["NaN", { "a/b": Number.NaN }, "/a~1b"],
    ["a symbol", Symbol("x"), ""],
  ])("refuses %s, with its place", (_what, value, pointer) => {
    expect(copyJson(value, bounds)).toMatchObject({ ok: false, reason: "not_json", problem: { pointer } });
  });

  it.each<[string, unknown, string, string]>([
    ["a map", { a: [new Map()] }, "/a/0", "A Map has no JSON form (Object.fromEntries makes an object of it)"],
    ["bytes", new Uint8Array(1), "", "A Uint8Array has no JSON form (toBase64() makes a string of it, Array.from an array of numbers)"],
    ["no bytes", { a: new Uint16Array(0) }, "/a", "A Uint16Array has no JSON form (Array.from makes an array of it)"],
    ["a promise", [Promise.resolve()], "/0", "A Promise has no JSON form (await it)"],
    ["a generator", (async function* () {})(), "", "An AsyncGenerator has no JSON form (Array.fromAsync makes an array of what it yields)"],
    ["an error", { a: new Error("why") }, "/a", "An Error has no JSON form (throw it, or return its message)"],
    ["a number in an object", [new Number(1)], "/0", "A Number has no JSON form (return its content as plain values)"],
  ])("refuses %s, whose JSON would be empty [AX4.lost]", (_what, value, pointer, message) => {
    const refused = { ok: false, reason: "not_json", problem: { pointer, message } };
    expect(copyJson(value, bounds)).toEqual(refused);
    expect(copySlices(value, bounds).next()).toEqual({ done: true, value: refused });
  });

  it("copies empty values, and values with toJSON [AX4.lost]", () => {
    const value = { a: {}, b: Object.create(null) as object, c: new (class {})(), d: Buffer.from([1]) };
    expect(copyJson(value, bounds)).toMatchObject({ ok: true, value: { a: {}, b: {}, c: {}, d: { type: "Buffer", data: [1] } } });
  });

  it("survives cycles, throwing getters, sparse arrays and objects with a claimed prototype", () => {
    const loop: Record<string, unknown> = {};
    loop["self"] = loop;
    expect(copyJson(loop, bounds)).toMatchObject({ ok: false, reason: "too_deep" });
    const trap = Object.defineProperty({}, "x", {
      enumerable: true,
      get: () => {
        throw new Error("secret");
      },
    });
    expect(copyJson(trap, bounds)).toEqual({
      ok: false,
      reason: "not_json",
      problem: { pointer: "", message: "The value throws while it is read" },
    });
    expect(copyJson(Object.assign([], { length: 1e9 }), bounds)).toMatchObject({ ok: false, reason: "too_large" });
    const copy = copyJson(JSON.parse('{"__proto__":{"admin":true},"a":1}'), bounds);
    expect(copy).toMatchObject({ ok: true, value: { a: 1 } });
    expect(copy.ok && (copy.value as { admin?: boolean }).admin).toBeUndefined();
  });

  it("counts bytes of UTF-8, not characters", () => {
    expect(copyJson("ä".repeat(60), { maxBytes: 100, maxDepth: 1 })).toMatchObject({ ok: false, reason: "too_large" });
    expect(copyJson("a".repeat(60), { maxBytes: 100, maxDepth: 1 })).toMatchObject({ ok: true });
  });
});

describe("deepFreeze()", () => {
  it("freezes deeply", () => {
    const value = deepFreeze({ a: [{ b: 1 }] });
    expect(Object.isFrozen(value.a[0])).toBe(true);
  });
});
