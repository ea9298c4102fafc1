/** CPU time of a thread. */

/** Returns the milliseconds of CPU time of this thread, in steps of 4 ms on Node and of 10 ms on Deno, where the call takes 10 µs. */
export function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
