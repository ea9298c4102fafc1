import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recordHostReads } from "../../support/host-reads.ts";
import { recordingHost, type RecordingHost } from "../../support/recording-host.ts";

/** Maximum size that is parsed, written or decoded at once, including the surrounding text. */
const AT_ONCE = 64 * 1024 + 4_096;
const SECRET = "a-secret-of-some-length";
const LINE = "a line of the file that is long enough to be one\n";
const MAIN = `
export async function run({ data, large }, { tools }) {
  if (!large) return "small";
  Deno.env.get("KEY");
  const text = await Deno.readTextFile("large.txt");
  const names = [...Deno.readDirSync("many")].length;
  await Deno.writeTextFile("written.txt", text);
  const echoed = await tools.call("demo.many", { count: 3_000 });
  return [data.length, text.length, names, echoed.data.length];
}
export const many = ({ count }) => ({ data: Array.from({ length: count }, (_, index) => ({ index, text: "some words that are data" })), token: "hidden" });
`;
const tool = (name: string, more: object = {}): object => ({
  ...{ name, description: "Runs", inputSchema: { type: "object" }, sideEffects: ["read"] },
  ...more,
});
const MANIFEST = {
  permissions: { read: ["$workspace"], write: ["$workspace"], tools: ["demo.many"], env: ["KEY"] },
  tools: [tool("run", { sideEffects: ["read", "write"] }), tool("many", { sideEffects: [] })],
};
const DATA = Array.from({ length: 4_000 }, (_, index) => ({ index, text: "some words that are data" }));
const TEXT = `${LINE.repeat(8_000)}the key is ${SECRET}\n`;

describe("attack: a recorded call with arguments, operations and answers above 64 KB", { timeout: 60_000 }, () => {
  let box: RecordingHost;
  beforeAll(async () => {
    box = await recordingHost(MAIN, {
      manifest: MANIFEST,
      env: { KEY: SECRET },
      grants: { demo: { read: true, write: true, tools: ["demo.many"], env: ["KEY"] } },
      config: { confirmation: { perTool: { "demo.run": "auto" } }, secrets: { KEY: { env: "KEY" } }, audit: { redact: ["token"] } },
    });
    box.platform.plant("/workspace/large.txt", TEXT);
    for (let name = 0; name < 2_000; name++) box.platform.plant(`/workspace/many/a-name-that-is-long-${String(name)}.txt`, "");
    await box.call({});
  });
  afterAll(async () => await box[Symbol.asyncDispose]());

  it("is written in slices, without secrets and hidden fields, and equal when it is read [LV2.recordings] [B8] [AU4]", async () => {
    const { read, length } = await watched();
    expect(length).toBeLessThanOrEqual(AT_ONCE);
    expect(read.ok ? read.output : read.error).toEqual([DATA.length, TEXT.length, 2_000, 3_000]);
    expect(read.recording).toEqual({ kept: true });
    const { args, operations, isRedacted } = await box.recording(read.callId);
    expect(args).toEqual({ large: true, data: DATA });
    expect(operations.map(({ name }) => name)).toEqual(["env.get", "fs.readFile", "fs.readDir", "fs.writeFile", "tools.call"]);
    const [, file, list, written, step] = operations;
    const bytes = file?.answer?.ok === true ? file.answer.bytes : undefined;
    expect(new TextDecoder().decode(bytes)).toBe(TEXT.replace(SECRET, "[secret KEY]"));
    expect(list?.answer).toMatchObject({ ok: true, value: expect.objectContaining({ length: 2_000 }) });
    expect(written?.sent).toMatchObject({ length: TEXT.length });
    const echoed = { data: DATA.slice(0, 3_000), token: "[redacted]" };
    expect(step).toMatchObject({
      args: { name: "demo.many", args: { count: 3_000 } },
      answer: { ok: true, value: { ok: true, output: echoed } },
    });
    expect(isRedacted).toBe(true);
  });

  it("is not kept if the embedding program's own function redacts, and the result says so [LV2.recordings]", async () => {
    await using own = await recordingHost(MAIN, { manifest: MANIFEST, events: { redact: (value) => value } });
    const result = await own.call({ large: false, data: DATA });
    expect(result.recording).toEqual({
      kept: false,
      reason: "a value is larger than 65536 bytes, which the embedding program's own redaction cannot process",
    });
    expect((await own.call({})).recording).toEqual({ kept: true });
  });

  async function watched(): Promise<{ readonly read: Awaited<ReturnType<RecordingHost["call"]>>; readonly length: number }> {
    const text = JSON.stringify({ large: true, data: DATA });
    const args = JSON.parse(text) as never;
    using reads = recordHostReads();
    const read = await box.call(args);
    return { read, length: reads.longest() };
  }
});
