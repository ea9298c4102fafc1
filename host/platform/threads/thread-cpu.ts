/** The time that a thread has had a processor. */

/** Milliseconds of this thread so far, in steps: of 4 ms on Node and of 10 ms on Deno, where it takes 10 µs to ask. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
