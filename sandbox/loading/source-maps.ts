/**
 * Source maps among a plugin's own files (https://tc39.es/ecma426/), written by `bascule pack` or another build, so that errors name the
 * author's files (SPEC H5).
 *
 * The plugin's author controls a map. It only affects the stacks of that plugin.
 */

import { fromMappings, type Place, type Position } from "./positions.ts";

/** Returns the source of a position if the file has a map for it. */
type SourceMaps = (file: string, position: Position) => Place | undefined;

/** Creates the source maps. Each map is read when a stack first names its file. @param files the plugin's files, by path */
export function createSourceMaps(files: ReadonlyMap<string, Uint8Array>): SourceMaps {
  const known = new Map<string, ((position: Position) => Place) | undefined>();
  return (file, position) => {
    if (!known.has(file)) known.set(file, readMap(file, files));
    return known.get(file)?.(position);
  };
}

/** Comment at the end of the code, with the name of a file in the same folder. */
const COMMENT = /\/\/# sourceMappingURL=([\w.-]{1,200}\.map)\s*$/;
const COMMENT_BYTES = 300;
/** Larger maps are ignored, because of the time that one stack would take and of the memory. */
const MAX_MAP_BYTES = 8 * 1024 * 1024;
const MAX_MAPPINGS = 3_000_000;

function readMap(file: string, files: ReadonlyMap<string, Uint8Array>): ((position: Position) => Place) | undefined {
  const name = COMMENT.exec(new TextDecoder().decode(files.get(file)?.slice(-COMMENT_BYTES)))?.[1];
  if (name === undefined) return undefined;
  const path = file.slice(0, file.lastIndexOf("/") + 1) + name;
  const bytes = files.get(path);
  if (bytes === undefined || bytes.length > MAX_MAP_BYTES) return undefined;
  const map = parse(new TextDecoder().decode(bytes));
  const mappings = fieldOf(map, "mappings");
  const sources = fieldOf(map, "sources");
  if (typeof mappings !== "string" || mappings.length > MAX_MAPPINGS || !Array.isArray(sources)) return undefined;
  return fromMappings(
    mappings,
    sources.map((source: unknown) => sourcePath(source, path)),
  );
}

/** Returns a path relative to the plugin's folder; undefined for paths outside it. */
function sourcePath(source: unknown, map: string): string | undefined {
  if (typeof source !== "string" || source.length > 1000 || !URL.canParse(source, ROOT + map)) return undefined;
  const { href } = new URL(source, ROOT + map);
  return href.startsWith(ROOT) && /^[\w/.@+-]+$/.test(href.slice(ROOT.length)) ? href.slice(ROOT.length) : undefined;
}

/** Only used to resolve names. */
const ROOT = "file:///$/";

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
