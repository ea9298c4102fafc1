/**
 * Commands in the host's texts, as the user types them (SPEC DI1).
 *
 * The host writes them with the program `bascule`: guests read these texts too, and the path of the program is not for them. Doors that
 * serve a user replace it.
 */

/** Program in the host's texts, and the default of what the user types. */
export const PROGRAM = "bascule";

/** Commands that the host's texts name. A program that is typed already, such as `npx bascule`, is left as it is. */
const COMMAND =
  /(?<![\w./'-]|npx )bascule (?=(?:accept|add|audit|call|check|commit|dev|grant|info|init|list|manifest|remove|replay|test|trust|types)\b)/gu;

/** @param program what the user types: `bascule`, `npx bascule`, `node bin/bascule.mjs` */
export function asTyped(text: string, program: string): string {
  return program === PROGRAM ? text : text.replace(COMMAND, () => `${program} `);
}
