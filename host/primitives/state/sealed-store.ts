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

/** A row that another host left. */
interface LeftRow {
  readonly id: string;
  /** Size of its body. */
  readonly bytes: number;
  /** Undefined if it cannot be read. */
  readonly head: JsonValue | undefined;
  readonly differs?: SealMisfit;
}

export interface SealedStore {
  /** Takes over the rows of hosts that have ended. */
  takeOver(): Promise<readonly LeftRow[]>;
  /** Adds or replaces a row. @returns why it cannot be kept; undefined if it survives the end of the process from now on */
  put(id: string, head: JsonValue, body?: Uint8Array): string | undefined;
  /** Returns the body of a row; undefined if there is none. */
  body(id: string): Unsealed | undefined;
  delete(id: string): void;
  /** Releases the rows, which another host may take over then. */
  close(): void;
}

export interface SealedStoreOptions {
  readonly states: States;
  readonly files: Pick<Files, "list">;
  /** Absolute; created with the first row. */
  readonly folder: string;
  readonly keyFile: string;
  readonly newId: () => string;
  /** Defaults: 10,000 rows and 512 MiB. */
  readonly maximumRows?: number;
  readonly maximumBytes?: number;
}

const SUFFIX = ".db";
const encoder = new TextEncoder();

export function createSealedStore(options: SealedStoreOptions): SealedStore {
  const { states, files, folder, keyFile, newId, maximumRows = 10_000, maximumBytes = 512 * 1024 * 1024 } = options;
  const held: StateFile[] = [];
  /** The file and size of each row. */
  const rows = new Map<string, { readonly file: StateFile; readonly bytes: number }>();
  let total = 0;
  let key: Uint8Array | undefined;

  function own(): StateFile {
    const [known] = held;
    if (known !== undefined) return known;
    const made = states.create(`${folder}/${newId()}${SUFFIX}`);
    held.push(made);
    return made;
  }

  function note(id: string, file: StateFile, bytes: number): void {
    total += bytes - (rows.get(id)?.bytes ?? 0);
    rows.set(id, { file, bytes });
  }

  function takeRows(file: StateFile): LeftRow[] {
    key ??= states.keyAt(keyFile);
    const sealing = key;
    return file.rows().map(({ id, head, bytes }) => {
      note(id, file, bytes);
      const opened = states.unseal(sealing, head, `head ${id}`);
      if (!opened.ok) return { id, bytes, head: undefined, differs: opened.differs };
      return { id, bytes, head: tryJson(new TextDecoder().decode(opened.bytes)) };
    });
  }

  return {
    async takeOver() {
      const entries = await files.list(folder).catch(unlessMissing([]));
      return entries.flatMap(({ name, kind }) => {
        if (kind !== "file" || !name.endsWith(SUFFIX)) return [];
        const file = states.takeOver(`${folder}/${name}`);
        if (file === undefined) return [];
        held.push(file);
        return takeRows(file);
      });
    },
    put(id, head, body) {
      const before = rows.get(id);
      const bytes = body?.length ?? 0;
      if (before === undefined && rows.size >= maximumRows) return `${rows.size} are kept already`;
      if (total - (before?.bytes ?? 0) + bytes > maximumBytes) return `${total} bytes are kept already`;
      key ??= states.keyAt(keyFile);
      const file = before?.file ?? own();
      const sealed = body && states.seal(key, body, `body ${id}`);
      file.put(id, states.seal(key, encoder.encode(JSON.stringify(head)), `head ${id}`), sealed);
      note(id, file, bytes);
      return undefined;
    },
    body(id) {
      const sealed = rows.get(id)?.file.body(id);
      return sealed && key && states.unseal(key, sealed, `body ${id}`);
    },
    delete(id) {
      const row = rows.get(id);
      if (row === undefined) return;
      row.file.delete(id);
      rows.delete(id);
      total -= row.bytes;
    },
    close() {
      for (const file of held.splice(0)) file.close();
      rows.clear();
    },
  };
}
