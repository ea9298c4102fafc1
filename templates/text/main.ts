/** Works on a text, without any permission. */

interface Counts {
  /** @integer */
  words: number;
  /** @integer */
  lines: number;
  /** @integer */
  characters: number;
}

/**
 * Counts the words, lines and characters of a text.
 *
 * @determinism deterministic
 */
export function my_plugin_count({
  text,
  ignoreCode = false,
}: {
  /** The text @example "two words" */
  text: string;
  /** Leaves out blocks between ``` */
  ignoreCode?: boolean;
}): Counts {
  const counted = ignoreCode ? text.replaceAll(/^```.*?^```$/gmsu, "") : text;
  const words = counted.split(/\s+/u).filter((word) => word !== "").length;
  const lines = counted === "" ? 0 : counted.replace(/\n$/u, "").split("\n").length;
  return { words, lines, characters: [...counted].length };
}
