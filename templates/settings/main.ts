/** Has settings. The manifest's settingsSchema describes them, and users set them for each project. */

import type { Context } from "./bascule.d.ts";

/** Greets a person. */
export function my_plugin_greet(
  {
    name,
  }: {
    /** @minLength 1 */
    name: string;
  },
  { settings }: Pick<Context, "settings">,
): { text: string } {
  const text = `${settings.greeting} ${name}`;
  return { text: settings.loud ? text.toUpperCase() : text };
}
