import { describe, expect, it } from "vitest";
import { createMemoryPlatform } from "../../../../host/platform/memory/memory.ts";

describe("createMemoryPlatform()", () => {
  it("reports changes below the root of the file system [H3]", async () => {
    const { files, watcher } = createMemoryPlatform({ files: { "/plugins/words/main.ts": "x" } });
    const seen: string[] = [];
    const watching = await watcher.watch(
      ["/"],
      (path) => seen.push(path),
      (error) => expect.unreachable(error.message),
    );
    await files.writeAtomic("/plugins/words/main.ts", "y");
    await watching.close();
    expect(seen).toContain("/plugins/words/main.ts");
  });

  it("does not move the root of the file system into itself [C4]", async () => {
    const { files } = createMemoryPlatform({ files: { "/plugins/words/main.ts": "x" } });
    await expect(files.rename("/", "/plugins/words/inside")).rejects.toMatchObject({ code: "invalid_path" });
    expect(await files.readText("/plugins/words/main.ts")).toBe("x");
  });
});
