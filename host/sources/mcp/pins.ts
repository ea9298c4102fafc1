/** Which definitions of servers' tools a person has accepted: a changed one is not offered until somebody agrees (SPEC K3, H6). */

import { hashOf } from "../../confirmations/request.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../manifests/mod.ts";
import { readJsonText } from "../../json-text.ts";
import { FileError, type Platform } from "../../platform/platform.ts";

/** Hashes of a tool's parts, by part. */
export type Pin = Readonly<Record<string, string>>;

/** The pins of one project. */
export interface PinStore {
  /** By the server's own name of a tool; undefined if the server has never been seen. @throws {Error} if the file is not as it was written. */
  read(server: string): Promise<ReadonlyMap<string, Pin> | undefined>;
  /** In place of what was pinned for the server. */
  write(server: string, pins: ReadonlyMap<string, Pin>): Promise<void>;
}

const FILE_VERSION = 1;
const BOUNDS = { maxBytes: 16 * 1024 * 1024, maxDepth: 16 } as const;
const OWNER_ONLY = 0o600;

/** In `.bascule/mcp-pins.json`, which no tool may write. */
export function createPinStore({ files }: Pick<Platform, "files">, state: string): PinStore {
  const file = `${state}/mcp-pins.json`;
  let last: Promise<unknown> = Promise.resolve();

  async function readAll(): Promise<JsonObject> {
    let text: string;
    try {
      text = await files.readText(file);
    } catch (error) {
      if (error instanceof FileError && error.code === "not_found") return {};
      throw error;
    }
    const parsed = readJsonText(text, BOUNDS);
    const servers =
      parsed.ok && isJsonObject(parsed.value) && parsed.value["version"] === FILE_VERSION ? parsed.value["servers"] : undefined;
    // Without what was accepted nothing can be compared: to pin anew would be to accept whatever is there now.
    if (!isJsonObject(servers)) throw new Error(`"${file}" is broken (remove it to accept the tools of all MCP servers anew)`);
    return servers;
  }

  async function replace(server: string, pins: ReadonlyMap<string, Pin>): Promise<void> {
    const servers = { ...(await readAll()), [server]: Object.fromEntries(pins) };
    await files.makeDirectory(state);
    await files.writeAtomic(file, `${JSON.stringify({ version: FILE_VERSION, servers }, null, 2)}\n`, OWNER_ONLY);
  }

  return {
    async read(server) {
      await last;
      const servers = await readAll();
      const pins = Object.hasOwn(servers, server) ? servers[server] : undefined;
      return isJsonObject(pins) ? new Map(Object.entries(pins).map(([tool, pin]) => [tool, toPin(pin)])) : undefined;
    },
    async write(server, pins) {
      // One after the other, since each keeps what the others wrote.
      const written = last.then(() => replace(server, pins));
      last = written.catch(() => {});
      await written;
    },
  };
}

/** One hash for each part, so that it can be said which one changed. */
export async function pinOf(parts: JsonObject): Promise<Pin> {
  const hashes = Object.entries(parts).map(async ([part, value]): Promise<[string, string]> => [part, await hashOf(value)]);
  return Object.fromEntries(await Promise.all(hashes));
}

/** The parts that are not as they were pinned. */
export function changedParts(before: Pin, now: Pin): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(now)])].filter((part) => before[part] !== now[part]);
}

function toPin(value: JsonValue): Pin {
  const parts = isJsonObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(parts.map(([part, hash]) => [part, typeof hash === "string" ? hash : ""]));
}
