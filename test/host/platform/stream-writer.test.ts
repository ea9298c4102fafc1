import { describe, expect, it } from "vitest";
import { BoundedLines } from "../../../host/platform/network/bounded-lines.ts";
import { StreamWriter, toWritable } from "../../../host/platform/stream-writer.ts";

const PIECE = 65_536;
const ROOM = 1024 * 1024;

/** Creates a writer whose stream accepts a piece when the test calls `take`. */
function startWriter() {
  const pieces: string[] = [];
  let done: ((error?: unknown) => void) | undefined;
  const writer = new StreamWriter({
    write(bytes, end) {
      pieces.push(new TextDecoder().decode(bytes));
      done = end;
    },
    writeLast: (bytes) => void pieces.push(`last ${new TextDecoder().decode(bytes)}`),
  });
  /** Completes the current piece; the next one starts in the next turn. */
  async function take(error?: unknown): Promise<void> {
    done?.(error);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { writer, pieces, take };
}

describe("StreamWriter", () => {
  it("writes one piece at a time and yields before the next [LV1.streams]", async () => {
    const { writer, pieces, take } = startWriter();
    for (const text of ["a", "b", "c"]) writer.write(text);
    expect([pieces, writer.length]).toEqual([["a"], 2]);
    await take();
    expect([pieces, writer.length]).toEqual([["a", "bc"], 0]);
    await take();
    writer.write("d");
    expect(pieces).toEqual(["a", "bc", "d"]);
  });

  it("writes all of a result in pieces that split no character [LV2.streams]", async () => {
    const { writer, pieces, take } = startWriter();
    const text = `${"x".repeat(PIECE - 1)}\u{1f600}${"y".repeat(PIECE)}`;
    writer.write(text);
    for (let piece = 0; piece < 4; piece++) await take();
    expect(pieces.join("")).toBe(text);
    expect(pieces.map(({ length }) => length)).toEqual([PIECE + 1, PIECE]);
  });

  it("waits at the end until everything is written, but not for a stalled stream [LV1.streams]", async () => {
    const { writer, pieces, take } = startWriter();
    for (const text of ["a", "b"]) writer.write(text);
    const told: string[] = [];
    const settled = writer.settled(60_000).then(() => told.push("settled"));
    await take();
    expect(told).toEqual([]);
    await take();
    await settled;
    expect(pieces).toEqual(["a", "b"]);
    writer.write("c");
    await writer.settled(10);
    expect([pieces, told]).toEqual([["a", "b", "c"], ["settled"]]);
  });

  it("resolves drained() when little text is waiting or the signal fires [LV1.streams]", async () => {
    const { writer, take } = startWriter();
    writer.write("x".repeat(3 * PIECE));
    const told: string[] = [];
    const stop = new AbortController();
    void writer.drained(PIECE).then(() => told.push("drained"));
    void writer.drained(0, stop.signal).then(() => told.push("stopped"));
    stop.abort();
    await take();
    expect(told).toEqual(["stopped"]);
    await take();
    expect(told).toEqual(["stopped", "drained"]);
  });

  it("limits a plugin's lines to the free room and gives all of it to the host's lines [LV3.streams]", () => {
    const { writer } = startWriter();
    // This text is already being written, so it takes no room.
    writer.write("first");
    const line = "x".repeat(ROOM / 8);
    const taken = (owner?: string): number => {
      let lines = 0;
      while (lines < 20 && writer.offer(line, owner)) lines++;
      return lines;
    };
    expect([taken("a"), taken("b"), taken("c"), taken(), writer.length]).toEqual([4, 2, 1, 1, ROOM]);
  });

  it("stops writing after the reader is gone and continues after other errors [LV1.streams]", async () => {
    const full = startWriter();
    const failures: unknown[] = [];
    full.writer.onFailure((error) => failures.push(error));
    full.writer.write("a");
    full.writer.write("b");
    await full.take({ code: "ENOSPC" });
    expect([full.pieces, failures]).toEqual([["a", "b"], [{ code: "ENOSPC" }]]);

    const gone = startWriter();
    gone.writer.write("a");
    gone.writer.write("b");
    await gone.take({ code: "EPIPE" });
    gone.writer.write("c");
    expect([gone.pieces, gone.writer.length]).toEqual([["a"], 0]);
  });

  it("writes waiting text at the end of the process if that does not block [LV1.streams]", () => {
    const { writer, pieces } = startWriter();
    writer.write("a");
    writer.write("b");
    writer.writeLast();
    expect(pieces).toEqual(["a", "last b"]);
  });

  it("applies back-pressure as a stream [LV1.streams]", async () => {
    const { writer, take } = startWriter();
    const stream = toWritable(writer);
    stream.write("x".repeat(3 * PIECE));
    expect(stream.write("y")).toBe(false);
    expect(writer.length).toBe(2 * PIECE);
    await take();
    await take();
    expect(writer.length).toBe(1);
  });
});

describe("BoundedLines", () => {
  it("drops lines that a slow stream cannot take and reports their number in one line [LV1.logs]", async () => {
    const { writer, pieces, take } = startWriter();
    const lines = new BoundedLines(writer, (text) => `(${text})\n`);
    const line = `${"x".repeat(1023)}\n`;
    for (let count = 0; count < 1_000_000; count++) lines.add(line, "plugin");
    expect(writer.length).toBe(ROOM / 2);
    while (writer.length > 0) await take();
    expect(pieces.join("").split("\n").slice(-3)).toEqual(["x".repeat(1023), "(1,000,000 lines, 999,487 dropped)", ""]);
    await take();
    lines.add("later\n", "plugin");
    expect(pieces.at(-1)).toBe("later\n");
  });
});
