/**
 * Rows that outlive the host's process, sealed with the project's key: nothing of them is readable without it, and nothing can be changed
 * unnoticed.
 *
 * Every host writes to a file of its own, which it creates with its first row. A host takes over the files of hosts that have ended.
 */

import type { JsonValue } from "../../../manifests/mod.ts";
import { unlessMissing } from "../../platform/or-undefined.ts";
import type { Files } from "../../platform/platform.ts";
import type { SealMisfit, StateFile, States, Unsealed } from "../../platform/files/state-types.ts";
import { tryJson } from "../json/json-text.ts";

/** The store of one host. */
export interface SealedStore {
  /** Takes over the rows of hosts that have ended. @returns the files that cannot be read, which stay */
  takeOver(): Promise<readonly DamagedFile[]>;
  /** Returns the rows of one kind. @param kind a word */
  space(kind: string, bounds?: SpaceBounds): SealedSpace;
  /** Releases the rows, which another host may take over then. */
  close(): void;
}

interface DamagedFile {
  readonly path: string;
  readonly error: unknown;
}

/** Defaults: 10,000 rows and 512 MiB of bodies. */
interface SpaceBounds {
  readonly maximumRows?: number;
  readonly maximumBytes?: number;
}

/** Rows of one kind. */
export interface SealedSpace {
  /** Returns the rows, with the sizes of their bodies: those that were put, and those that were taken over. */
  list(): readonly { readonly id: string; readonly bytes: number }[];
  /** Returns the head of a row; undefined if there is none. */
  head(id: string): SealedHead | undefined;
  /** Adds or replaces a row. @returns why it cannot be kept; undefined if it survives the end of the process from now on */
  put(id: string, head: JsonValue, body?: Uint8Array): string | undefined;
  /** Returns the body of a row; undefined if there is none. */
  body(id: string): Unsealed | undefined;
  delete(id: string): void;
}

/** `value` is absent if the head cannot be read; `differs` says why. */
interface SealedHead {
  readonly value?: JsonValue | undefined;
  readonly differs?: SealMisfit;
}

export interface SealedStoreOptions {
  readonly states: States;
  readonly files: Pick<Files, "list">;
  /** Absolute; created with the first row. */
  readonly folder: string;
  readonly keyFile: string;
  readonly newId: () => string;
}

interface Row {
  readonly file: StateFile;
  readonly bytes: number;
}

const SUFFIX = ".db";
const MAXIMUM_ROWS = 10_000;
const MAXIMUM_BYTES = 512 * 1024 * 1024;
const encoder = new TextEncoder();

export function createSealedStore({ states, files, folder, keyFile, newId }: SealedStoreOptions): SealedStore {
  const held: StateFile[] = [];
  const kinds = new Map<string, Map<string, Row>>();
  let isClosed = false;
  let key: Uint8Array | undefined;

  function own(): StateFile {
    const [known] = held;
    if (known !== undefined) return known;
    const made = states.create(`${folder}/${newId()}${SUFFIX}`);
    held.push(made);
    return made;
  }

  function keyOf(): Uint8Array {
    return (key ??= states.keyAt(keyFile));
  }

  function rowsOf(kind: string): Map<string, Row> {
    const rows = kinds.get(kind) ?? new Map<string, Row>();
    kinds.set(kind, rows);
    return rows;
  }

  function space(kind: string, { maximumRows = MAXIMUM_ROWS, maximumBytes = MAXIMUM_BYTES }: SpaceBounds = {}): SealedSpace {
    const rows = rowsOf(kind);
    const nameOf = (id: string): string => `${kind} ${id}`;
    let total: number | undefined;

    function open(id: string, part: "head" | "body"): Unsealed | undefined {
      try {
        const sealed = rows.get(id)?.file[part](nameOf(id));
        return sealed && states.unseal(keyOf(), sealed, `${part} ${nameOf(id)}`);
      } catch {
        // SQLite cannot read a damaged file: its rows count as altered.
        return { ok: false, differs: "altered" };
      }
    }

    return {
      list: () => Array.from(rows, ([id, { bytes }]) => ({ id, bytes })),
      head(id) {
        const opened = open(id, "head");
        if (opened === undefined) return undefined;
        return opened.ok ? { value: tryJson(new TextDecoder().decode(opened.bytes)) } : { differs: opened.differs };
      },
      put(id, head, body) {
        if (isClosed) return "the host is closed";
        total ??= Array.from(rows.values()).reduce((sum, { bytes }) => sum + bytes, 0);
        const before = rows.get(id);
        const bytes = body?.length ?? 0;
        if (before === undefined && rows.size >= maximumRows) return `${rows.size} are kept already`;
        const others = total - (before?.bytes ?? 0);
        if (others + bytes > maximumBytes) return `${total} bytes are kept already`;
        const file = before?.file ?? own();
        const sealed = body && states.seal(keyOf(), body, `body ${nameOf(id)}`);
        file.put(nameOf(id), states.seal(keyOf(), encoder.encode(JSON.stringify(head)), `head ${nameOf(id)}`), sealed);
        total = others + bytes;
        rows.set(id, { file, bytes });
        return undefined;
      },
      body: (id) => open(id, "body"),
      delete(id) {
        const row = rows.get(id);
        if (row === undefined) return;
        row.file.delete(nameOf(id));
        rows.delete(id);
        if (total !== undefined) total -= row.bytes;
      },
    };
  }

  /** Two ended hosts may have left the same row: the first stays. */
  function takeRows(file: StateFile): void {
    for (const { id: name, bytes } of file.rows()) {
      const end = name.indexOf(" ");
      const rows = rowsOf(name.slice(0, end));
      const id = name.slice(end + 1);
      if (rows.has(id)) file.delete(name);
      else rows.set(id, { file, bytes });
    }
  }

  return {
    async takeOver() {
      const entries = await files.list(folder).catch(unlessMissing([]));
      return entries.flatMap(({ name, kind }): readonly DamagedFile[] => {
        const path = `${folder}/${name}`;
        if (kind !== "file" || !name.endsWith(SUFFIX)) return [];
        try {
          const file = states.takeOver(path);
          if (file === undefined) return [];
          takeRows(file);
          held.push(file);
          return [];
        } catch (error) {
          return [{ path, error }];
        }
      });
    },
    space,
    close() {
      isClosed = true;
      for (const file of held.splice(0)) file.close();
      kinds.clear();
    },
  };
}
