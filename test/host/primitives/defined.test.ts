import { describe, expect, it } from "vitest";
import { defined } from "../../../host/primitives/defined.ts";

describe("defined()", () => {
  it("drops undefined members and keeps the order of the others", () => {
    const members = defined({ b: 0, missing: undefined, a: "", none: null, no: false });
    expect(JSON.stringify(members)).toBe('{"b":0,"a":"","none":null,"no":false}');
    expect(Object.keys(members)).not.toContain("missing");
  });
});
