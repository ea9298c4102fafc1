/** Requirements for every source of tools, shown with the same four foreign tools (SPEC K1-K3). */

import { describe, expect, it } from "vitest";
import type { Host } from "../../host/mod.ts";
import type { ToolSourceName } from "../../host/tools/tool.ts";

/** Names of the tools in the host; the first three do as they are named. */
export interface SourceUnderTest extends AsyncDisposable {
  readonly host: Host;
  /** `add({ a, b })` answers `{ sum }`; `a` and `b` are required integers. Counts its calls. */
  readonly added: () => number;
  /** Resolves once `wait()` was told to stop; `wait()` does not answer before. */
  readonly stopped: Promise<void>;
  /** Names in the host of `add`, `boom` (it throws) and `wait`. */
  readonly nameOf: (tool: "add" | "boom" | "wait") => string;
}

export function sourceSuite(source: ToolSourceName, open: () => Promise<SourceUnderTest>): void {
  describe(`tools of source ${source}`, () => {
    it("are listed with source, tag, schema and side effects [R3] [K2.source]", async () => {
      await using under = await open();
      const listing = under.host.list({ source }).find(({ qualifiedName }) => qualifiedName === under.nameOf("add"));
      expect(listing).toMatchObject({
        source,
        description: "Adds two numbers",
        tags: expect.arrayContaining([`source:${source}`]) as unknown,
        inputSchema: {
          type: "object",
          properties: { a: { type: "integer" }, b: { type: "integer" } },
          required: ["a", "b"],
        },
        enabled: true,
      });
    });

    it("return their answers, and get only valid arguments [S3.source]", async () => {
      await using under = await open();
      const { host, nameOf, added } = under;
      expect(await host.call(nameOf("add"), { a: 1, b: 2 }, ALLOWED)).toMatchObject({ ok: true, output: { sum: 3 } });
      expect(await host.call(nameOf("add"), { a: 1, b: "2" }, ALLOWED)).toMatchObject({ ok: false, error: { code: "invalid_args" } });
      expect(added()).toBe(1);
    });

    it("report failures as other tools do [X4.source]", async () => {
      await using under = await open();
      expect(await under.host.call(under.nameOf("boom"), {}, ALLOWED)).toMatchObject({ ok: false, error: { code: "tool_failed" } });
    });

    it("are told to stop when their call is cancelled [T3.source]", { timeout: 60_000 }, async () => {
      await using under = await open();
      const stop = new AbortController();
      const running = under.host.call(under.nameOf("wait"), {}, { ...ALLOWED, signal: stop.signal });
      for await (const event of under.host.events) if (event.type === "tool.called") break;
      stop.abort();
      await under.stopped;
      expect(await running).toMatchObject({ ok: false, error: { code: "cancelled" } });
    });

    it("are subject to the same policy and confirmation [P2.source] [E1.source]", async () => {
      await using under = await open();
      const { host, nameOf } = under;
      const remove = host.policy.addLayer("global", { name: "none of these", deny: [nameOf("add")] });
      expect(await host.call(nameOf("add"), { a: 1, b: 2 }, ALLOWED)).toMatchObject({ ok: false, error: { code: "permission_denied" } });
      remove();
      expect((await host.call(nameOf("add"), { a: 1, b: 2 }, ALLOWED)).ok).toBe(true);
    });
  });
}

/** Confirms every call: tools of untrusted sources need a confirmation. */
export const ALLOWED: { readonly confirm: () => Promise<boolean> } = { confirm: () => Promise.resolve(true) };
