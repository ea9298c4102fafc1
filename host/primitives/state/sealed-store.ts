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
  /** Takes over the rows of hosts that have ended. */
  takeOver(): Promise<void>;
  /** Returns the rows of one kind. @param kind a word */
  space(kind: string, bounds?: SpaceBounds): SealedSpace;
  /** Releases the rows, which another host may take over then. */
  close(): void;
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
  readonly onDefect: (message: string, error?: unknown) => void;
}

interface Row {
  readonly file: StateFile;
  readonly bytes: number;
}

/** Rows of one kind. */
interface Kind {
  readonly rows: Map<string, Row>;
  /** Bytes of all bodies. */
  total: number;
}

const SUFFIX = ".db";
const MAXIMUM_ROWS = 10_000;
const MAXIMUM_BYTES = 512 * 1024 * 1024;
const encoder = new TextEncoder();

export function createSealedStore({ states, files, folder, keyFile, newId, onDefect }: SealedStoreOptions): SealedStore {
  const held: StateFile[] = [];
  const kinds = new Map<string, Kind>();
  let isClosed = false;
  let key: Uint8Array | undefined;

  function ownFile(): StateFile {
    const [known] = held;
    if (known !== undefined) return known;
    const made = states.create(`${folder}/${newId()}${SUFFIX}`);
    held.push(made);
    return made;
  }

  function keyOf(): Uint8Array {
    return (key ??= states.keyAt(keyFile));
  }

  function kindOf(name: string): Kind {
    const kind = kinds.get(name) ?? { rows: new Map<string, Row>(), total: 0 };
    kinds.set(name, kind);
    return kind;
  }

  function forget(kind: Kind, id: string): void {
    kind.total -= kind.rows.get(id)?.bytes ?? 0;
    kind.rows.delete(id);
  }

  /** Deletes a row. @returns false if its file had to be removed with all others */
  function remove(file: StateFile, name: string): boolean {
    const removed = file.delete(name);
    if (removed === undefined) return true;
    held.splice(held.indexOf(file), 1);
    for (const kind of kinds.values()) for (const [id, row] of kind.rows) if (row.file === file) forget(kind, id);
    onDefect(`What was kept for the next host was removed, because a part of it could not be: ${removed}`);
    return false;
  }

  function space(kind: string, { maximumRows = MAXIMUM_ROWS, maximumBytes = MAXIMUM_BYTES }: SpaceBounds = {}): SealedSpace {
    const own = kindOf(kind);
    const { rows } = own;
    const nameOf = (id: string): string => `${kind} ${id}`;

    function open(id: string, part: "head" | "body"): Unsealed | undefined {
      if (isClosed) return undefined;
      let sealed: Uint8Array | undefined;
      try {
        sealed = rows.get(id)?.file[part](nameOf(id));
      } catch (error) {
        onDefect(`What was kept of "${nameOf(id)}" cannot be read`, error);
        return { ok: false, differs: "altered" };
      }
      return sealed && states.unseal(keyOf(), sealed, `${part} ${nameOf(id)}`);
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
        const before = rows.get(id);
        const bytes = body?.length ?? 0;
        if (before === undefined && rows.size >= maximumRows) return `${rows.size} are kept already`;
        const others = own.total - (before?.bytes ?? 0);
        if (others + bytes > maximumBytes) return `${own.total} bytes are kept already`;
        const file = before?.file ?? ownFile();
        const sealed = body && states.seal(keyOf(), body, `body ${nameOf(id)}`);
        file.put(nameOf(id), states.seal(keyOf(), encoder.encode(JSON.stringify(head)), `head ${nameOf(id)}`), sealed);
        own.total = others + bytes;
        rows.set(id, { file, bytes });
        return undefined;
      },
      body: (id) => open(id, "body"),
      delete(id) {
        const row = rows.get(id);
        // Another host may have the file by then.
        if (row === undefined || isClosed) return;
        remove(row.file, nameOf(id));
        forget(own, id);
      },
    };
  }

  function take(path: string): void {
    const file = states.takeOver(path);
    const found = file?.rows() ?? [];
    if (file === undefined) return;
    held.push(file);
    for (const { id: name, bytes } of found) {
      const end = name.indexOf(" ");
      const kind = kindOf(name.slice(0, end));
      const id = name.slice(end + 1);
      // Two ended hosts may have left the same row: the first stays.
      if (kind.rows.has(id)) {
        if (remove(file, name)) continue;
        return;
      }
      kind.rows.set(id, { file, bytes });
      kind.total += bytes;
    }
  }

  return {
    async takeOver() {
      const entries = await files.list(folder).catch(unlessMissing([]));
      for (const { name, kind } of entries) {
        if (kind !== "file" || !name.endsWith(SUFFIX)) continue;
        try {
          take(`${folder}/${name}`);
        } catch (error) {
          // The others can be read.
          onDefect(`What an earlier host left in "${folder}/${name}" cannot be read (delete the file; what it holds is lost)`, error);
        }
      }
    },
    space,
    close() {
      isClosed = true;
      for (const file of held.splice(0)) file.close();
      kinds.clear();
    },
  };
}
