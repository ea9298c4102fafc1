/** Which of the headers and variables of an MCP server are credentials: it knows them, and can say them in an error (SPEC C7, K3). */

import type { McpServerConfig } from "../../../manifests/mod.ts";

type Given = McpServerConfig["headers"];

/** In names such as `X-Api-Key`, `GITHUB_TOKEN` and `Authorization`. */
const TELLING: ReadonlySet<string> = new Set(
  "authorization auth bearer token key apikey secret password passwd pass credential credentials cookie pat".split(" "),
);
/** `Bearer …`, `Basic …`: what follows is what nobody may see (RFC 9110, 11.4). */
const SCHEME = /^[A-Za-z][A-Za-z0-9-]*[ ]+(?=\S)/;

/**
 * Yields name and value of each credential.
 *
 * A name decides; of headers also that the value is a variable's, as nothing else is a reason to write one so. Variables such as
 * `HOME` are no secrets, and taken out of every result they would take ordinary text along.
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
