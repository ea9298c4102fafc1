/** The tokens of `bascule serve`: given by the environment, else kept in `.bascule/`, readable by their owner only (SPEC I4). */

import type { TokenConfig, TokenScope } from "../../manifests/mod.ts";
import { hashOf, newToken } from "../doors/http/tokens.ts";
import { FileError, type Platform } from "../platform/platform.ts";
import { CliError } from "./cli-error.ts";
import { EXIT } from "./exit-codes.ts";

/** One token, and where a person finds it. */
export interface ServerToken {
  readonly config: TokenConfig;
  /** A file's path, or the variable that it came from. */
  readonly place: { readonly file: string } | { readonly variable: string };
}

const OWNER_ONLY = 0o600;
const OTHERS = 0o077;
const MIN_LENGTH = 32;
const MAX_BYTES = 1_024;

const OWN: readonly { readonly name: string; readonly scope: TokenScope; readonly variable: string }[] = [
  { name: "call", scope: "call", variable: "BASCULE_TOKEN" },
  { name: "admin", scope: "admin", variable: "BASCULE_ADMIN_TOKEN" },
];

/** The two that every server has. @throws {CliError} if one of them is not safe to use. */
export async function ownTokens(platform: Platform, stateDirectory: string): Promise<readonly ServerToken[]> {
  return await Promise.all(
    OWN.map(async ({ name, scope, variable }) => {
      const given = platform.environment.get(variable);
      const file = `${stateDirectory}/${name}.token`;
      const token = given === undefined || given === "" ? await keptToken(platform, stateDirectory, file) : given;
      if (token.length < MIN_LENGTH || !/^[\x21-\x7e]+$/.test(token)) {
        throw unsafe(
          given === undefined ? `The token in "${file}"` : `The token in ${variable}`,
          `has less than ${MIN_LENGTH} printable characters`,
        );
      }
      const config = { name, sha256: await hashOf(token), scopes: [scope] };
      return { config, place: given === undefined || given === "" ? { file } : { variable } };
    }),
  );
}

async function keptToken({ files, random }: Platform, stateDirectory: string, file: string): Promise<string> {
  const info = await files.lstat(file);
  if (info === undefined) {
    const token = newToken(random);
    await files.makeDirectory(stateDirectory);
    await files.writeAtomic(file, `${token}\n`, OWNER_ONLY);
    return token;
  }
  if (info.kind !== "file" || (info.mode & OTHERS) !== 0)
    throw unsafe(`"${file}"`, "is no file that only its owner can read (chmod 600, or delete it for a new one)");
  try {
    return new TextDecoder().decode(await files.readBytes(file, MAX_BYTES)).trim();
  } catch (error) {
    if (error instanceof FileError) throw unsafe(`"${file}"`, "cannot be read");
    throw error;
  }
}

function unsafe(what: string, problem: string): CliError {
  return new CliError("token", `${what} ${problem}`, { exitCode: EXIT.unavailable });
}
