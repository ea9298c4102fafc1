import { describe, expect, it } from "vitest";
import { hostPlace } from "../../../host/capabilities/checked.ts";

describe("hostPlace()", () => {
  it.each([
    ["place", "/a", ["/a"]],
    ["tree", "/a", ["/a", "/a/b"]],
    ["place", "/", ["/"]],
    ["tree", "/", ["/", "/a", "/a/b", "/ab"]],
  ] as const)("permits as a %s at %j exactly %j [C4]", (reach, path, expected) => {
    const { permits } = hostPlace(path, reach);
    expect(["/", "/a", "/a/b", "/ab"].filter((place) => permits(place))).toEqual(expected);
  });
});
