import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { diskCall } from "../../support/disk-call.ts";

describe("attack: a file grows while it is read", () => {
  it("returns at most the bound, or an error [B3]", async () => {
    const { answer, workspace, context } = await diskCall({ "log.txt": "x" });
    const cap = context.limits.operationBytes;
    let growing = true;
    const growth = (async () => {
      const chunk = new Uint8Array(64 * 1024);
      for (let written = 0; growing && written < 4 * cap; written += chunk.length) await appendFile(join(workspace, "log.txt"), chunk);
    })();
    for (let round = 0; round < 100; round += 1) {
      const read = await answer("fs.readFile", { path: "log.txt" });
      if (read.ok) expect(read.bytes?.length).toBeLessThanOrEqual(cap);
      else expect(read.error.code).toBe("EFBIG");
    }
    growing = false;
    await growth;
  });
});
