// First code of the single executable and of each of its threads (docs/decisions/0061-one-executable.md).
//
// The program's files are assets of the executable. Their paths begin with the executable's own path, `/usr/bin/bascule/program/start.js`,
// where no file can be: nothing that a disk holds is run in their place. Plain CommonJS, because Node takes nothing else here.
"use strict";
const { isBuiltin, registerHooks, runMain } = require("node:module");
const { resolve, sep } = require("node:path");
const { getAsset, getAssetKeys } = require("node:sea");
const { pathToFileURL } = require("node:url");

const ROOT = pathToFileURL(process.execPath).href + "/";

/** Makes `import` and `require` find the program's files and packages. All other modules are resolved as usual. */
function serveAssets() {
  const packages = JSON.parse(getAsset("packages.json", "utf8"));
  const assets = new Set(getAssetKeys());
  registerHooks({
    resolve: function (specifier, context, next) {
      const url = specifier.startsWith(ROOT) ? specifier : ownModule(specifier, context.parentURL || "");
      if (url === undefined) return next(specifier, context);
      if (!assets.has(url.slice(ROOT.length))) throw notInside(specifier);
      return { url: url, format: formatOf(url), shortCircuit: true };
    },
    load: function (url, context, next) {
      if (!url.startsWith(ROOT)) return next(url, context);
      return { format: formatOf(url), source: getAsset(url.slice(ROOT.length), "utf8"), shortCircuit: true };
    },
  });

  /** Returns the URL of a module that a file of the program imports; undefined for Node's modules and other importers. */
  function ownModule(specifier, importer) {
    if (!importer.startsWith(ROOT) || isOfNode(specifier)) return undefined;
    if (specifier.startsWith("./") || specifier.startsWith("../")) return new URL(specifier, importer).href;
    // A plugin on the disk, by its whole URL.
    if (/^[a-z]+:/i.test(specifier)) return undefined;
    // Packages are never searched in folders beside the executable, where others may have put them.
    return ROOT + (Object.hasOwn(packages, specifier) ? packages[specifier] : "node_modules/" + specifier);
  }
}

function isOfNode(specifier) {
  return specifier.startsWith("node:") || isBuiltin(specifier);
}

function formatOf(url) {
  return url.endsWith(".cjs") ? "commonjs" : "module";
}

function notInside(specifier) {
  const error = new Error("Cannot find '" + specifier + "': it is not part of this executable");
  error.code = "ERR_MODULE_NOT_FOUND";
  return error;
}

function runProgram() {
  // See bascule.mjs.
  if (!process.env.UV_THREADPOOL_SIZE) process.env.UV_THREADPOOL_SIZE = "16";
  const url = ROOT + "program/start.js";
  import(url)
    .then(function (cli) {
      return cli.start(url, process.argv.slice(2), programName());
    })
    .catch(function (defect) {
      process.stderr.write("Cannot start bascule: " + (defect && defect.stack ? defect.stack : String(defect)) + "\n");
      process.exit(1);
    });
}

/** Returns the program as the user typed it, so that advice can be copied: `./bascule`, or `bascule` if it is on the PATH. */
function programName() {
  const typed = process.argv0;
  if (!typed.includes(sep)) return typed;
  return /[^\w./\\:-]/.test(typed) ? "'" + typed.replaceAll("'", "'\\''") + "'" : typed;
}

// Node puts the executable, or the name of an evaluated thread, where a script's path is otherwise.
const wanted = process.argv[2] || "";
if (wanted === process.execPath + sep + "node" && process.argv[3] === "--version") {
  process.stdout.write(process.version + "\n");
} else if (wanted === process.execPath + sep + "node") {
  // Runs a script of the user, like Node.
  process.argv.splice(1, 2);
  process.argv[1] = resolve(process.argv[1] || "");
  runMain();
} else {
  serveAssets();
  if (wanted.startsWith(process.execPath + sep)) {
    process.argv.splice(1, 1);
    // Node has read it. It is not meant for what this process starts.
    delete process.env.NODE_OPTIONS;
    import(pathToFileURL(wanted).href).catch(function (defect) {
      // Ends a thread or process like an error in its first module.
      setImmediate(function () {
        throw defect;
      });
    });
  } else {
    runProgram();
  }
}
