/** What a program's functions answer, as text: the same code runs in the sandbox and on Node (suites/packages.ts). */

export async function resultsOf(functions) {
  const results = {};
  for (const [name, run] of Object.entries(functions)) {
    try {
      results[name] = JSON.stringify(await run()) ?? "undefined";
    } catch (error) {
      results[name] = `throws ${String(error)}`;
    }
  }
  return results;
}
