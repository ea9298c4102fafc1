/** A list of so many holes: it takes no memory, crosses every port, and takes for ever to walk over. */
export function holes(count: number): unknown[] {
  const list: unknown[] = [];
  list.length = count;
  return list;
}
