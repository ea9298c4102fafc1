/** Random bytes for many small askers. */

const POOL_BYTES = 4_096;

/**
 * Fills from a pool that one request to the system serves many times: eight bytes at a time would cost more than a
 * restore. What was handed out is wiped from the pool.
 *
 * @param fill fills all of its argument from the system.
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
    // Byte by byte: for so few a view of the pool would cost more.
    for (let index = 0; index < bytes.length; index++) {
      bytes[index] = pool[used] ?? 0;
      pool[used++] = 0;
    }
  };
}
