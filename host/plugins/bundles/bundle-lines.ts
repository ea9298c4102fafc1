/**
 * Describes what a bundle starts and requests, one item per line, so that two versions can be compared. Contains the author's text:
 * sanitize it before it is shown.
 */

import type { BundleManifest } from "../../../manifests/mod.ts";

/** Most important lines first. */
export function bundleLines({ type, launch, options, platforms, runtimes, tools, author }: BundleManifest): readonly string[] {
  const { command, args, env } = launch;
  return [
    `author: ${author}`,
    `type: ${type}`,
    // Written with `${__dirname}`, because a file of the bundle may have the name of a runtime.
    `command: ${[command.kind === "runtime" ? command.name : `\${__dirname}/${command.path}`, ...args].map(word).join(" ")}`,
    ...Object.entries(env).map(([name, value]) => `variable ${name}=${word(value)}`),
    ...Object.entries(options).map(([key, option]) => `value ${key}: ${optionText(option)}`),
    ...(platforms === undefined ? [] : [`platforms: ${platforms.join(", ")}`]),
    ...Object.entries(runtimes).map(([name, range]) => `needs ${name} ${range}`),
    ...tools.map(({ name, description }) => `tool ${name}${description === undefined ? "" : `: ${JSON.stringify(description)}`}`),
  ];
}

/** Formats an option: `directory, several, required: Where files are`. */
function optionText({ type, multiple, required, sensitive, min, max, title, ...option }: BundleManifest["options"][string]): string {
  const range = [...(min === undefined ? [] : [`from ${min}`]), ...(max === undefined ? [] : [`to ${max}`])].join(" ");
  const words = [type, multiple ? "several" : "", range, sensitive ? "sensitive" : "", required ? "required" : ""];
  const fallback = option.default === undefined ? "" : ` (default ${JSON.stringify(option.default)})`;
  return `${words.filter((text) => text !== "").join(", ")}: ${title}${fallback}`;
}

function word(text: string): string {
  return /^[\w@%+=:,./${}-]+$/u.test(text) ? text : JSON.stringify(text);
}
