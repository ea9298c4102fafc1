import assert from "node:assert/strict";
import { chooseCommand } from "./project.ts";
import { parseStatus } from "./status.ts";

Deno.test("parseStatus reads what git writes", () => {
  const hash = "0".repeat(40);
  const text = [
    "# branch.oid abc",
    "# branch.head main",
    "# branch.upstream origin/main",
    "# branch.ab +1 -2",
    `1 .M N... 100644 100644 100644 ${hash} ${hash} a b.txt`,
    `1 A. N... 000000 100644 100644 ${hash} ${hash} new`,
    `2 R. N... 100644 100644 100644 ${hash} ${hash} R100 to`,
    "from",
    `u UU N... 100644 100644 100644 100644 ${hash} ${hash} ${hash} both`,
    "? left",
    "",
  ].join("\0");
  assert.deepEqual(parseStatus(text), {
    branch: "main",
    upstream: "origin/main",
    ahead: 1,
    behind: 2,
    files: [
      { path: "a b.txt", unstaged: "modified" },
      { path: "new", staged: "added" },
      { path: "to", from: "from", staged: "renamed" },
      { path: "both", unstaged: "conflict" },
      { path: "left", unstaged: "untracked" },
    ],
  });
  assert.deepEqual(parseStatus("# branch.head (detached)\0"), { files: [] });
});

Deno.test("chooseCommand prefers the project's own script", () => {
  const packageJson = '{ "scripts": { "test": "vitest" } }';
  assert.deepEqual(chooseCommand("test", { packageJson, hasDeno: true }), ["npm", "run", "--silent", "test"]);
  assert.deepEqual(chooseCommand("lint", { packageJson, hasDeno: true }), ["deno", "lint"]);
  assert.deepEqual(chooseCommand("lint", { packageJson: "{", hasDeno: false }), undefined);
});
