import assert from "node:assert/strict";
import { csv_to_json, json_query } from "./main.ts";

Deno.test("json_query evaluates an expression", async () => {
  const answer = await json_query({
    expression: "people[?age > `30`].name",
    data: {
      people: [
        { name: "Ann", age: 41 },
        { name: "Bo", age: 9 },
      ],
    },
  });
  assert.deepEqual(answer.result, ["Ann"]);
});

Deno.test("csv_to_json reads a header", async () => {
  const { rows } = await csv_to_json({ csv: "a,b\n1,2\n" });
  assert.equal(rows.length, 1);
});
