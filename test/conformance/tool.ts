/** Requirements for every host tool (SPEC R1). */

import { describe, expect, it } from "vitest";
import { completeDefinition } from "../../host/tools/definition.ts";
import type { ToolFactory } from "../../host/tools/tool.ts";

/** Runs the suite for one factory. */
export function toolSuite(name: string, factory: ToolFactory): void {
  describe(`the tool ${name}`, () => {
    it("is a new object each time, with the same definition [R1]", () => {
      const [first, second] = [factory(), factory()];
      expect(sharesInstance(first, second)).toBe(false);
      expect(second.definition).toEqual(first.definition);
    });

    it("has a definition that a registry accepts [R2]", () => {
      expect(completeDefinition(factory().definition)).toMatchObject({ name: expect.any(String), sideEffects: expect.any(Array) });
    });

    it("can be executed and, if it supports it, cancelled [R1]", () => {
      const tool = factory();
      expect(typeof tool.execute).toBe("function");
      expect(["function", "undefined"]).toContain(typeof tool.cancel);
    });
  });
}

/** Returns true if a factory returns one object twice: two calls would share its state. */
export function sharesInstance(first: object, second: object): boolean {
  return first === second;
}
