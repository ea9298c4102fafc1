import { describe, expect, it } from "vitest";
import { createBlockReader, type ContentBlock } from "../../../host/call/content-block.ts";
import type { JsonObject } from "../../../host/mod.ts";

const SMALL: JsonObject = { type: "text", text: "s", _meta: { small: true } };
const BIG: JsonObject = { type: "text", text: "b", _meta: { big: "m".repeat(70_000) } };

function isCut(block: ContentBlock | undefined): boolean {
  return block?._meta?.["bascule/cut"] !== undefined;
}

describe("createBlockReader()", () => {
  it("keeps descriptions of blocks up to 64 KB in total, and marks the block that is truncated [K3.unchanged-bounded]", () => {
    const read = createBlockReader();
    const half = { ...SMALL, _meta: { half: "m".repeat(33_000) } };
    expect([half, half, SMALL].map((block) => isCut(read(block)))).toEqual([false, true, false]);
  });

  it("skips the descriptions after sixteen truncated blocks, because a result may have ten thousand [K3.unchanged-bounded]", () => {
    const read = createBlockReader();
    for (let at = 0; at < 15; at++) expect(isCut(read(BIG))).toBe(true);
    expect(read(SMALL)).toEqual(SMALL);
    expect(isCut(read(BIG))).toBe(true);
    const looked: string[] = [];
    const watched = Object.defineProperty({ ...SMALL }, "_meta", {
      enumerable: true,
      value: { toJSON: () => looked.push("") },
    });
    expect([isCut(read(watched)), looked]).toEqual([true, []]);
    // A block without annotations and `_meta` is read as before.
    expect(read({ type: "text", text: "plain" })).toEqual({ type: "text", text: "plain" });
  });
});
