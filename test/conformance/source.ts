/** What every source of tools must make of the same four foreign tools, whatever shape they came in (SPEC K1-K3). */

import { describe, expect, it } from "vitest";
import type { Host } from "../../host/mod.ts";
import type { ToolSourceName } from "../../host/tools/tool.ts";

/** What the tools are called in the host; the first three take what their names say. */
export interface SourceUnderTest extends AsyncDisposable {
  readonly host: Host;
  /** `add({ a, b })` answers `{ sum }`; `a` and `b` are required integers. Counts how often it ran. */
  readonly added: () => number;
  /** Resolves once `wait()` was told to stop. It answers nothing before. */
  readonly stopped: Promise<void>;
  /** The name in the host of `add`, `boom` (it throws) and `wait`. */
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

    it("answer what they answer, and get no arguments that do not fit [S3.source]", async () => {
      await using under = await open();
      const { host, nameOf, added } = under;
      expect(await host.call(nameOf("add"), { a: 1, b: 2 }, ALLOWED)).toMatchObject({ ok: true, output: { sum: 3 } });
      expect(await host.call(nameOf("add"), { a: 1, b: "2" }, ALLOWED)).toMatchObject({ ok: false, error: { code: "invalid_args" } });
      expect(added()).toBe(1);
    });

    it("fail as tools fail [X4.source]", async () => {
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

    it("stand under the same policy and confirmation [P2.source] [E1.source]", async () => {
      await using under = await open();
      const { host, nameOf } = under;
      const remove = host.policy.addLayer("global", { name: "none of these", deny: [nameOf("add")] });
      expect(await host.call(nameOf("add"), { a: 1, b: 2 }, ALLOWED)).toMatchObject({ ok: false, error: { code: "permission_denied" } });
      remove();
      expect((await host.call(nameOf("add"), { a: 1, b: 2 }, ALLOWED)).ok).toBe(true);
    });
  });
}

/** Somebody who agrees: sources that are not trusted ask. */
export const ALLOWED: { readonly confirm: () => Promise<boolean> } = { confirm: () => Promise.resolve(true) };
