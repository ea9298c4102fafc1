/**
 * Slow input for work that the worker itself does for a guest (URLs, queries, codecs, hashes, Intl). Running code of the runtime cannot
 * be ended, not even with its thread, so each operation must be short: the call ends at its deadline, and the worker survives.
 */

import { afterEach, describe, expect, it } from "vitest";
import { outputOf, startSandbox, type TestSandbox } from "../../support/sandbox.ts";

/** Bodies of a tool. A single operation of the first group took seconds to minutes; the second group repeats short ones forever. */
const SLOW: Readonly<Record<string, string>> = {
  queryPairs: `for (;;) new URLSearchParams("&a".repeat(3_000_000));`,
  queryOfUrl: `for (;;) new URL("http://a/?" + "&a".repeat(500_000)).searchParams;`,
  formPairs: `return new Response("&a".repeat(3_000_000), { headers: { "content-type": "application/x-www-form-urlencoded" } }).formData().then(() => { for (;;); });`,
  queryText: `const p = new URLSearchParams(); for (let i = 0; i < 200_000; i++) p.append("", ""); for (;;) String(p);`,
  variants: `const tag = "en" + Array.from({ length: 30_000 }, (_, i) => "-1" + i.toString(36).padStart(4, "0")).join(""); for (;;) try { Intl.getCanonicalLocales(tag); } catch {}`,
  variantsOfLocale: `const tag = "en" + Array.from({ length: 30_000 }, (_, i) => "-1" + i.toString(36).padStart(4, "0")).join(""); for (;;) try { new Intl.Locale(tag); } catch {}`,
  variantsOfName: `const tag = "en" + Array.from({ length: 30_000 }, (_, i) => "-1" + i.toString(36).padStart(4, "0")).join(""); const names = new Intl.DisplayNames("en", { type: "language" }); for (;;) try { names.of(tag); } catch {}`,
  locales: `const tags = Array.from({ length: 20_000 }, (_, i) => "aa-x-" + i); for (;;) try { Intl.NumberFormat.supportedLocalesOf(tags); } catch {}`,
  segments: `const text = "a b ".repeat(240_000); const cut = new Intl.Segmenter("en", { granularity: "word" }); for (;;) cut.segment(text)[Symbol.iterator]().next();`,
  list: `const list = Array(60_000).fill("a"); for (;;) try { new Intl.ListFormat("en").formatToParts(list); } catch {}`,
  collate: `const text = "é".repeat(120_000); for (;;) (text + "a").localeCompare(text + "b", "de", { numeric: true });`,
  hostName: `for (;;) URL.canParse("http://" + "é".repeat(130_000));`,
  path: `for (;;) try { new URL("http://a" + "/b/..".repeat(400_000)); } catch {}`,
  legacyText: `const bytes = new Uint8Array(4 << 20).map((_, i) => i * 7919); for (;;) new TextDecoder("gb18030").decode(bytes);`,
  streamedText: `const bytes = new Uint8Array(4 << 20).map((_, i) => i * 7919); for (;;) new TextDecoder("utf-8").decode(bytes, { stream: true });`,
  zeros: `const bytes = new Uint8Array(1 << 20); for (;;) new TextDecoder().decode(bytes);`,
  atobZeros: `const text = "A".repeat(1 << 20); for (;;) atob(text);`,
  compress: `const bytes = crypto.getRandomValues(new Uint8Array(65_536)); const blob = new Blob(Array(60).fill(bytes)); const again = () => new Response(blob.stream().pipeThrough(new CompressionStream("gzip"))).bytes().then(again); return again();`,
  decompress: `const zeros = new Blob([new Uint8Array(4 << 20)]).stream(); return new Response(zeros.pipeThrough(new CompressionStream("gzip"))).bytes().then((packed) => { const again = () => new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).bytes().then(again); return again(); });`,
  toBase64: `const bytes = new Uint8Array(4 << 20); for (;;) bytes.toBase64();`,
  fromBase64: `const text = "A".repeat(4 << 20); for (;;) Uint8Array.fromBase64(text);`,
  hex: `const bytes = new Uint8Array(2 << 20); for (;;) Uint8Array.fromHex(bytes.toHex());`,
  json: `const text = "[" + "{},".repeat(1_000_000); for (;;) try { JSON.parse(text); } catch {}`,
  formatters: `for (let i = 0; ; i++) new Intl.DateTimeFormat("en-x-a" + (i % 1000), { dateStyle: "full", timeZone: "Asia/Tokyo" }).format(0);`,
};

const CPU_MS = 60;
/** Retries, because on a loaded machine a worker may wait so long for a processor that it is ended. */
const ATTEMPTS = 4;

let box: TestSandbox;
afterEach(async () => {
  expect(box.defects).toEqual([]);
  await box[Symbol.asyncDispose]();
});

/** Runs one kind. Returns how it ended, and whether its worker was replaced. */
async function endOf(name: string): Promise<{ fault: string; replaced: boolean; canary: unknown }> {
  const before = Math.max(2, box.workersStarted);
  const outcome = await box.call("bad", name, { limits: { cpuMs: CPU_MS, wallMs: 30_000 } });
  const canary = outputOf(await box.call("bad", "canary"));
  const fault = outcome.ok ? "returned" : "limit" in outcome.fault ? `${outcome.fault.kind} ${outcome.fault.limit}` : outcome.fault.kind;
  return { fault, replaced: box.workersStarted > before, canary };
}

describe("attack: slow operations of the worker itself", () => {
  it("end at the call's deadline, and the worker survives [B3.survive] [B1.worker]", { timeout: 120_000 }, async () => {
    box = startSandbox({ maximumWorkers: 1 });
    const tools = Object.entries(SLOW).map(([name, body]) => `export function ${name}() { ${body} }`);
    expect(await box.load("bad", `${tools.join("\n")}\nexport function canary() { return 1; }`)).toMatchObject({ ok: true });
    const wrong: Record<string, unknown> = {};
    for (const name of Object.keys(SLOW)) {
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const end = await endOf(name);
        if (end.fault === "timeout cpu" && !end.replaced && end.canary === 1) break;
        if (attempt === ATTEMPTS) wrong[name] = end;
      }
    }
    expect(wrong).toEqual({});
  });
});
