import { describe, expect, it } from "vitest";
import { createHost, type Log, type Permissions } from "../../../host/mod.ts";

const SILENT: Log = { write: () => {}, child: () => SILENT };

describe("attack: a denial from code cannot be enforced", () => {
  it.each(["[s]ecret", "{secret}", "$nope/secret"])("%j is refused instead of silently dropped [C4.pattern]", async (item) => {
    for (const plugin of ["*", "words"]) {
      const grants = { [plugin]: { read: { allow: true, deny: [item] } } };
      await expect(createHost({ config: false, grants, logger: SILENT })).rejects.toMatchObject({
        name: "ProjectConfigError",
        problems: [{ pointer: `/${plugin}/read/deny/0` }],
      });
    }
  });

  it("refuses an unknown kind [PA1.unknown]", async () => {
    // A program without types may pass this.
    const grants = { words: { reed: true } as Permissions };
    await expect(createHost({ config: false, grants, logger: SILENT })).rejects.toThrow('"reed" is not a kind of permission');
  });
});
