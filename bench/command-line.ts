/** Parses the words after `npm run bench --`. */

import { parseArgs } from "node:util";

export const HELP = `npm run -s bench -- [--only ID[,ID…]]… [--json] [--check] [--help]

Measures every claimed number, with interleaved candidates and medians. bench/README.md explains each one.

  --only ID   only these: repeat the option, or separate ids by commas
  --json      print only { "rows": [{ "id", "value", "unit", "baseline", "ratio" }] }
  --check     print a table of id, target, value and ok instead of the figures
  --help      show this help

Exit codes: 0 done, with --check if every target is met. 1 a benchmark failed, or with --check a target is
missed. 2 the command line is wrong.`;

export type BenchCommand =
  | { readonly kind: "run"; readonly ids: readonly string[]; readonly json: boolean; readonly check: boolean }
  | { readonly kind: "help" }
  | { readonly kind: "wrong"; readonly message: string };

/** Ids in the order in which they run. */
export function parseCommandLine(words: readonly string[], known: readonly string[]): BenchCommand {
  let values;
  try {
    ({ values } = parseArgs({
      args: [...words],
      options: {
        only: { type: "string", multiple: true },
        json: { type: "boolean" },
        check: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    }));
  } catch (error) {
    return { kind: "wrong", message: error instanceof Error ? error.message : String(error) };
  }
  if (values.help === true) return { kind: "help" };
  const wanted = (values.only ?? []).flatMap((ids) => ids.split(",")).map((id) => id.trim());
  const unknown = wanted.find((id) => !known.includes(id));
  if (unknown !== undefined) return { kind: "wrong", message: `Unknown benchmark "${unknown}" (choose from ${known.join(", ")})` };
  const ids = values.only === undefined ? known : known.filter((id) => wanted.includes(id));
  return { kind: "run", ids, json: values.json === true, check: values.check === true };
}
