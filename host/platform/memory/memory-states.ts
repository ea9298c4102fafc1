/** State files in memory. They last as long as the platform. */

import { createStates } from "../files/states.ts";
import type { StateFile, States } from "../files/state-types.ts";

interface MemoryFile {
  readonly rows: Map<string, { readonly head: Uint8Array; readonly body: Uint8Array | undefined }>;
  isHeld: boolean;
}

/** Creates the states. @param plant creates an empty file at a path, so that it is listed; `remove` removes it */
export function createMemoryStates(plant: (path: string) => void, remove: (path: string) => void): States {
  const files = new Map<string, MemoryFile>();
  const keys = new Map<string, Uint8Array>();

  function hold(path: string, file: MemoryFile): StateFile {
    const { rows } = file;
    file.isHeld = true;
    return {
      rows: () => Array.from(rows, ([id, { body }]) => ({ id, bytes: body?.length ?? 0 })),
      head: (id) => rows.get(id)?.head,
      body: (id) => rows.get(id)?.body,
      put: (id, head, body) => void rows.set(id, { head, body }),
      delete(id) {
        rows.delete(id);
        return undefined;
      },
      close() {
        file.isHeld = false;
        if (rows.size > 0) return;
        files.delete(path);
        remove(path);
      },
    };
  }

  return {
    ...createStates(),
    create(path) {
      const file = { rows: new Map(), isHeld: true };
      files.set(path, file);
      plant(path);
      return hold(path, file);
    },
    takeOver(path) {
      const file = files.get(path);
      return file === undefined || file.isHeld ? undefined : hold(path, file);
    },
    keyAt(path) {
      const key = keys.get(path) ?? crypto.getRandomValues(new Uint8Array(32));
      keys.set(path, key);
      return key;
    },
  };
}
