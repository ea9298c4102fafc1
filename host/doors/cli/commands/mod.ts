/**
 * All commands, in the order and under the headings of `--help`. Each command is one file in this folder and one line below. A command is
 * imported when it runs, which keeps the start of every other command fast. Those that a running host answers are part of every start.
 */

import type { ClientCommand, Command } from "../command.ts";
import { callCommand } from "./call.ts";
import { listCommand } from "./list.ts";

type Load = () => Promise<Command>;

/** Commands that a running host answers. They start without the rest of the platform. */
export const CLIENT_COMMANDS: ReadonlyMap<string, ClientCommand> = new Map([listCommand, callCommand].map((each) => [each.name, each]));

const COMMAND_GROUPS: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  "Get started": {
    init: async () => (await import("./init.ts")).initCommand,
    dev: async () => (await import("./dev.ts")).devCommand,
    list: async () => listCommand,
    search: async () => (await import("./search.ts")).searchCommand,
    info: async () => (await import("./info.ts")).infoCommand,
    call: async () => callCommand,
  },
  "Write plugins": {
    check: async () => (await import("./check.ts")).checkCommand,
    types: async () => (await import("./types.ts")).typesCommand,
    manifest: async () => (await import("./manifest.ts")).manifestCommand,
    test: async () => (await import("./test.ts")).testCommand,
    bench: async () => (await import("./bench.ts")).benchCommand,
    replay: async () => (await import("./replay.ts")).replayCommand,
    trace: async () => (await import("./trace.ts")).traceCommand,
    vendor: async () => (await import("./vendor.ts")).vendorCommand,
    learn: async () => (await import("./learn.ts")).learnCommand,
    pack: async () => (await import("./pack.ts")).packCommand,
    sign: async () => (await import("./sign.ts")).signCommand,
  },
  "Manage plugins": {
    add: async () => (await import("./add.ts")).addCommand,
    update: async () => (await import("./update.ts")).updateCommand,
    remove: async () => (await import("./remove.ts")).removeCommand,
    uninstall: async () => (await import("./remove.ts")).uninstallCommand,
    accept: async () => (await import("./accept.ts")).acceptCommand,
    rollback: async () => (await import("./rollback.ts")).rollbackCommand,
    settings: async () => (await import("./settings.ts")).settingsCommand,
    reload: async () => (await import("./reload.ts")).reloadCommand,
  },
  Permissions: {
    trust: async () => (await import("./trust.ts")).trustCommand,
    grant: async () => (await import("./grant.ts")).grantCommand,
    revoke: async () => (await import("./revoke.ts")).revokeCommand,
    grants: async () => (await import("./grants.ts")).grantsCommand,
    why: async () => (await import("./why.ts")).whyCommand,
    policy: async () => (await import("./policy.ts")).policyCommand,
    approve: async () => (await import("./approve.ts")).approveCommand,
    deny: async () => (await import("./approve.ts")).denyCommand,
    waiting: async () => (await import("./waiting.ts")).waitingCommand,
  },
  "Inspect and undo": {
    audit: async () => (await import("./audit.ts")).auditCommand,
    commit: async () => (await import("./commit.ts")).commitCommand,
    undo: async () => (await import("./undo.ts")).undoCommand,
    doctor: async () => (await import("./doctor.ts")).doctorCommand,
  },
  Serve: {
    serve: async () => (await import("./serve.ts")).serveCommand,
    mcp: async () => (await import("./mcp.ts")).mcpCommand,
    "client-config": async () => (await import("./client-config.ts")).clientConfigCommand,
    runner: async () => (await import("./runner.ts")).runnerCommand,
    export: async () => (await import("./export.ts")).exportCommand,
    "mcp-servers": async () => (await import("./mcp-servers.ts")).mcpServersCommand,
  },
  Shell: {
    completions: async () => (await import("./completions.ts")).completionsCommand,
  },
};

export const COMMANDS: Readonly<Record<string, Load>> = Object.fromEntries(
  Object.values(COMMAND_GROUPS).flatMap((group) => Object.entries(group)),
);

/** Loads every command, for help and completions. */
export function allCommands(): Promise<readonly Command[]> {
  return Promise.all(Object.values(COMMANDS).map((load) => load()));
}

/** Loads every command, grouped by heading. */
export async function groupedCommands(): Promise<readonly (readonly [heading: string, commands: readonly Command[]])[]> {
  return await Promise.all(
    Object.entries(COMMAND_GROUPS).map(
      async ([heading, group]) => [heading, await Promise.all(Object.values(group).map((load) => load()))] as const,
    ),
  );
}
