/** Estimates the heap size of plain data. */

/** Heap bytes of an object with one member. Its JSON is much shorter: `[]` takes two bytes there. */
const VALUE_BYTES = 48;

/** Returns the approximate heap size, never much too small. The depth was bounded when the value crossed the boundary. */
export function sizeIn(value: unknown): number {
  if (typeof value === "string") return 2 * value.length;
  if (typeof value !== "object" || value === null) return 8;
  let size = VALUE_BYTES;
  if (Array.isArray(value)) {
    // Indexed access: listing the keys of a long list takes ten times as long, and a guest can send half a million items.
    for (let index = 0; index < value.length; index += 1) size += 8 + sizeIn(value[index]);
    return size;
  }
  // Plain data has no inherited members.
  for (const key in value) size += key.length + sizeIn((value as Readonly<Record<string, unknown>>)[key]);
  return size;
}
