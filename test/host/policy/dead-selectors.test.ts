import { expect, it } from "vitest";
import { deadSelectors } from "../../../host/policy/dead-selectors.ts";
import { functionOf } from "../../support/registered.ts";
import { projectOf } from "../../support/test-host.ts";

it("deadSelectors() says where a pattern belongs if a field takes whole names [P2.dead]", () => {
  const project = projectOf({ confirmation: { perTool: { "todo*": "auto", todo_ad: "auto", todo_add: "auto" } } });
  const named = { tools: [functionOf("todo_add")], plugins: [] };
  expect(deadSelectors(project, named).map(({ message, fix }) => `${message}; ${fix}`)).toEqual([
    'The tool "todo*" matches nothing and has no effect; write each tool\'s whole name, or a rule in /policy/rules with "pattern": "todo*"',
    'The tool "todo_ad" matches nothing and has no effect; write "todo_add", or remove it',
  ]);
});
