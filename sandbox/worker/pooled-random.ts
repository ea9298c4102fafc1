/** Random bytes for many small requests. */

const POOL_BYTES = 4_096;

/**
 * Fills small requests from a pool. Requesting eight bytes at a time from the system would cost more than a restore. Bytes are erased
 * from the pool when they are used.
 *
 * @param fill fills its whole argument with random bytes of the system
 */
export function pooledRandom(fill: (bytes: Uint8Array) => void): (bytes: Uint8Array) => void {
  const pool = new Uint8Array(POOL_BYTES);
  let used = POOL_BYTES;
  return (bytes) => {
    if (bytes.length > POOL_BYTES) return fill(bytes);
    if (used + bytes.length > POOL_BYTES) {
      fill(pool);
      used = 0;
    }
    // For such short requests a copying loop is faster than a view of the pool.
    for (let index = 0; index < bytes.length; index++) {
      bytes[index] = pool[used] ?? 0;
      pool[used++] = 0;
    }
  };
}
