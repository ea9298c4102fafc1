/** `context.data`: the plugin's folder, key-value store and database in the project (SPEC AX3). */

import { callFact } from "./call-facts.ts";
import { createKv } from "./data-kv.ts";
import { setOwn } from "./data-request.ts";
import { createSql } from "./data-sql.ts";
import { objectFreeze, reflectDefineProperty } from "../language/primordials.ts";

/** Created once, in the base image; only the path belongs to the call. */
export function createData(): object {
  const made = {};
  reflectDefineProperty(made, "path", { __proto__: null, get: () => callFact("dataPath"), enumerable: true } as PropertyDescriptor);
  setOwn(made, "kv", createKv());
  setOwn(made, "sql", createSql());
  return objectFreeze(made);
}
