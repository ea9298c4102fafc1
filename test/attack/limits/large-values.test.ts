import { describe, expect, it } from "vitest";
import { createHost } from "../../../host/mod.ts";
import { largeIn } from "../../../host/primitives/json/large.ts";
import { DEFAULT_LIMITS } from "../../../manifests/mod.ts";
import { readRemoteResult } from "../../../host/routes/remote-result.ts";
import type { Outcome } from "../../../host/tools/execution.ts";
import { ToolError } from "../../../host/tools/tool-error.ts";
import { toolOutput } from "../../../host/call/tool-output.ts";
import type { Network } from "../../../host/platform/network/network-types.ts";
import type { CheckedUrl } from "../../../host/platform/proof.ts";
import { exchangeCall } from "../../../host/routes/remote-exchange.ts";
import { createRegistry } from "../../../host/tools/registry.ts";
import { copyJson } from "../../../host/primitives/json/json.ts";
import { executionOf } from "../../support/execution.ts";
import { recordHostReads } from "../../support/host-reads.ts";
import { memoryPlatform } from "../../support/memory-platform.ts";
import { hostTool } from "../../support/tools.ts";

/** Maximum size that is parsed, written or decoded at once, including the surrounding text. */
const AT_ONCE = 64 * 1024 + 4_096;
const KEYS = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`k${index}`, index]));
const TEXT = "ü is a letter of a line with some forty others\n".repeat(12_500);
const NUMBERS = { type: "array", items: { type: "integer" } } as const;

/** Runs the generator to its end; returns the outcome and the number of slices. */
function ran(work: Generator<void, Outcome>): { readonly outcome: Outcome; readonly turns: number } {
  let turns = 0;
  for (let step = work.next(); ; step = work.next()) {
    if (step.done === true) return { outcome: step.value, turns };
    turns++;
  }
}

describe("attack: a value above 64 KB that a host tool returns", () => {
  it("is copied, validated and written in slices, and stays bytes [LV2.values]", async () => {
    const image = { type: "image", data: "AAAA".repeat(50_000), mimeType: "image/png" } as const;
    const tools = [
      hostTool("keys", {}, () => KEYS),
      hostTool("text", {}, () => TEXT),
      hostTool("parts", {}, () =>
        toolOutput({ output: TEXT, content: [image, { type: "text", text: "short" }], metadata: { all: TEXT.slice(0, 70_000) } }),
      ),
      hostTool("fails", {}, () => toolOutput({ success: false, output: { message: TEXT, keys: KEYS } })),
      hostTool("wrong", { outputSchema: NUMBERS }, () => Array.from({ length: 50_000 }, (_, at) => (at === 49_999 ? "last" : at))),
    ];
    const events: { readonly type: string; readonly payload: object }[] = [];
    await using host = await createHost({ platform: memoryPlatform(), tools, events: { publish: (event) => void events.push(event) } });
    const session = host.session({ resultBytes: 64 * 1024 * 1024 });
    using reads = recordHostReads();
    const results = [];
    for (const name of ["keys", "text", "parts", "wrong", "fails"]) results.push(await host.call(name, {}, { session }));
    expect(reads.longest()).toBeLessThanOrEqual(AT_ONCE);
    reads[Symbol.dispose]();
    const [keys, text, parts, wrong, failed] = results;
    expect(keys && largeIn(keys, "output")).toBeDefined();
    expect(keys).toMatchObject({ ok: true, output: KEYS });
    expect(text).toMatchObject({ ok: true, output: TEXT });
    expect(parts).toMatchObject({
      ok: true,
      output: TEXT,
      content: [image, { type: "text", text: "short" }],
      metadata: { all: TEXT.slice(0, 70_000) },
    });
    expect(wrong).toMatchObject({
      ok: false,
      error: { code: "invalid_output", details: { errors: [{ pointer: "/49999", message: "Is string, not integer" }] } },
    });
    expect(failed).toMatchObject({
      ok: false,
      error: { code: "tool_failed", message: `${TEXT.slice(0, 4_000)}…`, details: { output: { message: TEXT, keys: KEYS } } },
    });
    const completed = events.filter(({ type }) => type === "tool.completed").map(({ payload }) => payload);
    expect(completed).toMatchObject([KEYS, TEXT, TEXT].map(() => ({ output: null, large: { bytes: expect.any(Number) } })));
  });
});

describe("attack: an error above 64 KB that a host tool throws", () => {
  it("is reported with the beginning of its message, without its details, and the log says so [LV2.errors]", async () => {
    const platform = memoryPlatform();
    const tools = [
      hostTool("throws", {}, () => {
        throw new ToolError("tool_failed", TEXT, { details: { text: TEXT } });
      }),
      hostTool("small", {}, () => {
        throw new ToolError("tool_failed", "no", { details: { text: "short" } });
      }),
    ];
    await using host = await createHost({ platform, tools });
    const message = `${TEXT.slice(0, 64 * 1024)}…`;
    expect(await host.call("throws")).toMatchObject({ ok: false, error: { code: "tool_failed", message, visible: true } });
    expect(await host.call("throws")).not.toHaveProperty("error.details");
    expect(platform.recorded.log).toContainEqual(
      expect.objectContaining({
        level: "warn",
        message: "Details of a host tool's error were left out",
        fields: expect.objectContaining({ because: "The value is larger than 65536 bytes" }) as object,
      }),
    );
    expect(await host.call("small")).toMatchObject({ ok: false, error: { message: "no", details: { text: "short" } } });
  });
});

describe("attack: an answer above 64 KB from a remote host", () => {
  const limits = DEFAULT_LIMITS;
  const facts = { used: { wallMs: 1 }, filesModified: [] };
  const answer = { remote: "there", tool: "keys", limits, facts, schema: undefined };

  it("is read in slices, and its large parts stay bytes [LV2.remote]", () => {
    const text = JSON.stringify({ ok: true, output: KEYS, content: [{ type: "text", text: TEXT.slice(0, 100_000) }], metadata: { a: 1 } });
    using reads = recordHostReads();
    const { outcome, turns } = ran(readRemoteResult(text, answer));
    expect([outcome.ok, turns > 40, reads.longest() <= AT_ONCE]).toEqual([true, true, true]);
    reads[Symbol.dispose]();
    const told = outcome.parts?.map(({ at, kind, bytes }) => [at, kind, new TextDecoder().decode(bytes)]);
    expect(told).toEqual([
      ["output", "json", JSON.stringify(KEYS)],
      ["metadata", "json", JSON.stringify({ a: 1, remote: "there" })],
      ["content/0/text", "text", TEXT.slice(0, 100_000)],
    ]);
  });

  it("is refused above the limits, and validated against the tool's schema [LV2.remote]", () => {
    const text = JSON.stringify({ ok: true, output: KEYS });
    const small = ran(readRemoteResult(text, { ...answer, limits: { ...limits, outputBytes: 100_000 } })).outcome;
    expect(small).toMatchObject({ ok: false, error: { code: "resource_exhausted" } });
    const checked = ran(readRemoteResult(text, { ...answer, schema: NUMBERS })).outcome;
    expect(checked.problems).toMatchObject([{ message: "Is object, not array" }]);
    expect(ran(readRemoteResult(`${text.slice(0, -1)}]`, answer)).outcome).toMatchObject({ ok: false, error: { code: "unavailable" } });
  });
});

describe("attack: arguments above 64 KB for a remote host", () => {
  it("are written in slices, byte for byte the same [LV2.remote]", async () => {
    const copy = copyJson({ keys: KEYS, text: TEXT }, { maxBytes: 2 ** 24, maxDepth: 8 });
    if (!copy.ok) throw new Error(copy.problem.message);
    const sent: Uint8Array[] = [];
    const exchange: Network["exchange"] = (_url, { body }) => {
      if (body instanceof Uint8Array) sent.push(body);
      return Promise.reject(new Error("far"));
    };
    // No connection is made: the address is never read.
    const url = new URL("https://far.example") as unknown as CheckedUrl;
    const execution = executionOf({
      tool: createRegistry({ newId: () => "id" }).register(hostTool("keys", {}, () => null)),
      args: copy.value,
    });
    using reads = recordHostReads();
    const exchanged = exchangeCall(url, execution, {
      ...{ network: { exchange } as Network, slices: memoryPlatform().slices, signal: execution.signal },
      ...{ token: undefined, onProgress: () => undefined, onYield: () => Promise.resolve(undefined) },
    });
    await expect(exchanged).rejects.toThrow("far");
    const longest = reads.longest();
    reads[Symbol.dispose]();
    const body = JSON.parse(new TextDecoder().decode(sent[0])) as object;
    expect(body).toEqual({ args: { keys: KEYS, text: TEXT }, tool: "keys", timeoutMs: 30_000, wait: true });
    expect([sent.length, longest <= AT_ONCE]).toEqual([1, true]);
  });
});
