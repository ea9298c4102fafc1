/** Uses an npm package. `bascule vendor` copied it into vendor/, so nothing is downloaded when the plugin loads. */

import Papa from "papaparse";

/**
 * Reads CSV text into rows, with the names of the first line.
 *
 * @determinism deterministic
 */
export function my_plugin_rows({
  csv,
  delimiter = "",
}: {
  /** @example "name,age\nAda,36" */
  csv: string;
  /** Character between fields; guessed if empty @maxLength 1 */
  delimiter?: string;
}): { rows: Record<string, string>[] } {
  const { data, errors } = Papa.parse(csv, { header: true, delimiter, skipEmptyLines: true });
  // A text with one column has no delimiter to guess.
  const first = errors.find(({ type }) => type !== "Delimiter");
  if (first !== undefined) throw new Error(`Row ${(first.row ?? 0) + 1}: ${first.message}`);
  return { rows: data };
}
