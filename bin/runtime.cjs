// Which runtimes bascule runs on. Plain JavaScript of 2019 and CommonJS, so that every runtime reads it and gives advice instead of
// a syntax error: bascule.mjs asks before it starts the program, and so does the library before it loads (scripts/bundle-program.ts).
"use strict";

const NODE = 24;
const DENO = [2, 9];

/** What runs this, if bascule cannot run on it; undefined if it can. */
function unfitRuntime() {
  if (typeof globalThis.Deno !== "undefined") {
    const deno = globalThis.Deno.version.deno;
    const numbers = deno.split(".").map(Number);
    return numbers[0] > DENO[0] || (numbers[0] === DENO[0] && numbers[1] >= DENO[1]) ? undefined : "Deno " + deno;
  }
  // Bun says that it is a Node 24, and cannot start the sandbox.
  if (process.versions.bun) return "Bun " + process.versions.bun;
  return Number(process.versions.node.split(".")[0]) >= NODE ? undefined : "Node " + process.versions.node;
}

/** What to say of it. */
function neededInstead(runtime) {
  return "bascule needs Node " + NODE + " or newer, or Deno " + DENO.join(".") + " or newer; this is " + runtime;
}

/** Throws an error that names the runtimes there are, unless this is one of them. */
function requireRuntime() {
  const unfit = unfitRuntime();
  if (unfit !== undefined) throw new Error(neededInstead(unfit) + " (install Node " + NODE + " from https://nodejs.org)");
}

exports.NODE = NODE;
exports.unfitRuntime = unfitRuntime;
exports.neededInstead = neededInstead;
exports.requireRuntime = requireRuntime;
