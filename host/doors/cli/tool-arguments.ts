/** Reads the tool arguments of `call` and `bench`. */

import { JsonArgumentText, type RawArguments } from "../../call/argument-text.ts";
import { DoorError } from "../operations.ts";
import type { JsonObject } from "../../../manifests/mod.ts";
import type { OptionSpec } from "./arguments.ts";
import { readCallArguments, wordsToArguments } from "./call-arguments.ts";
import type { ClientContext } from "./command.ts";
import type { HostAccess } from "./host-access.ts";

export const ARGS_OPTION: OptionSpec = { name: "args", value: "file", about: "Read the arguments from a JSON file (- for stdin)" };

/** Reads the arguments. @param words the words after the tool's name @throws {CliError} if they are invalid */
export async function readToolArguments(
  tool: string,
  words: readonly string[],
  { options, platform }: Pick<ClientContext, "options" | "platform">,
  host: HostAccess,
): Promise<RawArguments> {
  const given = await readCallArguments(words, options.value(ARGS_OPTION.name), platform);
  if (given.kind === "text") return new JsonArgumentText(given.text);
  return wordsToArguments(given.words, await inputSchema(tool, host), tool);
}

/** Returns the tool's input schema; undefined for an unknown tool, which the call itself reports. */
async function inputSchema(tool: string, host: HostAccess): Promise<JsonObject | undefined> {
  try {
    const info = await host.operations.info(tool);
    return info.kind === "tool" ? (info.tool.checks ?? info.tool).inputSchema : undefined;
  } catch (error) {
    if (error instanceof DoorError && error.code === "not_found") return undefined;
    throw error;
  }
}
