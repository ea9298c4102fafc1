/** Pages of sorted lists. A cursor is the key after which the next page begins, so that a reload in between skips nothing. */

import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { compareText } from "../../primitives/digest.ts";

/** A page of items. */
interface Page<Item> {
  readonly items: readonly Item[];
  /** Cursor of the next page; absent on the last page. */
  readonly nextCursor?: string;
}

const MAX_ITEMS = 200;
/** Maximum characters of JSON per page; a single larger item still makes a page. */
const MAX_LENGTH = 1024 * 1024;
const MAX_CURSOR = 4_096;

/**
 * @param items in any order
 * @param keyOf returns the unique key that items are sorted by
 * @throws {ProtocolError} if the cursor is invalid
 */
export function pageOf<Item>(items: readonly Item[], keyOf: (item: Item) => string, cursor: string | undefined): Page<Item> {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const sorted = items.map((item) => ({ key: keyOf(item), item })).toSorted((left, right) => compareText(left.key, right.key));
  const rest = after === undefined ? sorted : sorted.filter(({ key }) => compareText(key, after) > 0);
  const page: Item[] = [];
  let length = 0;
  for (const { key, item } of rest) {
    length += JSON.stringify(item).length;
    if (page.length > 0 && (page.length >= MAX_ITEMS || length > MAX_LENGTH)) {
      const last = rest[page.length - 1];
      return { items: page, nextCursor: writeCursor(last?.key ?? key) };
    }
    page.push(item);
  }
  return { items: page };
}

function writeCursor(key: string): string {
  return `after:${encodeURIComponent(key)}`;
}

function readCursor(cursor: string): string {
  try {
    if (cursor.startsWith("after:") && cursor.length <= MAX_CURSOR) return decodeURIComponent(cursor.slice("after:".length));
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
  }
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid cursor: list again without a cursor");
}
