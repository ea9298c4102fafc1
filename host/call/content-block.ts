/** Content blocks of a result: their members, and their form in MCP (SPEC X1, K3). */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../manifests/mod.ts";
import { copyJson } from "../primitives/json/json.ts";
import { copyHolder, holdLarge, largeIn } from "../primitives/json/large.ts";

/** Members that MCP allows on every block. */
interface BlockNotes {
  readonly annotations?: BlockAnnotations;
  /** For programs; models do not see it. */
  readonly _meta?: JsonObject;
}

/** A block's audience, its priority from 0 to 1, and the time of its last change (ISO 8601 with an offset). */
interface BlockAnnotations {
  readonly audience?: readonly ("user" | "assistant")[];
  readonly priority?: number;
  readonly lastModified?: string;
}

/** An icon of a linked resource. */
interface BlockIcon {
  readonly src: string;
  readonly mimeType?: string;
  readonly sizes?: readonly string[];
  readonly theme?: "light" | "dark";
}

/** A content block for models and users, as in MCP. `data` and `blob` are base64. */
export type ContentBlock = BlockNotes &
  (
    | { readonly type: "text"; readonly text: string }
    | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
    /** The contents of a resource: `text` or `blob`. `resourceMeta` is the `_meta` of the contents, beside that of the block. */
    | {
        readonly type: "resource";
        readonly uri: string;
        readonly text?: string;
        readonly blob?: string;
        readonly mimeType?: string;
        readonly resourceMeta?: JsonObject;
      }
    /** A link to a resource. `size` is in bytes. */
    | {
        readonly type: "resource_link";
        readonly uri: string;
        readonly name: string;
        readonly title?: string;
        readonly description?: string;
        readonly mimeType?: string;
        readonly size?: number;
        readonly icons?: readonly BlockIcon[];
      }
  );

/** Members with long strings, which may stay bytes. */
export const LONG_MEMBERS: readonly string[] = ["data", "text", "blob"];
/** Members that describe a block; they are small values in every result, and doors do not write them in slices. */
const NOTES: readonly string[] = ["annotations", "_meta", "resourceMeta", "title", "description", "icons"];
const NOTES_BOUNDS = { maxBytes: 64 * 1024, maxDepth: 64 } as const;

/** Limit of truncated blocks: the descriptions of later blocks are dropped unread, because reading them takes time. */
const MOST_CUT = 16;
const CUT: JsonObject = Object.freeze({ "bascule/cut": "The descriptions of a result's blocks are limited to 64 KB and 64 levels" });

/** Reads the blocks of one result. Their descriptions take 64 KB in total; a block above that is marked as truncated. */
export function createBlockReader(read: typeof readBlock = readBlock): typeof readBlock {
  let left = NOTES_BOUNDS.maxBytes;
  let cut = 0;
  return (block) => {
    if (!isJsonObject(block) || !NOTES.some((name) => block[name] !== undefined)) return read(block);
    const copy =
      cut < MOST_CUT
        ? copyJson(
            NOTES.map((name) => block[name]),
            { ...NOTES_BOUNDS, maxBytes: left },
          )
        : undefined;
    if (copy?.ok === true) {
      left -= copy.bytes;
      return read(block);
    }
    cut += 1;
    const { annotations: _annotations, title: _title, description: _description, icons: _icons, resourceMeta: _meta, ...rest } = block;
    return read({ ...rest, _meta: CUT });
  };
}

/** Returns undefined for an invalid block. Members of a wrong type are left out, because a client would refuse the whole result. */
function readBlock(block: JsonValue): ContentBlock | undefined {
  if (!isJsonObject(block)) return undefined;
  const { type, text, data, uri, name } = block;
  const notes = notesOf(block);
  const mimeType = textOf(block, "mimeType");
  if (type === "text" && typeof text === "string") return { type, text, ...notes };
  if ((type === "image" || type === "audio") && typeof data === "string" && mimeType !== undefined)
    return { type, data, mimeType, ...notes };
  if (typeof uri !== "string") return undefined;
  if (type === "resource") {
    const blob = textOf(block, "blob");
    return {
      ...{ type, uri },
      // MCP allows contents of one kind only.
      ...(typeof text === "string" ? { text } : blob !== undefined && { blob }),
      ...(mimeType !== undefined && { mimeType }),
      ...(isJsonObject(block["resourceMeta"]) && { resourceMeta: block["resourceMeta"] }),
      ...notes,
    };
  }
  if (type !== "resource_link" || typeof name !== "string") return undefined;
  const { size } = block;
  const [title, description, icons] = [textOf(block, "title"), textOf(block, "description"), iconsOf(block["icons"])];
  return {
    ...{ type, uri, name },
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(mimeType !== undefined && { mimeType }),
    ...(typeof size === "number" && { size }),
    ...(icons !== undefined && { icons }),
    ...notes,
  };
}

/** Reads a block in MCP's form. Returns undefined for an invalid block. */
export function blockFromMcp(block: JsonValue): ContentBlock | undefined {
  if (!isJsonObject(block) || block["type"] !== "resource") return readBlock(block);
  const { type, resource, annotations, _meta } = block;
  if (!isJsonObject(resource)) return undefined;
  const { uri, text, blob, mimeType, _meta: resourceMeta } = resource;
  const parts = Object.entries({ type, uri, text, blob, mimeType, resourceMeta, annotations, _meta });
  return readBlock(Object.fromEntries(parts.flatMap(([name, part]) => (part === undefined ? [] : [[name, part]]))));
}

/** Replaces data that is not base64, because a client would refuse the whole result. */
export function blockToMcp(block: ContentBlock): JsonObject {
  if (!isSendable(block)) return { type: "text", text: `[${block.type} that is not base64]` };
  if (block.type !== "resource") return copyHolder<JsonObject>(block as unknown as JsonObject);
  const { uri, mimeType, resourceMeta, annotations, _meta } = block;
  const member = "blob" in block ? "blob" : "text";
  const large = largeIn(block, member);
  const resource = {
    uri,
    ...(mimeType !== undefined && { mimeType }),
    [member]: large === undefined ? (block[member] ?? "") : "",
    ...(resourceMeta && { _meta: resourceMeta }),
  };
  if (large !== undefined) holdLarge(resource, member, large);
  return { type: "resource", resource, ...(annotations && { annotations: { ...annotations } }), ...(_meta && { _meta }) };
}

function isSendable(block: ContentBlock): boolean {
  const member = block.type === "image" || block.type === "audio" ? "data" : "blob";
  if (!(member in block)) return true;
  const large = largeIn(block, member);
  return large === undefined ? BASE64.test(String(Reflect.get(block, member))) : large.isBase64;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function notesOf({ annotations, _meta }: JsonObject): BlockNotes {
  const told = isJsonObject(annotations) ? annotationsOf(annotations) : undefined;
  return { ...(told && { annotations: told }), ...(isJsonObject(_meta) && { _meta }) };
}

function annotationsOf({ audience, priority, lastModified }: JsonObject): BlockAnnotations {
  return {
    ...(isAudience(audience) && { audience }),
    ...(typeof priority === "number" && priority >= 0 && priority <= 1 && { priority }),
    ...(typeof lastModified === "string" && isDateTime(lastModified) && { lastModified }),
  };
}

function isAudience(audience: JsonValue | undefined): audience is readonly ("user" | "assistant")[] {
  return audience !== undefined && isJsonArray(audience) && audience.every((one) => one === "user" || one === "assistant");
}

/** Accepts ISO 8601 as clients check it: with an offset and a valid date. */
function isDateTime(text: string): boolean {
  const [, year, month, day] =
    /^(\d{4})-(\d\d)-(\d\d)T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/.exec(text) ?? [];
  if (year === undefined) return false;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCDate() === Number(day) && date.getUTCMonth() === Number(month) - 1;
}

function iconsOf(icons: JsonValue | undefined): readonly BlockIcon[] | undefined {
  if (icons === undefined || !isJsonArray(icons)) return undefined;
  return icons.flatMap((icon) => {
    const src = isJsonObject(icon) ? textOf(icon, "src") : undefined;
    if (!isJsonObject(icon) || src === undefined) return [];
    const { sizes, theme } = icon;
    const mimeType = textOf(icon, "mimeType");
    return [
      {
        src,
        ...(mimeType !== undefined && { mimeType }),
        ...(sizes !== undefined && isJsonArray(sizes) && { sizes: sizes.filter((size) => typeof size === "string") }),
        ...((theme === "light" || theme === "dark") && { theme }),
      },
    ];
  });
}

function textOf(holder: JsonObject, name: string): string | undefined {
  const value = holder[name];
  return typeof value === "string" ? value : undefined;
}
