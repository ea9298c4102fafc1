/**
 * The bridge of `context.data`: a key-value store and a database of one plugin in one project (SPEC AX3).
 *
 * Both are one SQLite file beside the plugin's `$data` folder, and need the permission for that folder: `read` to look, `write` to change. The
 * statements travel as bytes that the host never parses.
 */

import { answer, failure } from "../answer.ts";
import type { Bridge, BridgeContext } from "../bridge.ts";
import { type Denial, checkPath } from "../checked.ts";
import { act } from "../files/file-act.ts";
import { operation } from "../operation.ts";
import type { HostAnswer } from "../../../sandbox/mod.ts";

export const dataBridge: Bridge = {
  name: "data",
  operations: {
    "data.read": operation({}, (_args, context, bytes) => run("read", bytes, context)),
    "data.write": operation({}, (_args, context, bytes) => run("write", bytes, context)),
  },
};

const SUBJECT = "context.data";

async function run(access: "read" | "write", body: Uint8Array | undefined, context: BridgeContext): Promise<HostAnswer> {
  const { data, limits, signal, platform } = context;
  if (data === undefined) return failure("NotSupported", "This tool belongs to no plugin, so it has no data of its own");
  if (body === undefined) return failure("TypeError", "The statements are missing");
  const checked = checkPath(access, data.folder, context);
  if (!checked.ok) return refuse(checked.denial, context);
  if (access === "write" && data.isDryRun)
    return failure("NotSupported", "A dry run changes nothing in context.data, and cannot show what it would change (reading works)");
  return await act([checked], SUBJECT, context, async () => {
    const { database, quotaBytes } = data;
    const answered = await platform.databases.run(database, { access, body, signal, quotaBytes, answerBytes: limits.operationBytes });
    return answered.ok ? answer(null, answered.bytes) : failure(answered.name, answered.message, answered.code);
  });
}

/** The usual message names a path, which no plugin writes here. */
function refuse(denial: Denial, { record }: BridgeContext): HostAnswer {
  if (denial.kind === "malformed") throw new Error("The data folder is not a path");
  record(denial.act);
  if (denial.kind === "ignored") return failure("NotCapable", `Requires access to "$data", which is denied: ${SUBJECT}`);
  const { query, verdict, message } = denial;
  const why = ADVICE.get(verdict.decidedBy.layer);
  return failure("NotCapable", why === undefined ? message : `Requires ${query.kind} access to "$data", ${why(query.kind)}`);
}

const ADVICE: ReadonlyMap<string, (kind: string) => string> = new Map([
  ["manifest", (kind: string) => `which the manifest does not request (add "$data" to "${kind}" of its "permissions")`],
  ["tool", (kind: string) => `which the tool's own "permissions" do not include (add "$data" to their "${kind}")`],
  ["class", (kind: string) => `which the tool's "sideEffects" do not include (add "${kind}" to them)`],
]);
