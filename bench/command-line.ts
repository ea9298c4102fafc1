/** Parses the words after `npm run bench --`. */

import { parseArgs } from "node:util";

export const HELP = `npm run -s bench -- [--only ID[,ID…]]… [--json] [--check] [--help]

Measures every claimed number (bench/README.md says what each one is), candidates interleaved, medians.

  --only ID   some of them: repeat it, or separate ids by commas
  --json      { "rows": [{ "id", "value", "unit", "baseline", "ratio" }] } on stdout, nothing else
  --check     a table of id, target, value and ok in place of the figures
  --help      this

Exit codes: 0 done; with --check, and every target met. 1 --check and a target was missed; also a benchmark that
failed, which is never a figure. 2 the command line is wrong.`;

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
