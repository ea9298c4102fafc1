#!/usr/bin/env node
// Starts bascule on a runtime that can run it. Plain JavaScript of 2019, so that an old Node reads it and gets advice
// instead of a syntax error. The program itself is host/doors/cli/main.ts, or a
// bundle of it (program.mjs).
import { spawn } from "child_process";
import { existsSync } from "fs";
import { homedir } from "os";
import { basename, dirname, isAbsolute, join, relative } from "path";
import { fileURLToPath, pathToFileURL } from "url";
import runtime from "./runtime.cjs";

// Files, names and cryptography of all plugins share these threads; Node reads the number once, before the first use.
// Long cryptography of plugins holds two of them at most, and lookups two.
if (!process.env.UV_THREADPOOL_SIZE) process.env.UV_THREADPOOL_SIZE = "16";

/** A path of this package as a file name. */
function here(relative) {
  return fileURLToPath(new URL(relative, import.meta.url));
}

/** The Node that `npm ci` put beside us in a checkout, if it is there. */
function bundledNode() {
  const path = here(process.platform === "win32" ? "../node_modules/node/bin/node.exe" : "../node_modules/node/bin/node");
  return existsSync(path) ? path : undefined;
}

/** Runs the same command line under another Node and ends as it ends. */
function runUnder(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url)].concat(process.argv.slice(2)), { stdio: "inherit" });
  // A terminal sends Ctrl-C to both processes; the child decides when to go. A signal sent to us alone is passed on.
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

/** `--run scripts/test.ts …`: a script of this checkout, so that `npm test` and the like pass the version check too. */
function runScript(script) {
  const path = here("../" + script);
  process.argv.splice(1, 3, path);
  import(pathToFileURL(path).href).catch(function (defect) {
    process.stderr.write((defect && defect.stack ? defect.stack : String(defect)) + "\n");
    process.exit(1);
  });
}

/** How the person started us, so that advice can be typed as it is shown. */
function programName() {
  const script = process.argv[1] || "";
  if (basename(script) !== "bascule.mjs") return dirname(script).endsWith(join("node_modules", ".bin")) ? "npx bascule" : "bascule";
  const fromHere = relative(process.cwd(), script);
  const path = fromHere.startsWith("..") ? script : fromHere;
  return (typeof globalThis.Deno === "undefined" ? "node " : "deno run -A ") + (/\s/.test(path) ? "'" + path + "'" : path);
}

/** Keeps compiled code between starts, as host/platform/threads/compile-cache.ts does for workers. Deno has a cache of its own. */
function keepCompiled() {
  const base = process.env.XDG_CACHE_HOME || "";
  return import("module").then(function (node) {
    if (node.enableCompileCache) node.enableCompileCache(join(isAbsolute(base) ? base : join(homedir(), ".cache"), "bascule", "compile"));
  });
}

function run() {
  if (process.argv[2] === "--run" && existsSync(here("../scripts"))) return runScript(process.argv[3]);
  // The command says when it is done; its idle threads and timers keep no process alive, on Deno not even busy ones.
  const alive = setInterval(function () {}, 60000);
  keepCompiled()
    .then(function () {
      return import("./program.mjs");
    })
    .then(function (programs) {
      return programs.findProgram(here("../"));
    })
    .then(function (program) {
      if (program === undefined) throw new Error("There is no program beside " + here(".") + " (install it again)");
      return import(pathToFileURL(program).href);
    })
    .then(function (cli) {
      return cli.start(process.argv.slice(2), programName());
    })
    .then(function (code) {
      clearInterval(alive);
      process.exitCode = code;
      // Nothing should be left to wait for; if something is, the answer is out and the shell gets its prompt back.
      setTimeout(function () {
        process.exit(code);
      }, 1000).unref();
    })
    .catch(function (defect) {
      process.stderr.write("bascule could not start: " + (defect && defect.stack ? defect.stack : String(defect)) + "\n");
      process.exit(1);
    });
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
      (existsSync(here("../host/doors/cli/main.ts"))
        ? "Run `npm ci` here: it brings a Node " + runtime.NODE + " along, and then this command works\n"
        : "Install Node " + runtime.NODE + " from https://nodejs.org, or run it with Deno: deno run -A npm:bascule\n"),
  );
  process.exit(1);
}
