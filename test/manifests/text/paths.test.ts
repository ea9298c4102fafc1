import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isAtOrBelow, isBelow, movedPath, relativeBelow } from "../../../manifests/mod.ts";

/** Few and similar names, so that random paths often contain each other or share a text prefix. */
const name = fc.oneof(fc.constantFrom("a", "b", "aa", "a.b", "...", " ", "A"), fc.stringMatching(/^[^/\0]{1,4}$/));
const names = fc.array(name, { maxLength: 4 });
const root = fc.constantFrom("/", "C:/");

/** A folder and a path that is often in it. */
const pair = fc.oneof(
  fc.tuple(names, names),
  fc.tuple(names, names).map(([folder, more]) => [folder, [...folder, ...more]] as const),
);

function contains(folder: readonly string[], path: readonly string[]): boolean {
  return folder.length <= path.length && folder.every((segment, index) => segment === path[index]);
}

describe("path containment", () => {
  it("agrees with a comparison of segments, below every root [PA2.containment]", () => {
    fc.assert(
      fc.property(root, pair, (start, [folder, path]) => {
        const [above, place] = [start + folder.join("/"), start + path.join("/")];
        const isIn = contains(folder, path);
        const isStrictlyIn = isIn && path.length > folder.length;
        expect(isAtOrBelow(place, above)).toBe(isIn);
        expect(isBelow(place, above)).toBe(isStrictlyIn);
        expect(relativeBelow(place, above)).toBe(isStrictlyIn ? path.slice(folder.length).join("/") : undefined);
      }),
      { numRuns: 2_000 },
    );
  });

  it("moves a path as segments are moved [PA2.containment]", () => {
    fc.assert(
      fc.property(root, pair, names, (start, [folder, path], other) => {
        const moved = movedPath(start + path.join("/"), start + folder.join("/"), `/${other.join("/")}`);
        expect(moved).toBe(contains(folder, path) ? `/${[...other, ...path.slice(folder.length)].join("/")}` : undefined);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ["/a", "/a", true],
    ["/a/b", "/a", true],
    ["/ab", "/a", false],
    ["/a", "/a/b", false],
    ["/", "/", true],
    ["/a", "/", true],
    ["/", "/a", false],
    ["C:/a", "C:/", true],
    ["C:/a", "/", false],
    ["/A/b", "/a", false],
    ["/v1/x", "/v1/", true],
    ["/v1/", "/v1/", true],
    ["/v1", "/v1/", false],
    ["/v1/", "/v1", true],
    ["a/b", "a", true],
    ["$plugin/b", "$plugin", true],
    ["$plugins/b", "$plugin", false],
  ])("finds %j in %j: %j [PA2.containment]", (path, folder, expected) => {
    expect(isAtOrBelow(path, folder)).toBe(expected);
    expect(isBelow(path, folder)).toBe(expected && path !== folder);
  });
});
