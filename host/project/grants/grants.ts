/** The user's grants to plugins, kept in `.bascule/grants.json` (SPEC C3). */

import type { JsonValue, LocatedJson, Permissions, Problem } from "../../../manifests/mod.ts";
import { isJsonArray, isJsonObject, parseJson, parsePermissions, problemToText } from "../../../manifests/mod.ts";
import { errorText } from "../../platform/error-text.ts";
import { createMutex } from "../../platform/mutex.ts";
import { mergePermissions, subtractPermissions } from "../../policy/merge-permissions.ts";
import type { Platform } from "../../platform/platform.ts";
import { FileError } from "../../platform/platform.ts";
import { inFileTurn, type TurnPlatform } from "../file-turn.ts";
import { grantsTrustRequest, NO_GRANTS } from "../trust/trust-requests.ts";
import type { ProjectTrust } from "../trust/project-trust.ts";

/** One plugin's grant. Counts only for the folder it was given for: a plugin of the same name in another folder holds nothing. */
export interface StoredGrant {
  readonly plugin: string;
  /** Real path of the plugin's folder, absolute. */
  readonly directory: string;
  /** The only version that the grant counts for; set for plugins installed from elsewhere (SPEC C3). */
  readonly digest?: string;
  /** Relative items have been made absolute; `$workspace` and the other tokens stay. */
  readonly permissions: Permissions;
  /** Time of the last change, ISO 8601. */
  readonly changedAt: string;
}

/** The grants of one project, in memory and in their file. */
export interface GrantStore {
  /** Absolute path of the file. */
  readonly file: string;
  /** Problems of the file. While there are any, nothing is granted and nothing is written. */
  problems(): readonly Problem[];
  /** Every grant, by plugin name. */
  list(): readonly StoredGrant[];
  /** Returns the grant of this plugin version in this folder; undefined if it has none. */
  find(plugin: string, directory: string, digest: string): Permissions | undefined;
  /** Reads the file again. */
  refresh(): Promise<void>;
  /**
   * Adds to the plugin's grant.
   *
   * @throws {GrantFileError} if the file is broken: it is never overwritten.
   */
  grant(plugin: string, directory: string, permissions: Permissions, digest?: string): Promise<StoredGrant>;
  /** Moves grants bound to another version of the plugin to this version. @returns true if there were any. */
  rebind(plugin: string, digest: string): Promise<boolean>;
  /**
   * Revokes whole kinds (`true`), items as written, or everything; applies to the plugin in any folder.
   *
   * @returns the number of changed grants.
   * @throws {GrantFileError} if the file is broken.
   */
  revoke(plugin: string, taken?: Permissions): Promise<number>;
}

/** The change was refused because the grants file cannot be read or written. */
export class GrantFileError extends Error {
  override readonly name = "GrantFileError";
}

const FILE_VERSION = 1;
const MAX_BYTES = 1024 * 1024;
const MAX_DEPTH = 16;
const MAX_LOOKS = 5;
const OWNER_ONLY = 0o600;
const EMPTY_FILE = `{"version":${FILE_VERSION},"grants":[]}`;

/**
 * Reads the store from `file` (absolute); a missing file holds no grants.
 *
 * @param trust knows which grants were given on this machine; grants that came with a checkout give nothing.
 * @param onChange called when grants changed: given, revoked, or written by another process.
 */
export async function createGrantStore(
  platform: TurnPlatform,
  file: string,
  trust?: Pick<ProjectTrust, "isAgreed" | "replace">,
  onChange: () => void = () => {},
): Promise<GrantStore> {
  let grants: readonly StoredGrant[] = [];
  let named: { readonly of: readonly StoredGrant[]; readonly byPlugin: ReadonlyMap<string, readonly StoredGrant[]> } | undefined;
  let problems: readonly Problem[] = [];
  let text: string | undefined;
  // Reads and changes run one after the other: another process may have written the file, and a slow read must not restore what a change
  // has just replaced.
  const inTurn = createMutex();
  const busy = `${file}.busy`;

  /** Keeps the same objects if the text is unchanged: decisions cache what they compiled by them. */
  async function read(isMyTurn = false): Promise<void> {
    let now = await readText(platform, file);
    let isOwn = now.ok && (await isGivenHere(now.text));
    // Another process may be changing the grants and their trust file.
    for (let looks = 0; now.ok && !isOwn && !isMyTurn && looks < MAX_LOOKS; looks += 1) {
      const { text: before } = now;
      const isBusy = (await platform.files.lstat(busy)) !== undefined;
      if (isBusy) await inFileTurn(platform, busy, async () => {});
      now = await readText(platform, file);
      isOwn = now.ok && (await isGivenHere(now.text));
      if (now.ok && now.text === before && !isBusy) break;
    }
    if (now.ok && isOwn && now.text === text) return;
    text = now.ok && isOwn ? now.text : undefined;
    if (!now.ok) ({ grants, problems } = { grants: [], problems: [now.problem] });
    else if (isOwn) ({ grants, problems } = checkGrants(now.text));
    else ({ grants, problems } = { grants: [], problems: [NOT_GIVEN_HERE] });
    onChange();
  }

  async function isGivenHere(written: string): Promise<boolean> {
    const trustRequest = grantsTrustRequest(written);
    return trust === undefined || trustRequest === undefined || (await trust.isAgreed(trustRequest));
  }

  function change<T>(edit: (before: readonly StoredGrant[]) => { readonly after: readonly StoredGrant[]; readonly answer: T }): Promise<T> {
    return inTurn(async () => {
      try {
        return await inFileTurn(platform, busy, async (check) => {
          await read(true);
          refuseBroken(file, problems);
          const { after, answer } = edit(grants);
          const next = grantsToText(after);
          await check();
          const write = (): Promise<void> => platform.files.writeAtomic(file, next, OWNER_ONLY);
          if (trust === undefined) await write();
          else await trust.replace(grantsTrustRequest(text ?? "") ?? NO_GRANTS, grantsTrustRequest(next) ?? NO_GRANTS, write);
          text = next;
          grants = after;
          onChange();
          return answer;
        });
      } catch (error) {
        if (!(error instanceof FileError)) throw error;
        throw new GrantFileError(`Cannot write "${file}": ${error.message}`, { cause: error });
      }
    });
  }

  const refresh = (): Promise<void> => inTurn(read);
  await refresh();
  return {
    file,
    problems: () => problems,
    list: () => grants,
    find(plugin, directory, digest) {
      // Every call looks up a grant, and a list of tools one per tool.
      if (named?.of !== grants) named = { of: grants, byPlugin: Map.groupBy(grants, (one) => one.plugin) };
      const grant = named.byPlugin.get(plugin)?.find((one) => one.directory === directory);
      return grant?.digest === undefined || grant.digest === digest ? grant?.permissions : undefined;
    },
    refresh,
    rebind: (plugin, digest) => {
      const isOther = (grant: StoredGrant): boolean => grant.plugin === plugin && grant.digest !== undefined && grant.digest !== digest;
      if (!grants.some(isOther)) return Promise.resolve(false);
      return change((before) => ({
        after: before.map((grant) => (isOther(grant) ? Object.freeze({ ...grant, digest }) : grant)),
        answer: true,
      }));
    },
    grant: (plugin, directory, permissions, digest) =>
      change((before) => {
        const old = before.find((grant) => grant.plugin === plugin && grant.directory === directory);
        // A grant to another version is replaced, not merged.
        const isSame = old?.digest === undefined || old.digest === digest;
        const merged = mergePermissions((isSame ? old?.permissions : undefined) ?? {}, permissions);
        const answer: StoredGrant = Object.freeze({
          plugin,
          directory,
          ...(digest !== undefined && { digest }),
          permissions: merged,
          changedAt: new Date(platform.clock.now()).toISOString(),
        });
        const after = [...before.filter((grant) => grant !== old), answer].sort(byPlugin);
        return { after, answer };
      }),
    revoke: (plugin, taken) =>
      change((before) => {
        const after: StoredGrant[] = [];
        let answer = 0;
        for (const grant of before) {
          const left = grant.plugin !== plugin ? grant.permissions : taken ? subtractPermissions(grant.permissions, taken) : {};
          if (left === grant.permissions) {
            after.push(grant);
            continue;
          }
          answer += 1;
          if (Object.keys(left).length > 0)
            after.push(Object.freeze({ ...grant, permissions: left, changedAt: new Date(platform.clock.now()).toISOString() }));
        }
        return { after, answer };
      }),
  };
}

interface GrantsRead {
  readonly grants: readonly StoredGrant[];
  readonly problems: readonly Problem[];
}

type TextRead = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly problem: Problem };

/** Reads the file; a missing file counts as an empty one. */
async function readText(platform: Pick<Platform, "files">, file: string): Promise<TextRead> {
  try {
    return { ok: true, text: new TextDecoder("utf-8", { fatal: true }).decode(await platform.files.readBytes(file, MAX_BYTES)) };
  } catch (error) {
    if (error instanceof FileError && error.code === "not_found") return { ok: true, text: EMPTY_FILE };
    const reason = errorText(error);
    return { ok: false, problem: problem("", `Cannot read the file: ${reason}`) };
  }
}

function checkGrants(text: string): GrantsRead {
  const parsed = parseJson(text, { maxBytes: MAX_BYTES, maxDepth: MAX_DEPTH });
  if (!parsed.ok) return { grants: [], problems: parsed.problems };
  const { value, locate } = parsed.value;
  const problems: Problem[] = [];
  const grants: StoredGrant[] = [];
  if (!isJsonObject(value) || value["version"] !== FILE_VERSION || !isJsonArray(value["grants"])) {
    problems.push(problem("", `Expected an object with "version": ${FILE_VERSION} and a list "grants"`));
  } else {
    for (const [index, entry] of value["grants"].entries()) {
      const grant = checkEntry(entry, `/grants/${index}`, problems);
      if (grant) grants.push(grant);
    }
  }
  if (problems.length === 0) return { grants: Object.freeze(grants.sort(byPlugin)), problems };
  return { grants: [], problems: problems.map((found) => ({ ...found, ...nearestPlace(found.pointer, locate) })) };
}

/** Returns the place of the value, or of the nearest enclosing value that exists. */
function nearestPlace(pointer: string, locate: LocatedJson["locate"]): { readonly line: number; readonly column: number } | undefined {
  for (let around = pointer; ; around = around.slice(0, around.lastIndexOf("/"))) {
    const place = locate(around);
    if (place !== undefined || around === "") return place;
  }
}

function checkEntry(entry: JsonValue, pointer: string, problems: Problem[]): StoredGrant | undefined {
  if (!isJsonObject(entry)) {
    problems.push(problem(pointer, "Expected an object"));
    return undefined;
  }
  const { plugin, directory, digest, permissions, changedAt } = entry;
  if (typeof plugin !== "string" || plugin === "") problems.push(problem(`${pointer}/plugin`, "Expected the plugin's name"));
  if (typeof directory !== "string" || directory === "")
    problems.push(problem(`${pointer}/directory`, "Expected the plugin's folder as an absolute path"));
  if (digest !== undefined && typeof digest !== "string") problems.push(problem(`${pointer}/digest`, "Expected the digest of a version"));
  const checked = parsePermissions(permissions ?? null, `${pointer}/permissions`);
  if (!checked.ok) problems.push(...checked.problems);
  if (typeof plugin !== "string" || typeof directory !== "string" || !checked.ok) return undefined;
  return Object.freeze({
    plugin,
    directory,
    ...(typeof digest === "string" && { digest }),
    permissions: checked.value,
    changedAt: typeof changedAt === "string" ? changedAt : "",
  });
}

function grantsToText(grants: readonly StoredGrant[]): string {
  return `${JSON.stringify({ version: FILE_VERSION, grants }, null, 2)}\n`;
}

function refuseBroken(file: string, problems: readonly Problem[]): void {
  const [first] = problems;
  if (first) throw new GrantFileError(`Cannot change "${file}": ${problemToText(first)}`);
}

function problem(pointer: string, message: string): Problem {
  return { severity: "error", pointer, message, fix: "repair the file, or delete it and grant again" };
}

const NOT_GIVEN_HERE: Problem = {
  severity: "error",
  pointer: "",
  message: "These grants were not given on this machine, so they have no effect",
  fix: "review them with bascule trust, or delete the file",
};

function byPlugin(left: StoredGrant, right: StoredGrant): number {
  return left.plugin < right.plugin ? -1 : left.plugin > right.plugin ? 1 : left.directory < right.directory ? -1 : 1;
}
