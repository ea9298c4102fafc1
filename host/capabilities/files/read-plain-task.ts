/** Service-thread task: reads many plain files, so that neither the host's thread nor its event loop is taken for each (SPEC AX3, LV2). */

import type { ServiceTask, TaskEnvironment } from "../../primitives/service/task.ts";

/** Paths that were checked, and lead to themselves. */
interface PlainFilesWanted {
  readonly paths: readonly string[];
  readonly fileBytes: number;
  readonly totalBytes: number;
}

export const READ_PLAIN: ServiceTask<typeof readPlainTask> = { name: "files.read-plain", run: readPlainTask };

const AT_ONCE = 50;

/** @returns the contents one after the other, and the length of each; -1 for a file that was left out */
async function readPlainTask(
  { paths, fileBytes, totalBytes }: PlainFilesWanted,
  { files, turn }: Pick<TaskEnvironment, "files" | "turn">,
): Promise<{ readonly lengths: readonly number[]; readonly bytes: Uint8Array }> {
  const read: (Uint8Array | undefined)[] = [];
  let total = 0;
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    const some = files.readPlain(paths.slice(at, at + AT_ONCE), { fileBytes, totalBytes: totalBytes - total });
    total += some.reduce((sum, one) => sum + (one?.length ?? 0), 0);
    read.push(...some);
    await turn();
  }
  const bytes = new Uint8Array(total);
  let at = 0;
  for (const one of read) {
    if (one === undefined) continue;
    bytes.set(one, at);
    at += one.length;
  }
  return { lengths: read.map((one) => one?.length ?? -1), bytes };
}
