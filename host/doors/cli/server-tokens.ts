/** Tokens of `bascule serve`: from the environment or files that it names, or else from files in `.bascule/` (SPEC I4). */

import type { TokenConfig, TokenScope } from "../../../manifests/mod.ts";
import { hashOf, newToken } from "../http/tokens.ts";
import { FileError, type Platform } from "../../platform/platform.ts";
import { CliError } from "./cli-error.ts";
import { EXIT } from "./exit-codes.ts";

/** A token and its source. */
export interface ServerToken {
  readonly config: TokenConfig;
  /** Path of the file, or name of the environment variable. */
  readonly place: { readonly file: string; readonly isNamed?: true } | { readonly variable: string };
}

const OWNER_ONLY = 0o600;
const OTHERS = 0o077;
const MIN_LENGTH = 32;
const MAX_BYTES = 1_024;
const TOO_SHORT = `has fewer than ${MIN_LENGTH} printable characters`;

const OWN: readonly { readonly name: string; readonly scope: TokenScope; readonly variable: string }[] = [
  { name: "call", scope: "call", variable: "BASCULE_TOKEN" },
  { name: "admin", scope: "admin", variable: "BASCULE_ADMIN_TOKEN" },
];

/** The two tokens of a running server. */
interface OwnTokens {
  /** Tokens at the start. */
  readonly tokens: readonly ServerToken[];
  /** Returns the valid tokens. A token whose file is deleted or unusable is not valid. */
  good(): readonly TokenConfig[];
  /** Checks the files every second until the returned function is called. */
  watch(): () => void;
}

const WATCH_MS = 1_000;

/** Opens the tokens, and creates missing ones. @throws {CliError} if a token is not safe to use */
export async function openOwnTokens(platform: Platform, stateDirectory: string): Promise<OwnTokens> {
  const { files, clock, log } = platform;
  const tokens = await Promise.all(OWN.map((own) => openToken(platform, stateDirectory, own)));
  const kept = tokens.flatMap(({ config, place }) =>
    "file" in place ? [{ config, file: place.file, isNamed: place.isNamed === true }] : [],
  );
  let good = tokens.map(({ config }) => config);

  async function look(): Promise<void> {
    for (const { config, file, isNamed } of kept) {
      const before = good.find(({ name }) => name === config.name);
      const now = await tokenIn(files, file, isNamed);
      const sha256 = now.ok ? await hashOf(now.token) : undefined;
      if (sha256 === before?.sha256) continue;
      good = good.filter((one) => one !== before);
      if (sha256 !== undefined) good = [...good, { ...config, sha256 }];
      if (now.ok) log.write("info", `The "${config.name}" token was replaced by the one in "${file}"`);
      else log.write("warn", `The "${config.name}" token is no longer valid: "${file}" ${now.problem}`);
    }
  }

  return {
    tokens,
    good: () => good,
    watch() {
      let isOver = false;
      let stopTimer = (): void => {};
      const tick = (): void => {
        stopTimer = clock.after(WATCH_MS, () => {
          void look()
            .catch((error: unknown) => log.write("error", "Cannot check the token files", { error: String(error) }))
            .then(() => isOver || tick());
        });
      };
      tick();
      return () => {
        isOver = true;
        stopTimer();
      };
    },
  };
}

async function openToken(
  platform: Platform,
  stateDirectory: string,
  { name, scope, variable }: (typeof OWN)[number],
): Promise<ServerToken> {
  const { environment, files, random } = platform;
  const given = environment.get(variable);
  if (given !== undefined && given !== "") {
    if (!isLongEnough(given)) throw unsafe(`The token in ${variable} ${TOO_SHORT}`);
    return { config: await toConfig(name, scope, given), place: { variable } };
  }
  const named = environment.get(`${variable}_FILE`);
  if (named !== undefined && named !== "") {
    const kept = await tokenIn(files, named, true);
    if (!kept.ok) throw unsafe(`"${named}" of ${variable}_FILE ${kept.problem}`);
    return { config: await toConfig(name, scope, kept.token), place: { file: named, isNamed: true } };
  }
  const file = `${stateDirectory}/${name}.token`;
  if ((await files.lstat(file)) === undefined) {
    await files.makeDirectory(stateDirectory);
    await files.writeAtomic(file, `${newToken(random)}\n`, OWNER_ONLY);
  }
  const kept = await tokenIn(files, file, false);
  if (!kept.ok) throw unsafe(`"${file}" ${kept.problem}`);
  return { config: await toConfig(name, scope, kept.token), place: { file } };
}

async function toConfig(name: string, scope: TokenScope, token: string): Promise<TokenConfig> {
  return { name, sha256: await hashOf(token), scopes: [scope] };
}

type KeptToken = { readonly ok: true; readonly token: string } | { readonly ok: false; readonly problem: string };

/** @param isNamed whether the user named the file: containers mount secrets as links, and readable by others */
async function tokenIn(files: Platform["files"], file: string, isNamed: boolean): Promise<KeptToken> {
  try {
    const info = await files.lstat(file);
    if (info === undefined) return { ok: false, problem: isNamed ? "does not exist" : "was deleted (the next start creates a new one)" };
    if (isNamed) return toKept(await files.readBytes(file, MAX_BYTES));
    if (info.kind !== "file" || (info.mode & OTHERS) !== 0)
      return { ok: false, problem: "must be a file that only its owner can read (chmod 600, or delete it to get a new one)" };
    return toKept(await files.readBytes(file, MAX_BYTES));
  } catch (error) {
    if (error instanceof FileError) return { ok: false, problem: "cannot be read" };
    throw error;
  }
}

function toKept(bytes: Uint8Array): KeptToken {
  const token = new TextDecoder().decode(bytes).trim();
  return isLongEnough(token) ? { ok: true, token } : { ok: false, problem: TOO_SHORT };
}

function isLongEnough(token: string): boolean {
  return token.length >= MIN_LENGTH && /^[\x21-\x7e]+$/.test(token);
}

function unsafe(message: string): CliError {
  return new CliError("token", message, { exitCode: EXIT.unavailable });
}
