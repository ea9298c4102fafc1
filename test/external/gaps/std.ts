/** Why tests of denoland/std do not pass. */

import { type Gap, gap, out } from "./gap.ts";

export const STD_GAPS: readonly Gap[] = [
  // What no plugin has.
  out(/^webgpu\//, "a plugin has no GPU"),
  out(/CborByteDecodedStream\(\) consuming large/, "the test needs 4 GB of memory; a plugin can ask for 512 MB"),
  out(
    /^jsonc\/parse_test\.ts: \[jsonc\] parse test262/,
    "the test imports code from `data:` URLs; a plugin's code is its files, which its digest covers",
  ),
  out(
    /^(?:dotenv\/load_test|expect\/_assertions_test)\.ts|^(?:ini|jsonc|toml)\/parse_test\.ts: parse\(\) (?:uses Object\.defineProperty|doesn't pollute)|^yaml\/parse_test\.ts: parse\(\) handles __proto__|^dotenv\/mod_test\.ts: load\(\) loads|: (?:AssertionState throws if|noColor$|configureGlobalSanitizers)|^testing\/(?:unstable_)?snapshot_test\.ts: (?:assertSnapshot\(\) - (?:update|remove|different|regression #5155|failed|options|adverse)|assertInline)/,
    "the test starts a process, or writes beside its own code",
  ),
  out(
    /^net\/|^path\/is_glob_test|^uuid\/v1_test\.ts: generate\(\) uses random bytes|^http\/file_server_test/,
    "the test opens a server or starts a thread",
  ),
  out(
    /^(?:crypto\/crypto_test|uuid\/(?:common|constants|v3)_test)\.ts/,
    "the package contains WebAssembly; `crypto.subtle` has the usual digests",
  ),
  out(/^fs\/(?:unstable_|_node)/, "the test needs `node:fs` or `node:os`, which these unstable modules also run on"),
  out(
    /^fs\/(?:ensure_(?:sym)?link|copy_test|walk_test|expand_glob_test|ensure_dir_test|_get_file_info)/,
    "the test makes links, or data that has links in it; a plugin makes none",
  ),
  out(/^fs\/(?:empty_dir|ensure_file)_test/, "the test writes beside its own code"),
  out(/^cli\/unstable_(?:spinner|progress_bar)_test/, "the test writes to the terminal; a plugin has none"),
  out(/^fs\/exists_test/, "the test changes modes of files"),
  // What the engine does otherwise.
  gap(/: BatchStream\(\) propagates downstream/, "a pipe cancels its source some microtasks later"),
  gap(/: pooledMap\(\) handles errors/, "the engine's `stack` has no first line with name and message"),
  gap(
    /: sortBy\(\) handles special number/,
    "the engine sorts with another algorithm, which shows where a comparison is inconsistent (NaN)",
  ),
  gap(/^msgpack\/encode_test\.ts: encode\(\) handles (?:strings|Uint8Arrays)/, "the engine passes at most 65,534 arguments"),
  gap(/^csv\/stringify_test/, "types are blanked out in place, so a function's text keeps their spaces"),
  // What the guest API lacks.
  gap(
    /^dotenv\/mod_test/,
    "which environment variables a call may see is settled when it starts, so a test's own `permissions` do not narrow it",
  ),
  gap(/^internal\/format_test/, "there is no `process.getBuiltinModule`"),
  gap(/^json\/.*testdata$/, "`fetch` reads no `file:` URLs; use `Deno.readTextFile`"),
];
