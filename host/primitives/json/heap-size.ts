/** What a value of plain data takes on the heap. */

/** What a value takes on the heap, an object with a member each. JSON says little of it: `[]` is two bytes there. */
const VALUE_BYTES = 48;

/** About, and never much less. Depth was bounded when the value crossed. */
export function sizeIn(value: unknown): number {
  if (typeof value === "string") return 2 * value.length;
  if (typeof value !== "object" || value === null) return 8;
  let size = VALUE_BYTES;
  if (Array.isArray(value)) {
    // By index: listing the keys of a long list takes ten times as long, and a guest can send one of half a million items.
    for (let index = 0; index < value.length; index += 1) size += 8 + sizeIn(value[index]);
    return size;
  }
  // Plain data, without inherited members.
  for (const key in value) size += key.length + sizeIn((value as Readonly<Record<string, unknown>>)[key]);
  return size;
}
