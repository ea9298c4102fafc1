import { describe, expect, it } from "vitest";
import { createHost, type Log } from "../../../host/mod.ts";

const SILENT: Log = { write: () => {}, child: () => SILENT };

describe("attack: a program that opens an unlimited number of hosts", () => {
  it("adds no listeners to the process's streams [D1.global] [H9.leaks]", { timeout: 180_000 }, async () => {
    const count = (): number => process.stdout.listenerCount("error") + process.stderr.listenerCount("error");
    const openOne = async (): Promise<void> => {
      await using host = await createHost({ config: false, logger: SILENT });
      expect(await host.call("echo", { text: "x" })).toMatchObject({ ok: true });
    };
    await openOne();
    const before = count();
    for (let index = 0; index < 12; index++) await openOne();
    expect(count()).toBe(before);
  });
});
