/** Creates a sparse list: it takes no memory, crosses every port, and takes very long to iterate over. */
export function holes(count: number): unknown[] {
  const list: unknown[] = [];
  list.length = count;
  return list;
}
