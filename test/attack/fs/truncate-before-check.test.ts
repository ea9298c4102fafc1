import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { errorName, toBytes } from "../../support/bridge-context.ts";
import { diskCall } from "../../support/disk-call.ts";

describe("attack: a refused write has already emptied the file", () => {
  it("leaves the file behind a link unchanged, contents and times [C4.truncate]", async () => {
    const { answer, outside, contents } = await diskCall({ link: { link: "$outside/secret.txt" }, "a.txt": "a" });
    expect(errorName(await answer("fs.writeFile", { path: "link" }, toBytes("")))).toBe("NotCapable");
    expect(errorName(await answer("fs.copyFile", { from: "a.txt", to: "link" }))).toBe("NotCapable");
    expect(errorName(await answer("fs.truncate", { path: "link" }))).toBe("NotCapable");
    expect(await contents(join(outside, "secret.txt"))).toBe("secret");
  });

  it("leaves a file that may not be replaced unchanged [C4.truncate]", async () => {
    const { answer, contents, workspace } = await diskCall({ "a.txt": "a" });
    expect(errorName(await answer("fs.writeFile", { path: "a.txt", createNew: true }, toBytes("")))).toBe("AlreadyExists");
    expect(errorName(await answer("fs.copyFile", { from: "none", to: "a.txt" }))).toBe("NotFound");
    expect(await contents(join(workspace, "a.txt"))).toBe("a");
  });

  it("leaves the file unchanged when it is copied onto itself, also through a link", async () => {
    const { answer, contents, workspace } = await diskCall({ "a.txt": "a", link: { link: "a.txt" } });
    expect(await answer("fs.copyFile", { from: "a.txt", to: "link" })).toMatchObject({ ok: true });
    expect(await contents(join(workspace, "a.txt"))).toBe("a");
  });
});
