/** Databases in memory, on the calling thread: nothing ends a statement that does not end. */

import { createPluginDatabase, DatabaseFailure, type PluginDatabase } from "../databases/plugin-database.ts";
import type { Databases } from "../databases/database-types.ts";

/** @param file creates the file that stands for a database, and says whether it is there: deleting it deletes the database */
export function createMemoryDatabases(file: { create(path: string): void; exists(path: string): Promise<boolean> }): Databases {
  const open = new Map<string, PluginDatabase>();
  return {
    async run(folder, { body, ...head }) {
      const path = `${folder}/data.db`;
      const known = (await file.exists(path)) ? open.get(folder) : undefined;
      const database = known ?? createPluginDatabase(undefined);
      open.set(folder, database);
      if (head.access === "write") file.create(path);
      try {
        return { ok: true, bytes: new TextEncoder().encode(database.run(head, new TextDecoder().decode(body))) };
      } catch (error) {
        if (!(error instanceof DatabaseFailure || error instanceof TypeError)) throw error;
        return { ok: false, name: error.name, message: error.message, ...(error instanceof DatabaseFailure && { code: error.code }) };
      }
    },
    // Nothing holds a file open.
    release: () => Promise.resolve(),
  };
}
