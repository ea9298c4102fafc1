// Checks the runtime. Plain JavaScript of 2019 and CommonJS, so that every runtime can parse it and prints advice instead of a syntax
// error. Used by bascule.mjs before it starts the program, and by the library before it loads (scripts/bundle-program.ts).
"use strict";

const NODE = 24;
const DENO = [2, 9];

/** Returns the name of an unsupported runtime; undefined if the runtime is supported. */
function unfitRuntime() {
  if (typeof globalThis.Deno !== "undefined") {
    const deno = globalThis.Deno.version.deno;
    const numbers = deno.split(".").map(Number);
    return numbers[0] > DENO[0] || (numbers[0] === DENO[0] && numbers[1] >= DENO[1]) ? undefined : "Deno " + deno;
  }
  // Bun reports itself as Node 24, but cannot start the sandbox.
  if (process.versions.bun) return "Bun " + process.versions.bun;
  return Number(process.versions.node.split(".")[0]) >= NODE ? undefined : "Node " + process.versions.node;
}

/** Returns the message for an unsupported runtime. */
function neededInstead(runtime) {
  return "bascule needs Node " + NODE + " or newer, or Deno " + DENO.join(".") + " or newer; this is " + runtime;
}

/** Throws an error that names the supported runtimes if the current one is not supported. */
function requireRuntime() {
  const unfit = unfitRuntime();
  if (unfit !== undefined) throw new Error(neededInstead(unfit) + " (install Node " + NODE + " from https://nodejs.org)");
}

exports.NODE = NODE;
exports.unfitRuntime = unfitRuntime;
exports.neededInstead = neededInstead;
exports.requireRuntime = requireRuntime;
