/** `deno run` without permissions, one process for each call. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runForText } from "./child-process.ts";
import type { Peer } from "./peer.ts";
import { expressionOf, SCRIPT, TOOLS } from "./work.ts";

export const denoRun: Peer = {
  id: "deno-run",
  name: "`deno run` per call",
  fresh: "process",
  gives: { boundary: "process with Deno's permissions", limits: "by ending the process", runs: "in a process" },
  async start() {
    const folder = await mkdtemp(join(tmpdir(), "bascule-peer-"));
    const file = join(folder, "main.js");
    const tools = TOOLS.map((tool) => `${tool}: (args) => ${expressionOf(tool, "args")}`).join(", ");
    await writeFile(file, `${SCRIPT}\nconsole.log({ ${tools} }[Deno.args[0]](JSON.parse(Deno.args[1])));`);
    return {
      fresh: (tool, argsText) => runForText("deno", ["run", "--no-prompt", "--quiet", file, tool, argsText]),
      close: () => rm(folder, { recursive: true, force: true }),
    };
  },
};
