/** Reads the packages that `deno.json`, `deno.jsonc` and `package.json` list, in a plugin's folder and the folders above it. */

import { isJsonObject, type JsonObject, parseJson, withoutComments } from "../../../manifests/mod.ts";
import type { Platform } from "../../platform/platform.ts";

/** Names of one file, nearest file first. */
export interface PackageList {
  readonly kind: "deno" | "node";
  /** Folder of the file, which paths in it are relative to. */
  readonly folder: string;
  /** Deno's `imports`, or Node's dependencies, by name. */
  readonly names: ReadonlyMap<string, string>;
}

const MAX_BYTES = 1024 * 1024;
const DEPENDENCIES = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"] as const;

type PackageLists = { readonly ok: true; readonly lists: readonly PackageList[] } | { readonly ok: false; readonly message: string };

/** @param directory real path of the plugin's folder. */
export async function readPackageLists(files: Platform["files"], directory: string): Promise<PackageLists> {
  const lists: PackageList[] = [];
  for (let folder = directory; ; folder = folder.slice(0, folder.lastIndexOf("/"))) {
    for (const name of ["deno.json", "deno.jsonc", "package.json"] as const) {
      const path = `${folder}/${name}`;
      const document = await readDocument(files, path);
      if (document === undefined) continue;
      if (typeof document === "string") return { ok: false, message: document };
      if (name === "package.json")
        lists.push({ kind: "node", folder, names: new Map(DEPENDENCIES.flatMap((key) => texts(document[key]))) });
      else lists.push(...(await denoLists(files, folder, document)));
    }
    if (folder === "") return { ok: true, lists };
  }
}

/** `imports` of the file itself, or of the import map that it names. */
async function denoLists(files: Platform["files"], folder: string, document: JsonObject): Promise<readonly PackageList[]> {
  const map = document["importMap"];
  const named = typeof map === "string" && map.startsWith("./") ? await readDocument(files, `${folder}/${map.slice(2)}`) : undefined;
  const imports = isJsonObject(named) ? named["imports"] : document["imports"];
  return [{ kind: "deno", folder, names: new Map(texts(imports)) }];
}

/** Undefined if the file does not exist; a message if it is not JSON. Comments and trailing commas are accepted. */
async function readDocument(files: Platform["files"], path: string): Promise<JsonObject | string | undefined> {
  if ((await files.stat(path))?.kind !== "file") return undefined;
  const text = withoutComments(new TextDecoder().decode(await files.readBytes(path, MAX_BYTES)));
  const parsed = parseJson(text, { maxBytes: MAX_BYTES, maxDepth: 64 });
  if (!parsed.ok) return `Cannot read "${path}": ${parsed.problems[0]?.message ?? "it is not JSON"}`;
  return isJsonObject(parsed.value.value) ? parsed.value.value : {};
}

function texts(value: unknown): readonly (readonly [string, string])[] {
  return isJsonObject(value) ? Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === "string") : [];
}
