/** The folders of plugins' data in the project (SPEC AX3). */

import { type Manifest, requestsData } from "../../manifests/mod.ts";
import { errorText } from "../platform/error-text.ts";
import { FileError, type Platform } from "../platform/platform.ts";

export interface DataFolders {
  /** Folder above the plugins' `$data`. */
  readonly data: string;
  /** Folder above the folders of the plugins' databases. */
  readonly databases: string;
  /**
   * Creates the folder of a plugin that requests `$data`; the plugin itself may not write in the folder above. Returns undefined if there is
   * nothing to do. Never rejects.
   */
  prepare(plugin: string, manifest: Manifest): Promise<void> | undefined;
  /** Deletes a plugin's data. @throws {FileError} also if a folder above it is a link: a checkout may bring one that leads to a user's files */
  remove(plugin: string): Promise<void>;
}

export function createDataFolders(
  places: Pick<DataFolders, "data" | "databases">,
  { files, log, databases }: Pick<Platform, "files" | "log" | "databases">,
): DataFolders {
  const prepared = new Map<string, Promise<void>>();

  async function prepare(plugin: string): Promise<void> {
    try {
      await files.makeDirectory(`${places.data}/${plugin}`);
    } catch (error) {
      // The next call tries again; until then the plugin sees that the folder is missing.
      prepared.delete(plugin);
      log.write("warn", "The data folder of a plugin cannot be created", { plugin, error: errorText(error) });
    }
  }

  return {
    ...places,
    prepare(plugin, { permissions }) {
      const known = prepared.get(plugin);
      if (known !== undefined) return known === DONE ? undefined : known;
      if (!requestsData(permissions)) return undefined;
      const preparing = prepare(plugin);
      prepared.set(plugin, preparing);
      void preparing.then(() => prepared.has(plugin) && prepared.set(plugin, DONE));
      return preparing;
    },
    async remove(plugin) {
      prepared.delete(plugin);
      for (const place of [places.databases, places.data])
        if ((await files.lstat(place)) !== undefined && (await files.realPath(place)) !== place)
          throw new FileError(
            "not_regular",
            `"${place}" is or is below a link, so the data of "${plugin}" stays there (delete it by hand)`,
          );
      const folder = `${places.databases}/${plugin}`;
      await databases.release(folder);
      await files.remove(folder);
      await files.remove(`${places.data}/${plugin}`);
    },
  };
}

const DONE = Promise.resolve();
