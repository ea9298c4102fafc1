/**
 * Every command, in the order in which `--help` shows them. A command is one file here and one line below; what it needs is
 * loaded when it runs, or each would pay for all of them.
 */

import type { Command } from "../command.ts";

export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  init: async () => (await import("./init.ts")).initCommand,
  dev: async () => (await import("./dev.ts")).devCommand,
  serve: async () => (await import("./serve.ts")).serveCommand,
  runner: async () => (await import("./runner.ts")).runnerCommand,
  mcp: async () => (await import("./mcp.ts")).mcpCommand,
  "client-config": async () => (await import("./client-config.ts")).clientConfigCommand,
  list: async () => (await import("./list.ts")).listCommand,
  info: async () => (await import("./info.ts")).infoCommand,
  call: async () => (await import("./call.ts")).callCommand,
  bench: async () => (await import("./bench.ts")).benchCommand,
  check: async () => (await import("./check.ts")).checkCommand,
  types: async () => (await import("./types.ts")).typesCommand,
  export: async () => (await import("./export.ts")).exportCommand,
  test: async () => (await import("./test.ts")).testCommand,
  replay: async () => (await import("./replay.ts")).replayCommand,
  vendor: async () => (await import("./vendor.ts")).vendorCommand,
  pack: async () => (await import("./pack.ts")).packCommand,
  add: async () => (await import("./add.ts")).addCommand,
  sign: async () => (await import("./sign.ts")).signCommand,
  remove: async () => (await import("./remove.ts")).removeCommand,
  accept: async () => (await import("./accept.ts")).acceptCommand,
  rollback: async () => (await import("./rollback.ts")).rollbackCommand,
  grant: async () => (await import("./grant.ts")).grantCommand,
  revoke: async () => (await import("./revoke.ts")).revokeCommand,
  grants: async () => (await import("./grants.ts")).grantsCommand,
  settings: async () => (await import("./settings.ts")).settingsCommand,
  why: async () => (await import("./why.ts")).whyCommand,
  learn: async () => (await import("./learn.ts")).learnCommand,
  "mcp-servers": async () => (await import("./mcp-servers.ts")).mcpServersCommand,
  approve: async () => (await import("./approve.ts")).approveCommand,
  deny: async () => (await import("./approve.ts")).denyCommand,
  commit: async () => (await import("./commit.ts")).commitCommand,
  undo: async () => (await import("./undo.ts")).undoCommand,
  audit: async () => (await import("./audit.ts")).auditCommand,
  reload: async () => (await import("./reload.ts")).reloadCommand,
  doctor: async () => (await import("./doctor.ts")).doctorCommand,
};

/** Loads all of them, for help. */
export function allCommands(): Promise<readonly Command[]> {
  return Promise.all(Object.values(COMMANDS).map((load) => load()));
}
