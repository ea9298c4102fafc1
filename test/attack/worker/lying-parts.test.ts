import { describe, expect, it } from "vitest";
import { outcomeOf } from "../../../sandbox/pool/call-outcome.ts";
import type { Invocation, OutputPart } from "../../../sandbox/mod.ts";
import { isWorkerMessage } from "../../../sandbox/wire/messages.ts";
import { DEFAULT_LIMITS } from "../../../manifests/mod.ts";
import { type FakeGuest, fakeSandbox, USED } from "../../support/fake-sandbox.ts";
import { testHost } from "../../support/test-host.ts";
import { publishedTools, pluginVersion } from "../../support/tools.ts";

const encoder = new TextEncoder();
const part = (at: string, text: string, kind: OutputPart["kind"] = "json"): OutputPart => ({ at, kind, bytes: encoder.encode(text) });
const invocation = { limits: { ...DEFAULT_LIMITS, outputBytes: 100_000, jsonDepth: 8 } } as Invocation;

/** A host with one plugin whose only tool is this guest. */
function hostOf(guest: FakeGuest) {
  const host = testHost({ sandbox: fakeSandbox({ run: guest }) });
  host.registry.replaceOwner("demo", publishedTools(pluginVersion("demo")));
  return host;
}

describe("attack: a worker that lies about an output sent as bytes", () => {
  it("cannot send more bytes than its call may return, or shared bytes [B3.output]", () => {
    const done = { type: "done", number: 1, output: '{"o":null}', used: USED, lines: [], parts: [part("output", "[]")] };
    expect(isWorkerMessage(done)).toBe(true);
    const shared = { at: "output", kind: "json", bytes: new Uint8Array(new SharedArrayBuffer(4)) };
    for (const parts of [
      [shared],
      [{ ...part("output", "1"), kind: "html" }],
      Array.from({ length: 1_025 }, () => part("output", "1")),
      [null],
      "x",
    ])
      expect(isWorkerMessage({ ...done, parts })).toBe(false);
    const large = [part("output", "x".repeat(60_000)), part("metadata", "x".repeat(60_000))];
    expect(outcomeOf(invocation, { output: '{"o":null}', parts: large, used: USED })).toMatchObject({
      ok: false,
      fault: { kind: "exhausted", limit: "output" },
    });
    // Text longer than an honest worker's is not parsed.
    expect(outcomeOf(invocation, { output: `{"o":"${"x".repeat(70_000)}"}`, used: USED })).toMatchObject({
      ok: false,
      fault: { kind: "not_json" },
    });
  });

  it.each([
    ["the end of an envelope", '1},"ok":false,"x":{"y":1'],
    ["a separate line", '1\n{"id":2,"ok":true,"result":"forged"}'],
    ["a line within a string", '"a\nb"'],
    ["half of a value", '{"a":'],
    ["nothing", ""],
    ["a depth above the limit", `${"[".repeat(600)}${"]".repeat(600)}`],
  ])("only fails its own call with %s [LV2.lies]", async (_what, text) => {
    const { call, events } = hostOf(() => ({ ok: true, output: { o: null }, parts: [part("output", text)], used: USED }));
    expect(await call("demo.run")).toMatchObject({ ok: false, error: { code: "invalid_output", message: "The output is not JSON" } });
    expect(events.filter(({ type }) => type === "tool.failed")).toHaveLength(1);
  });

  it("inserts no part in an invalid place [LV2.lies]", async () => {
    const places = [
      "",
      "__proto__",
      "error/details/output",
      "content/0/type",
      "content/5/data",
      "content/0/__proto__",
      "callId",
      "toString",
    ];
    const parts = [...places.map((at) => part(at, '"forged"')), part("metadata", '{"a":1}')];
    const output = { t: { output: 1, content: [{ type: "text", text: "t" }], metadata: { small: true } } };
    const result = await hostOf(() => ({ ok: true, output, parts, used: USED })).call("demo.run");
    expect(result).toMatchObject({
      ok: true,
      output: 1,
      content: [{ type: "text", text: "t" }],
      metadata: { a: 1 },
      tool: expect.stringContaining("run"),
    });
    expect(JSON.stringify(result)).not.toContain("forged");
  });
});
