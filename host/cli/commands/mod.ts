/** Every command, in the order in which `--help` shows them. A command is one file here and one line below. */

import type { Command } from "../command.ts";
import { approveCommand, denyCommand } from "./approve.ts";
import { auditCommand } from "./audit.ts";
import { benchCommand } from "./bench.ts";
import { callCommand } from "./call.ts";
import { checkCommand } from "./check.ts";
import { devCommand } from "./dev.ts";
import { doctorCommand } from "./doctor.ts";
import { exportCommand } from "./export.ts";
import { grantCommand } from "./grant.ts";
import { grantsCommand } from "./grants.ts";
import { infoCommand } from "./info.ts";
import { initCommand } from "./init.ts";
import { learnCommand } from "./learn.ts";
import { listCommand } from "./list.ts";
import { packCommand } from "./pack.ts";
import { reloadCommand } from "./reload.ts";
import { replayCommand } from "./replay.ts";
import { revokeCommand } from "./revoke.ts";
import { serveCommand } from "./serve.ts";
import { settingsCommand } from "./settings.ts";
import { testCommand } from "./test.ts";
import { typesCommand } from "./types.ts";
import { vendorCommand } from "./vendor.ts";
import { whyCommand } from "./why.ts";

export const COMMANDS: readonly Command[] = [
  initCommand,
  devCommand,
  serveCommand,
  listCommand,
  infoCommand,
  callCommand,
  benchCommand,
  checkCommand,
  typesCommand,
  exportCommand,
  testCommand,
  replayCommand,
  vendorCommand,
  packCommand,
  grantCommand,
  revokeCommand,
  grantsCommand,
  settingsCommand,
  whyCommand,
  learnCommand,
  approveCommand,
  denyCommand,
  auditCommand,
  reloadCommand,
  doctorCommand,
];
