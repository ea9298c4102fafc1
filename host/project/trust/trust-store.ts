/** The user's trust decisions on this machine, stored in the user's own folder, so that no checkout can bring it along (SPEC P1). */

import { createMutex } from "../../platform/mutex.ts";
import { orUndefined } from "../../platform/or-undefined.ts";
import { equalJson } from "../../primitives/json/equal-json.ts";
import { isJsonObject, type JsonValue, parseJson, problemToText } from "../../../manifests/mod.ts";
import { inFileTurn } from "../file-turn.ts";
import { FileError, type Platform } from "../../platform/platform.ts";
import { sha256Hex } from "../../primitives/digest.ts";
import type { TrustRequest } from "./trust-requests.ts";

/** Trusted requests of one project's folder. */
interface Agreed {
  /** Everything the folder requests, now and later. */
  readonly all: boolean;
  readonly demands: ReadonlyMap<string, JsonValue>;
  /** Values that files are about to have while they are changed; until the change ends, both these and `trustRequests` are trusted. */
  readonly next?: ReadonlyMap<string, JsonValue>;
}

interface TrustStore {
  /** Absolute path of the file. */
  readonly file: string;
  agreed(): Agreed;
  /** Reads the file again; true if its content changed. A file that cannot be used counts as empty. */
  refresh(): Promise<boolean>;
  /** @throws {TrustFileError} if the file cannot be used or written. */
  change(edit: (before: Agreed) => Agreed): Promise<void>;
}

/** The user's trust file is broken or cannot be written. */
export class TrustFileError extends Error {
  override readonly name = "TrustFileError";
}

const FILE_VERSION = 1;
const BOUNDS = { maxBytes: 4 * 1024 * 1024, maxDepth: 72 } as const;
const OWNER_ONLY = 0o600;
const NOTHING: Agreed = { all: false, demands: new Map() };

/** Parts of the platform that a trust store needs. */
export type TrustPlatform = Pick<Platform, "files" | "environment" | "clock" | "random" | "log">;

/** @param root real path of the project's folder. */
export async function openTrustStore(platform: TrustPlatform, root: string): Promise<TrustStore> {
  const { files, environment } = platform;
  const file = `${environment.config}/projects/${(await sha256Hex(root)).slice(0, 32)}.json`;
  const inTurn = createMutex();
  let text: string | undefined;
  let agreed = NOTHING;
  let problem: string | undefined;

  async function read(): Promise<boolean> {
    const now = await readOrUndefined(files, file);
    if (now === text) return false;
    text = now;
    const parsed = now === undefined ? NOTHING : parse(now, root);
    problem = typeof parsed === "string" ? parsed : undefined;
    agreed = typeof parsed === "string" ? NOTHING : parsed;
    return true;
  }

  await read();
  return {
    file,
    agreed: () => agreed,
    refresh: () => inTurn(read),
    change: (edit) =>
      inTurn(async () => {
        try {
          await inFileTurn(platform, `${file}.busy`, async (check) => {
            await read();
            if (problem !== undefined) throw new TrustFileError(`Cannot change "${file}": ${problem} (delete it, and trust again)`);
            const next = toText(root, edit(agreed));
            await check();
            await files.writeAtomic(file, next, OWNER_ONLY);
          });
        } catch (error) {
          if (!(error instanceof FileError)) throw error;
          throw new TrustFileError(`Cannot write "${file}": ${error.message} (to use another folder, set XDG_CONFIG_HOME)`, {
            cause: error,
          });
        }
        await read();
      }),
  };
}

/** Adds these requests; those of other names stay trusted. */
export function withTrustRequests({ next: coming = new Map(), ...before }: Agreed, trustRequests: readonly TrustRequest[]): Agreed {
  const agreed = new Map(trustRequests.map(({ name, value }) => [name, value]));
  const next = new Map([...coming].filter(([name]) => !agreed.has(name)));
  return { ...before, demands: new Map([...before.demands, ...agreed]), ...(next.size > 0 && { next }) };
}

/** Trusts `to` in addition to `from`, which the file requests now. */
export function withChange(before: Agreed, from: TrustRequest, to: TrustRequest): Agreed {
  const settled = withTrustRequests(before, [from]);
  return { ...settled, next: new Map([...(settled.next ?? []), [to.name, to.value]]) };
}

/** Returns true if the request is trusted. */
export function isIn({ all, demands: trustRequests, next }: Agreed, { name, value }: TrustRequest): boolean {
  return all || [trustRequests.get(name), next?.get(name)].some((known) => known !== undefined && equalJson(known, value));
}

/** Reads the file; undefined if it is missing or unreadable. */
async function readOrUndefined(files: Platform["files"], file: string): Promise<string | undefined> {
  const bytes = await orUndefined(files.readBytes(file, BOUNDS.maxBytes));
  return bytes && new TextDecoder().decode(bytes);
}

function parse(text: string, root: string): Agreed | string {
  const parsed = parseJson(text, BOUNDS);
  if (!parsed.ok) return parsed.problems.map(problemToText).join("; ");
  const { value } = parsed.value;
  if (!isJsonObject(value) || value["version"] !== FILE_VERSION || !isJsonObject(value["agreed"] ?? null))
    return `expected "version": ${FILE_VERSION} and an object "agreed"`;
  if (value["root"] !== root) return "it belongs to another folder";
  const next = isJsonObject(value["next"]) ? new Map(Object.entries(value["next"])) : undefined;
  return { all: value["all"] === true, demands: new Map(Object.entries(value["agreed"] ?? {})), ...(next && { next }) };
}

function toText(root: string, { all, demands: trustRequests, next }: Agreed): string {
  const coming = next === undefined ? undefined : Object.fromEntries(next);
  const document = {
    version: FILE_VERSION,
    root,
    ...(all && { all }),
    agreed: Object.fromEntries(trustRequests),
    ...(coming && { next: coming }),
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}
