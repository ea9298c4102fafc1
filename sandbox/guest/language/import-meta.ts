/** `import.meta.resolve` for a plugin's modules (https://html.spec.whatwg.org/#dom-import-meta-resolve). */

import { PrimordialTypeError, stringEndsWith, stringSlice, stringStartsWith } from "./primordials.ts";
import { URL } from "../web/url.ts";
import { nameFunction, toDomString } from "../web/webidl.ts";

const PLUGIN_ROOT = "file:///$plugin/";

/**
 * @param url URL of the module
 * @param imports names of the import map with their files, longest first
 */
export function createResolve(url: string, imports: readonly (readonly [name: string, file: string])[]): (specifier: unknown) => string {
  const resolve = (specifier: unknown): string => {
    const name = toDomString(specifier);
    if (stringStartsWith(name, "./") || stringStartsWith(name, "../") || stringStartsWith(name, "/")) return new URL(name, url).href;
    for (let index = 0; index < imports.length; index++) {
      const [known, file] = imports[index] ?? ["", ""];
      if (name === known) return PLUGIN_ROOT + file;
      if (stringEndsWith(known, "/") && stringStartsWith(name, known)) return PLUGIN_ROOT + file + stringSlice(name, known.length);
    }
    if (URL.canParse(name)) return new URL(name).href;
    throw new PrimordialTypeError(`Import "${name}" not a dependency: write it under "imports" in manifest.json`);
  };
  nameFunction(resolve, "resolve");
  return resolve;
}
