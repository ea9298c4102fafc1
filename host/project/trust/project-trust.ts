/** A project whose `bascule.json` counts as far as a person agreed to it on this machine (SPEC P1, K3). */

import { type JsonValue, normalizePath, type ProjectConfig } from "../../../manifests/mod.ts";
import { FileError, type Platform } from "../../platform/platform.ts";
import type { Look, ProjectFile, ProjectRefresh } from "../project-file.ts";
import { type Demand, demandsOf, GRANTS, grantsDemand, type IsOutside, withoutDemands } from "./demands.ts";
import { isIn, openTrustStore, type TrustPlatform, withChange, withDemands } from "./trust-store.ts";

/** What nobody agreed to, or not as it is now. */
export interface Withheld extends Demand {
  /** What was agreed to under this name. */
  readonly before?: JsonValue;
}

/** What a person agreed to in one project. */
export interface ProjectTrust {
  /** As of the last look at the project. */
  withheld(): readonly Withheld[];
  /** Names of what counts because a person agreed to it. */
  agreed(): readonly string[];
  /** Looks at the person's file again if it does not know the demand: another process may have written it. */
  isAgreed(demand: Demand): Promise<boolean>;
  /** A yes to exactly these. They count when the project is next looked at. @throws {TrustFileError} */
  agree(demands: readonly Demand[]): Promise<void>;
  /**
   * A yes to what a file asks for once `write` has written it, in one piece: if this process ends in the middle, what the file asks for
   * counts, as it was before or as it is by then.
   *
   * @param from what the file asks for now, which counts. @throws {TrustFileError}, and what `write` throws.
   */
  replace(from: Demand, to: Demand, write: () => Promise<void>): Promise<void>;
  /** A yes to all that the folder asks for, now and later; or none any more. @throws {TrustFileError} */
  agreeToAll(isAgreed: boolean): Promise<void>;
}

export interface TrustedProject extends ProjectFile {
  readonly trust: ProjectTrust;
}

/** @param project as its file says it; what is answered says no more than was agreed to. */
export async function trustedProject(platform: TrustPlatform & Pick<Platform, "log">, project: ProjectFile): Promise<TrustedProject> {
  const { files, log } = platform;
  const root = await files.realPath(project.root);
  const store = await openTrustStore(platform, root);
  let config = project.config();
  let withheld: readonly Withheld[] = [];
  let agreed: readonly string[] = [];

  const isAgreed = (demand: Demand): boolean => isIn(store.agreed(), demand);

  async function look(): Promise<void> {
    const wished = project.config();
    const asked = [...demandsOf(wished, await outsideOf(files, root, wished)), ...(await grantsOf(files, root))];
    const { demands } = store.agreed();
    withheld = asked.filter((demand) => !isAgreed(demand)).map((demand) => withBefore(demand, demands.get(demand.name)));
    agreed = asked.filter(isAgreed).map(({ name }) => name);
    config = withoutDemands(wished, new Set(withheld.map(({ name }) => name)));
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
      async isAgreed(demand) {
        if (isAgreed(demand)) return true;
        // Whether or not it says something else now: a change of our own may have read it meanwhile.
        await store.refresh();
        return isAgreed(demand);
      },
      agree: (demands) => store.change((before) => withDemands(before, demands)),
      async replace(from, to, write) {
        await store.change((before) => withChange(before, from, to));
        let written = from;
        try {
          await write();
          written = to;
        } finally {
          await store.change((before) => withDemands(before, [written]));
        }
      },
      agreeToAll: (all) => store.change((before) => (all ? { ...before, all } : { all, demands: new Map() })),
    },
  };
}

/** What a person should know. */
export function noticesOf(trust: ProjectTrust | undefined): readonly string[] {
  const withheld = trust?.withheld() ?? [];
  return withheld.length === 0 ? [] : [withheldText(withheld)];
}

/** In one line. */
export function withheldText(withheld: readonly Demand[]): string {
  const names = withheld.map(({ name }) => name);
  const shown = names.length > MOST_NAMED ? [...names.slice(0, MOST_NAMED), `${names.length - MOST_NAMED} more`] : names;
  return `This folder asks for what nobody has allowed on this machine, and goes without: ${shown.join(", ")} (bascule trust shows it and asks)`;
}

const MOST_NAMED = 8;

function withBefore(demand: Demand, before: JsonValue | undefined): Withheld {
  return before === undefined ? demand : { ...demand, before };
}

async function grantsOf(files: Platform["files"], root: string): Promise<readonly Demand[]> {
  try {
    const demand = grantsDemand(await files.readText(`${root === "/" ? "" : root}/${GRANTS}`));
    return demand === undefined ? [] : [demand];
  } catch (error) {
    // None, or none that counts for anything.
    if (error instanceof FileError) return [];
    throw error;
  }
}

/** Links are followed: a checkout may hold some. */
async function outsideOf(files: Platform["files"], root: string, { plugins, workspace }: ProjectConfig): Promise<IsOutside> {
  const outside = new Set<string>();
  for (const path of [...plugins, ...(workspace === undefined ? [] : [workspace])]) {
    const real = await realPathOf(files, normalizePath(path, root) ?? "/");
    if (real !== root && !real.startsWith(root === "/" ? "/" : `${root}/`)) outside.add(path);
  }
  return (path) => outside.has(path);
}

/** Of what is not there yet, the real path of the nearest folder that is, and the rest. */
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
