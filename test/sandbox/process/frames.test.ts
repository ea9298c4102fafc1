import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeFrame, type Frame, FrameError, FrameReader } from "../../../sandbox/process/frames.ts";

const BOUNDS = { headBytes: 5_000, frameBytes: 10_000, parts: 3 };

/** Returns the frames of a stream that arrives in chunks of these sizes. */
function readAll(bytes: Uint8Array, sizes: readonly number[] = [bytes.length]): readonly Frame[] {
  const reader = new FrameReader(() => BOUNDS);
  const frames: Frame[] = [];
  let at = 0;
  for (let index = 0; at < bytes.length; index++) {
    const size = Math.max(1, sizes[index % sizes.length] ?? 1);
    frames.push(...reader.push(bytes.slice(at, at + size)));
    at += size;
  }
  return frames;
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(pieces));
}

describe("frames", () => {
  it("arrive unchanged, for chunks of any size [B5.frames]", () => {
    const frame = fc.record({ head: fc.object({ maxDepth: 2 }), parts: fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 3 }) });
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 5 }), fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (frames, sizes) => {
        const stream = joined(frames.flatMap(({ head, parts }) => encodeFrame(head, parts)));
        expect(readAll(stream, sizes)).toEqual(frames.map(({ head, parts }) => ({ head: JSON.stringify(head), parts })));
      }),
      { numRuns: 200 },
    );
  });

  it.each<[string, (frame: DataView) => void, RegExp]>([
    ["is longer than allowed", (frame) => frame.setUint32(0, 10_001), /Frame of 10005 bytes exceeds 10000/],
    ["is longer than any memory", (frame) => frame.setUint32(0, 0xffff_ffff), /exceeds 10000/],
    ["is shorter than its header", (frame) => frame.setUint32(0, 3), /shorter than its header/],
    ["has a head longer than allowed", (frame) => frame.setUint32(4, 5_001), /Head of 5001 bytes exceeds 5000/],
    ["has a head longer than the frame", (frame) => frame.setUint32(4, 4_999), /Head does not fit/],
    ["has too many parts", (frame) => frame.setUint32(8, 4), /4 parts exceeds 3/],
    ["has a part longer than the frame", (frame) => frame.setUint32(12, 0xffff_fff0), /Parts do not fit/],
    ["has unused bytes", (frame) => frame.setUint32(12, 1), /unused bytes/],
  ])("is rejected if it %s [B5.frames]", (_what, break_, message) => {
    const stream = joined(encodeFrame({ a: 1 }, [new Uint8Array(5)]));
    break_(new DataView(stream.buffer));
    for (const size of [1, 7, stream.length]) {
      expect(() => readAll(stream, [size])).toThrow(FrameError);
      expect(() => readAll(stream, [size])).toThrow(message);
    }
  });

  it("do not hold thousands of one-byte chunks while they wait [B5.drip]", () => {
    const parts = [new Uint8Array(6_000).map((_, index) => index)];
    const stream = joined([...encodeFrame({ a: 1 }, parts), ...encodeFrame({ b: 2 })]);
    const reader = new FrameReader(() => BOUNDS);
    const chunks = Array.from(stream, (byte) => Uint8Array.of(byte));
    const frames: Frame[] = [];
    for (const chunk of chunks) {
      frames.push(...reader.push(chunk));
      // Chunks that are no longer held can be overwritten.
      if (chunk === chunks[3_000]) for (const old of chunks.slice(0, 1_000)) old.fill(0);
    }
    expect(frames).toEqual([
      { head: '{"a":1}', parts },
      { head: '{"b":2}', parts: [] },
    ]);
  });

  it("are parsed to frames or a FrameError, for any bytes [B5.frames]", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 1, max: 40 }), (bytes, size) => {
        // Keeps the length small, so that later checks are reached too.
        bytes.fill(0, 0, 3);
        try {
          for (const { parts } of readAll(bytes, [size])) expect(parts.length).toBeLessThanOrEqual(3);
        } catch (error) {
          expect(error).toBeInstanceOf(FrameError);
        }
      }),
      { numRuns: 500 },
    );
  });
});
