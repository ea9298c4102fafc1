#!/usr/bin/env node
// Starts bascule on a supported runtime. Plain JavaScript of 2019, so that an old Node can parse it and prints advice
// instead of a syntax error. The program itself is host/doors/cli/start.ts, or a bundle of it (program.mjs).
import { createRequire } from "module";
import { basename, dirname, join, relative } from "path";
import { fileURLToPath, pathToFileURL } from "url";
import runtime from "./runtime.cjs";

// An `import` of "fs" would load parts of it that no command uses.
const { existsSync } = createRequire(import.meta.url)("fs");

// File access, name lookups and cryptography of all plugins share these threads. Node reads the number once, before the first use.
// Long cryptography of plugins uses at most two of them, and lookups two.
if (!process.env.UV_THREADPOOL_SIZE) process.env.UV_THREADPOOL_SIZE = "16";

/** Returns the file name of a path in this package. */
function here(relative) {
  return fileURLToPath(new URL(relative, import.meta.url));
}

/** Returns the Node that `npm ci` installs in a checkout; undefined if it is missing. */
function bundledNode() {
  const path = here(process.platform === "win32" ? "../node_modules/node/bin/node.exe" : "../node_modules/node/bin/node");
  return existsSync(path) ? path : undefined;
}

/** Runs the same command line under another Node, and exits with its exit code. */
function runUnder(node) {
  import("child_process").then(
    function (processes) {
      startUnder(node, processes.spawn);
    },
    function (defect) {
      process.stderr.write("Cannot start " + node + ": " + defect.message + "\n");
      process.exit(1);
    },
  );
}

function startUnder(node, spawn) {
  const child = spawn(node, [fileURLToPath(import.meta.url)].concat(process.argv.slice(2)), { stdio: "inherit" });
  // A terminal sends Ctrl-C to both processes; the child decides when to exit. A SIGTERM to this process alone is passed on.
  process.on("SIGINT", function () {});
  process.on("SIGTERM", function () {
    child.kill("SIGTERM");
  });
  child.on("error", function (error) {
    process.stderr.write("Cannot start " + node + ": " + error.message + " (run npm ci again)\n");
    process.exit(1);
  });
  child.on("exit", function (code, signal) {
    process.exit(signal ? (signal === "SIGINT" ? 130 : 143) : code);
  });
}

/** Runs a script of this checkout (`--run scripts/test.ts …`), so that `npm test` and similar commands get the version check too. */
function runScript(script) {
  const path = here("../" + script);
  process.argv.splice(1, 3, path);
  import(pathToFileURL(path).href).catch(function (defect) {
    process.stderr.write((defect && defect.stack ? defect.stack : String(defect)) + "\n");
    process.exit(1);
  });
}

const BINS = join("node_modules", ".bin");

/** Returns the program as the user types it, so that advice can be copied. */
function programName() {
  const script = process.argv[1] || "";
  if (basename(script) !== "bascule.mjs") return dirname(script).endsWith(BINS) ? "npx bascule" : "bascule";
  // MCP clients start the file in a project's packages by its path.
  const bins = join(script, "../../../.bin");
  if (bins.endsWith(BINS) && existsSync(join(bins, "bascule"))) return "npx bascule";
  const fromHere = relative(process.cwd(), script);
  const path = fromHere.startsWith("..") ? script : fromHere;
  return (typeof globalThis.Deno === "undefined" ? "node " : "deno run -A ") + (/\s/.test(path) ? "'" + path + "'" : path);
}

function run() {
  if (process.argv[2] === "--run" && existsSync(here("../scripts"))) return runScript(process.argv[3]);
  import("./program.mjs")
    .then(function (programs) {
      return programs.findProgram(here("../"));
    })
    .then(function (program) {
      if (program === undefined) throw new Error("Program files not found next to " + here(".") + " (install bascule again)");
      const url = pathToFileURL(program).href;
      return import(url).then(function (cli) {
        return cli.start(url, process.argv.slice(2), programName());
      });
    })
    .catch(function (defect) {
      process.stderr.write("Cannot start bascule: " + reasonOf(defect) + "\n");
      process.exit(1);
    });
}

/** Returns the stack of a defect. A working directory that was deleted is none. */
function reasonOf(defect) {
  if (defect && defect.syscall === "uv_cwd") return "this folder does not exist any more (change to another one)";
  return defect && defect.stack ? defect.stack : String(defect);
}

const unfit = runtime.unfitRuntime();
if (unfit === undefined) {
  run();
} else if (bundledNode()) {
  runUnder(bundledNode());
} else {
  process.stderr.write(
    runtime.neededInstead(unfit) +
      "\n" +
      (existsSync(here("../host/doors/cli/start.ts"))
        ? "Run `npm ci` here: it brings a Node " + runtime.NODE + " along, and then this command works\n"
        : "Install Node " +
          runtime.NODE +
          " from https://nodejs.org, or run it once with another:\n  npx --package=node@" +
          runtime.NODE +
          " --package=bascule bascule\n  deno run -A npm:bascule\n"),
  );
  process.exit(1);
}
