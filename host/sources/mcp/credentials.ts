/**
 * Finds the credentials among an MCP server's headers and variables: the server knows them, and could repeat them in an error (SPEC C7,
 * K3).
 */

import type { McpServerConfig } from "../../../manifests/mod.ts";

type Given = McpServerConfig["headers"];

/** Words in names such as `X-Api-Key`, `GITHUB_TOKEN` and `Authorization`. */
const TELLING: ReadonlySet<string> = new Set(
  "authorization auth bearer token key apikey secret password passwd pass credential credentials cookie pat".split(" "),
);
/** `Bearer …`, `Basic …`: the rest is the secret (RFC 9110, 11.4). */
const SCHEME = /^[A-Za-z][A-Za-z0-9-]*[ ]+(?=\S)/;

/**
 * Yields name and value of each credential.
 *
 * The name decides. A header whose value comes from a variable counts too, because it has no other reason to write one so. Variables such
 * as `HOME` are not secrets, and redacting them from every result would remove ordinary text.
 */
export function* credentialsIn(
  kind: "headers" | "env",
  given: Given,
  values: Readonly<Record<string, string>>,
): Generator<readonly [name: string, value: string]> {
  for (const [name, value] of Object.entries(values)) {
    const isByReference = kind === "headers" && typeof given[name] === "object";
    if (!isByReference && !wordsOf(name).some((word) => TELLING.has(word))) continue;
    yield [name, kind === "headers" ? value.replace(SCHEME, "") : value];
  }
}

function wordsOf(name: string): readonly string[] {
  return name.toLowerCase().split(/[^a-z]+/);
}
