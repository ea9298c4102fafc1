/** Results that are not JSON (SPEC AX4): bytes, images, sounds and files become content blocks, which every door carries. */

import { arrayIsArray, bareList, bareObject, objectKeys, reflectGet, stringStartsWith, typedArrayTag } from "../language/primordials.ts";
import { bytesToBase64 } from "../web/uint8array-text.ts";

/** The parts of a tool output that stands for a value. */
interface FormParts {
  readonly output: object;
  readonly content: readonly object[];
}

/** @returns the parts for bytes, `{ type: "image", mimeType, data }` or `{ type: "file", name, data }`; undefined for every other value */
export function partsOf(value: object): FormParts | undefined {
  if (isBytes(value)) {
    const block = { type: "resource", uri: "output:bytes", mimeType: "application/octet-stream", blob: bytesToBase64(value) };
    return { output: { type: "bytes", bytes: value.byteLength }, content: listWith(block) };
  }
  const type = reflectGet(value, "type");
  if (type === "file") return fileParts(value);
  if (type !== "image" && type !== "audio") return undefined;
  const [mimeType, data] = [reflectGet(value, "mimeType"), reflectGet(value, "data")];
  if (typeof mimeType !== "string" || !stringStartsWith(mimeType, `${type}/`)) return undefined;
  if (typeof data !== "string" && !isBytes(data)) return undefined;
  return { output: { type, mimeType }, content: listWith(encoded(value)) };
}

/** @returns the parts for `{ type: "file", name, mimeType?, data }` with bytes, which no JSON value is; undefined for every other value */
function fileParts(value: object): FormParts | undefined {
  const [name, data, given] = [reflectGet(value, "name"), reflectGet(value, "data"), reflectGet(value, "mimeType")];
  if (typeof name !== "string" || !isBytes(data)) return undefined;
  const mimeType = typeof given === "string" ? given : "application/octet-stream";
  const block = { type: "resource", uri: `output:${name}`, mimeType, blob: bytesToBase64(data) };
  return { output: { type: "file", name, mimeType, bytes: data.byteLength }, content: listWith(block) };
}

/** @returns the content blocks with base64 where they hold bytes */
export function encodedContent(content: unknown): unknown {
  if (!arrayIsArray(content)) return content;
  const blocks = bareList<unknown>();
  for (let index = 0; index < content.length; index++) {
    const block = (content as readonly unknown[])[index];
    blocks[index] = typeof block === "object" && block !== null ? encoded(block) : block;
  }
  return blocks;
}

function encoded(block: object): object {
  const [data, blob] = [reflectGet(block, "data"), reflectGet(block, "blob")];
  if (!isBytes(data) && !isBytes(blob)) return block;
  const copy = bareObject<unknown>();
  const keys = objectKeys(block);
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] ?? "";
    const member = reflectGet(block, key);
    copy[key] = (key === "data" || key === "blob") && isBytes(member) ? bytesToBase64(member) : member;
  }
  return copy;
}

function isBytes(value: unknown): value is Uint8Array<ArrayBuffer> {
  return typedArrayTag(value) === "Uint8Array";
}

function listWith(block: object): readonly object[] {
  const list = bareList<object>();
  list[0] = block;
  return list;
}
