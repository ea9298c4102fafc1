import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

// The forks pool because worker threads of a test would share one process with the sandbox's own workers, and because
// Deno runs vitest only this way.
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/fixtures/**", "node_modules/**"],
    pool: "forks",
    // What people allow on this machine is not changed by tests.
    env: { XDG_CONFIG_HOME: join(tmpdir(), "bascule-tests-config") },
    // The runtimes import the files themselves, as they import the program: quicker than vitest's own module runner, which with
    // its loader hooks does not work on Deno at all (`import.meta.resolve` and a CommonJS `require` of JSON fail).
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // vitest leaves one processor to itself: of two, that is every second one.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 20_000,
    // Thousands of tests of races, deadlines and processes on two processors that others use too: one of them may starve once
    // in some thousand. What is broken fails twice.
    retry: 1,
    hookTimeout: 30_000,
    // vitest waits one second, which is nothing on a machine that others use too.
    expect: { poll: { timeout: 15_000 } },
    restoreMocks: true,
    sequence: { hooks: "stack" },
    reporters: ["default"],
  },
});
