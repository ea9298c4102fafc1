import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { answerOperation } from "../../../host/capabilities/mod.ts";
import { errorName, valueOf } from "../../support/bridge-context.ts";
import { diskCall } from "../../support/disk-call.ts";

describe("attack: temporary files in other places or of other users", () => {
  it("are created for this user only, each with its own name [PB1]", async () => {
    const { answer, workspace } = await diskCall({ ".tmp": { directory: true } });
    const made = await Promise.all(Array.from({ length: 50 }, () => answer("fs.makeTempFile", {})));
    const paths = made.map(valueOf);
    expect(new Set(paths).size).toBe(50);
    expect(paths.every((path) => path.startsWith(`${workspace}/.tmp/`))).toBe(true);
    expect((await stat(paths[0] ?? "")).mode & 0o777).toBe(0o600);
    const folder = await answer("fs.makeTempDir", { dir: "." });
    expect((await stat(join(workspace, valueOf(folder)))).mode & 0o777).toBe(0o700);
  });

  it("are created exclusively even if the name was guessed, and never through a link [PB1]", async () => {
    const call = await diskCall({ ".tmp/0101010101010101": "mine", ".tmp/a0101010101010101": { link: "$outside/new.txt" } });
    const random = { ...call.context.platform.random, bytes: (length: number) => new Uint8Array(length).fill(1) };
    const context = { ...call.context, platform: { ...call.context.platform, random } };
    for (const name of ["fs.makeTempFile", "fs.makeTempDir"]) {
      for (const prefix of ["", "a"])
        expect(errorName(await answerOperation({ name, args: { prefix } }, context)), `${name} ${prefix}`).toBe("AlreadyExists");
    }
    expect(await call.contents(join(call.workspace, ".tmp/0101010101010101"))).toBe("mine");
    expect(await readdir(call.outside)).toEqual(["secret.txt"]);
  });

  it.each([
    { prefix: "../" },
    { suffix: "/../../x" },
    { prefix: "a/b" },
    { prefix: "..\\" },
    { dir: "../outside" },
    { dir: "link" },
    { dir: "/tmp" },
    { suffix: "\0" },
  ])("creates nothing elsewhere with %j [PB1, C4]", async (options) => {
    const { answer, modified } = await diskCall({ ".tmp": { directory: true }, link: { link: "$outside" } });
    for (const name of ["fs.makeTempFile", "fs.makeTempDir"])
      expect(["NotCapable", "TypeError", "Error"]).toContain(errorName(await answer(name, options)));
    expect(modified).toEqual([]);
  });
});
