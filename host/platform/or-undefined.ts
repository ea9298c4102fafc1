/** For whom a file that cannot be looked at is as good as none. */

import { FileError } from "./platform.ts";

/**
 * What was looked for; undefined where the file is gone, has grown or is out of reach.
 *
 * @throws whatever else goes wrong
 */
export async function orUndefined<T>(look: Promise<T>): Promise<T | undefined> {
  try {
    return await look;
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
  }
}
