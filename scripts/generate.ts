/** `npm run generate`: writes every generated file. */

import { GENERATED } from "./generated.ts";
import { runCommand } from "./run-command.ts";

for (const { file, script } of GENERATED) {
  const outcome = await runCommand(process.execPath, [script]);
  console.log(outcome.code === 0 ? `wrote ${file}` : `Cannot write ${file}:\n${outcome.output}`);
  if (outcome.code !== 0) process.exitCode = 1;
}
