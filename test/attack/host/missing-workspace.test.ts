import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createHost, type Log } from "../../../host/mod.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const SILENT: Log = { write: () => {}, child: () => SILENT };

describe("attack: a session whose workspace does not exist", () => {
  it("returns results without rejections, and works when the folder exists [D1.never-rejects] [I1]", async () => {
    const folder = await temporaryFolder();
    const workspace = join(folder, "later");
    await using host = await createHost({ config: false, workspace: folder, logger: SILENT });
    const session = host.session({ workspace });
    expect(await host.call("echo", { text: "x" }, { session })).toMatchObject({ ok: true });
    expect(await host.call("read_file", { path: "a.txt" }, { session })).toMatchObject({ ok: false });
    expect(await host.callAll([{ tool: "read_file", args: { path: "a.txt" } }], { session })).toMatchObject([{ ok: false }]);
    await mkdir(workspace);
    await writeFile(join(workspace, "a.txt"), "there now");
    expect(await host.call("Read", { path: "a.txt" }, { session })).toMatchObject({ ok: true, output: { content: "there now" } });
    await rm(workspace, { recursive: true });
    expect(await host.call("read_file", { path: "a.txt" }, { session })).toMatchObject({ ok: false });
  });
});
