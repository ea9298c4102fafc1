import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig, type ViteUserConfig } from "vitest/config";

/**
 * Files that have a process to themselves, because they look at it as a whole or change it: its memory, its open files and timers,
 * its environment; or they need so much that what else is there would be in the way.
 *
 * The others run one after another in processes that they share (three of them here): each would otherwise start one and load the
 * program anew, which takes longer than most of them. So a test leaves nothing behind: no variable, no timer, no sandbox.
 */
export const ALONE: readonly string[] = [
  "test/{external,fuzz,oracle,soak}/**/*.test.ts",
  "test/console/{calls,console,forms,hostile-page}.test.ts",
  "test/*.test.ts",
  "test/bin/**/*.test.ts",
  "test/attack/{isolation,runaway,sandbox}/**/*.test.ts",
  "test/attack/host/many-hosts.test.ts",
  "test/attack/liveness/liveness.test.ts",
  "test/attack/policy/re*.test.ts",
  "test/attack/reload/!(unreadable).test.ts",
  "test/attack/net/{ambient-authority,false-certificates}.test.ts",
  "test/host/platform/{files/image-cache,processes/git}.test.ts",
  "test/host/doors/cli/processes.test.ts",
  // These come first, because a minute of one process at the end would leave the other processors idle.
  "test/host/{embedding,heap}/*.test.ts",
  "test/plugins/llm.test.ts",
  "test/sandbox/process/!(frames).test.ts",
  "test/sandbox/worker/call/{calls,limits}.test.ts",
  "test/sandbox/pool/{worker-set,parking,pool}.test.ts",
];
const NO_TESTS: readonly string[] = ["test/fixtures/**", "node_modules/**"];

// The forks pool because worker threads of a test would share one process with the sandbox's own workers, and because
// Deno runs vitest only this way.
const config: ViteUserConfig = defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: "alone", include: [...ALONE], exclude: [...NO_TESTS] } },
      { extends: true, test: { name: "together", include: ["test/**/*.test.ts"], exclude: [...NO_TESTS, ...ALONE], isolate: false } },
    ],
    pool: "forks",
    setupFiles: [
      ...(process.env["BUNDLE"] === undefined ? [] : ["test/support/bundled-workers.ts"]),
      // Fails a file that leaves something behind, where that is asked for.
      ...(process.env["LEFTOVERS"] === "check" ? ["test/support/leaves-nothing.ts"] : []),
    ],
    // What people allow on this machine is not changed by tests.
    env: { XDG_CONFIG_HOME: join(tmpdir(), "bascule-tests-config") },
    // The runtimes import the files themselves, as they import the program: quicker than vitest's own module runner, which with
    // its loader hooks does not work on Deno at all (`import.meta.resolve` and a CommonJS `require` of JSON fail).
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // One more than processors, because some tests mostly wait: for a time limit, a server, a program.
    maxWorkers: availableParallelism() + 1,
    // A test that fails under load is fixed, because a second try would hide the defect.
    retry: 0,
    // Only what is broken waits so long; on a machine that many use, what takes one second may take thirty.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // vitest waits one second, which is nothing on a machine that others use too.
    expect: { poll: { timeout: 15_000 } },
    restoreMocks: true,
    sequence: { hooks: "stack" },
    reporters: ["default"],
  },
});

export default config;
