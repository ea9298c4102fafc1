/** How the process of a command ends. */

/** Time in milliseconds after which the process exits even if something still runs in it: the output is complete by then. */
const LINGER_MS = 1_000;

/** Ends this process with the exit code that `run` returns. */
export async function exitWith(run: () => Promise<number>): Promise<void> {
  // Keeps the process alive until then: idle threads and timers do not, on Deno not even busy ones.
  const alive = setInterval(() => undefined, 60_000);
  const code = await run();
  clearInterval(alive);
  process.exitCode = code;
  setTimeout(() => process.exit(code), LINGER_MS).unref();
}
