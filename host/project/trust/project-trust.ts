/** A project whose `bascule.json` applies only as far as the user trusts it on this machine (SPEC P1, K3). */

import { type JsonValue, type ProjectConfig, isAtOrBelow, normalizePath } from "../../../manifests/mod.ts";
import { orUndefined } from "../../platform/or-undefined.ts";
import { FileError, type Platform } from "../../platform/platform.ts";
import type { Look, ProjectFile, ProjectRefresh } from "../project-file.ts";
import { type TrustRequest, trustRequestsOf, GRANTS, grantsTrustRequest, type IsOutside, withoutTrustRequests } from "./trust-requests.ts";
import { isIn, openTrustStore, type TrustPlatform, withChange, withTrustRequests } from "./trust-store.ts";

/** A trust request that is not trusted, or whose value changed since. */
export interface Withheld extends TrustRequest {
  /** The value that was trusted under this name before. */
  readonly before?: JsonValue;
}

/** The user's trust in one project. */
export interface ProjectTrust {
  /** The requests that are not trusted, as of the last refresh. */
  withheld(): readonly Withheld[];
  /** Names of the requests in effect because the user trusts them. */
  agreed(): readonly string[];
  /**
   * Returns true if the request is trusted. Reads the user's file again if the request is unknown, because another process may have written
   * it.
   */
  isAgreed(trustRequest: TrustRequest): Promise<boolean>;
  /** Trusts exactly these requests, from the next refresh on. @throws {TrustFileError} */
  agree(trustRequests: readonly TrustRequest[]): Promise<void>;
  /**
   * Moves trust from one value of a file to the next, while `write` writes the file atomically. If this process ends in between, the file
   * is trusted both as it was and as written.
   *
   * @param from the file's trusted request now
   * @throws {TrustFileError}, and what `write` throws.
   */
  replace(from: TrustRequest, to: TrustRequest, write: () => Promise<void>): Promise<void>;
  /** Trusts everything the folder requests, now and later; or nothing any more. @throws {TrustFileError} */
  agreeToAll(isAgreed: boolean): Promise<void>;
}

export interface TrustedProject extends ProjectFile {
  readonly trust: ProjectTrust;
}

/** @param project the project as its file declares it; the returned project contains only what is trusted. */
export async function trustedProject(platform: TrustPlatform & Pick<Platform, "log">, project: ProjectFile): Promise<TrustedProject> {
  const { files, log } = platform;
  const root = await files.realPath(project.root);
  const store = await openTrustStore(platform, root);
  let config = project.config();
  let withheld: readonly Withheld[] = [];
  let agreed: readonly string[] = [];

  const isAgreed = (trustRequest: TrustRequest): boolean => isIn(store.agreed(), trustRequest);

  async function look(): Promise<void> {
    const requested = project.config();
    const asked = [...trustRequestsOf(requested, await outsideOf(files, root, requested)), ...(await grantsOf(files, root))];
    const { demands: trustRequests } = store.agreed();
    withheld = asked
      .filter((trustRequest) => !isAgreed(trustRequest))
      .map((trustRequest) => withBefore(trustRequest, trustRequests.get(trustRequest.name)));
    agreed = asked.filter(isAgreed).map(({ name }) => name);
    config = withoutTrustRequests(requested, new Set(withheld.map(({ name }) => name)));
  }

  async function refresh(how?: Look): Promise<ProjectRefresh> {
    const outcome = await project.refresh(how);
    const isMoved = await store.refresh();
    const [before, waited] = [JSON.stringify(config), JSON.stringify(withheld)];
    await look();
    if (withheld.length > 0 && JSON.stringify(withheld) !== waited) log.write("warn", withheldText(withheld));
    if (outcome.kind === "refused" && !isMoved) return outcome;
    return { kind: JSON.stringify(config) === before ? "same" : "changed" };
  }

  await look();
  return {
    ...project,
    config: () => config,
    refresh,
    trust: {
      withheld: () => withheld,
      agreed: () => agreed,
      async isAgreed(trustRequest) {
        if (isAgreed(trustRequest)) return true;
        // Decided by `isAgreed` and not by the result of the refresh: an own change may have read the file already.
        await store.refresh();
        return isAgreed(trustRequest);
      },
      agree: (trustRequests) => store.change((before) => withTrustRequests(before, trustRequests)),
      async replace(from, to, write) {
        await store.change((before) => withChange(before, from, to));
        let written = from;
        try {
          await write();
          written = to;
        } finally {
          await store.change((before) => withTrustRequests(before, [written]));
        }
      },
      agreeToAll: (all) => store.change((before) => (all ? { ...before, all } : { all, demands: new Map() })),
    },
  };
}

/** Returns notices for the user. */
export function noticesOf(trust: ProjectTrust | undefined): readonly string[] {
  const withheld = trust?.withheld() ?? [];
  return withheld.length === 0 ? [] : [withheldText(withheld)];
}

/** Formats the requests that are not trusted in one line. */
function withheldText(withheld: readonly TrustRequest[]): string {
  const names = withheld.map(({ name }) => name);
  const shown = names.length > MOST_NAMED ? [...names.slice(0, MOST_NAMED), `${names.length - MOST_NAMED} more`] : names;
  return `This folder requests what you have not allowed on this machine, and runs without: ${shown.join(", ")} (bascule trust shows it)`;
}

const MOST_NAMED = 8;

function withBefore(trustRequest: TrustRequest, before: JsonValue | undefined): Withheld {
  return before === undefined ? trustRequest : { ...trustRequest, before };
}

async function grantsOf(files: Platform["files"], root: string): Promise<readonly TrustRequest[]> {
  const text = await orUndefined(files.readText(`${root === "/" ? "" : root}/${GRANTS}`));
  // A file that is missing or unreadable grants nothing.
  const trustRequest = text === undefined ? undefined : grantsTrustRequest(text);
  return trustRequest === undefined ? [] : [trustRequest];
}

/** Finds paths outside the project. Links are followed, because a checkout may contain some. */
async function outsideOf(files: Platform["files"], root: string, { plugins, workspace }: ProjectConfig): Promise<IsOutside> {
  const outside = new Set<string>();
  for (const path of [...plugins, ...(workspace === undefined ? [] : [workspace])]) {
    const real = await realPathOf(files, normalizePath(path, root) ?? "/");
    if (!isAtOrBelow(real, root)) outside.add(path);
  }
  return (path) => outside.has(path);
}

/** For a path that does not exist yet, returns the real path of the nearest existing folder with the rest appended. */
async function realPathOf(files: Platform["files"], path: string): Promise<string> {
  try {
    return await files.realPath(path);
  } catch (error) {
    if (!(error instanceof FileError) || path === "/") throw error;
    const end = path.lastIndexOf("/");
    const parent = await realPathOf(files, end <= 0 ? "/" : path.slice(0, end));
    return `${parent === "/" ? "" : parent}${path.slice(end)}`;
  }
}
