/** The JSON Schema Test Suite, drafts 2020-12 and 7, against the validator of tools' schemas, which runs inside the sandbox here. */

import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { REPOSITORY } from "../../support/source-files.ts";
import { RESULT_MARK, type ScriptCase, type Suite } from "../suite.ts";

const FOLDERS = ["draft2020-12", "draft7"].flatMap((draft) => [draft, `${draft}/optional`, `${draft}/optional/format`]);

export const JSON_SCHEMA: Suite = {
  name: "json-schema",
  variable: "BASCULE_JSON_SCHEMA",
  advice: "git clone --depth 1 https://github.com/json-schema-org/JSON-Schema-Test-Suite",
  async findCases(root) {
    const validator = await readValidator();
    const found = await Promise.all(
      FOLDERS.map(async (folder) => {
        const names = (await readdir(join(root, "tests", folder))).filter((name) => name.endsWith(".json")).sort();
        return names.map((name) => `${folder}/${name}`);
      }),
    );
    return Promise.all(found.flat().map((path) => toCase(root, path, validator)));
  },
};

/** Modules of `checkSchema` and `checkValue`. */
async function readValidator(): Promise<Readonly<Record<string, string>>> {
  const entries = await Promise.all(
    ["schema", "text", "permissions"].map(async (folder) => {
      const names = (await readdir(`${REPOSITORY}manifests/${folder}`)).filter((name) => name.endsWith(".ts"));
      // They need a package, and validate nothing.
      const needed = names.filter((name) => name !== "schema-parts.ts" && name !== "schema-field.ts");
      return needed.map(async (name) => [`${folder}/${name}`, await readFile(`${REPOSITORY}manifests/${folder}/${name}`, "utf8")] as const);
    }),
  );
  return Object.fromEntries(await Promise.all(entries.flat()));
}

async function toCase(root: string, path: string, validator: Readonly<Record<string, string>>): Promise<ScriptCase> {
  const groups = await readFile(join(root, "tests", path), "utf8");
  return {
    kind: "script",
    id: path,
    digest: createHash("sha256").update(groups).digest("hex").slice(0, 12),
    // The first file is the entry module.
    files: { "main.js": programOf(path), "groups.json": groups, ...validator },
    readFile: () => Promise.resolve(undefined),
  };
}

/** A tool's schema is an object. Hidden characters and `__proto__` are refused for models and readers (M5), not for their meaning. */
function programOf(path: string): string {
  const draft = path.startsWith("draft7") ? '{ $schema: "http://json-schema.org/draft-07/schema#" }' : "{}";
  return `import { checkSchema } from "./schema/schema-check.ts";
import { checkValue } from "./schema/validator.ts";
import groups from "./groups.json" with { type: "json" };
export function run() {
  for (const group of groups) {
    const schema = { ...${draft}, ...(typeof group.schema === "object" ? group.schema : { allOf: [group.schema] }) };
    const [refused] = checkSchema(schema).filter(({ message }) => !/ contains U\\+|"__proto__"/.test(message));
    for (const test of group.tests) {
      const errors = refused === undefined ? checkValue(schema, test.data) : [];
      const passed = refused === undefined && (errors.length === 0) === test.valid;
      const message = refused?.message ?? (errors.length === 0 ? "accepted in ${path}" : "refused in ${path}: " + errors[0].message);
      console.log(${JSON.stringify(RESULT_MARK)} + JSON.stringify([group.description + ": " + test.description, passed, passed ? undefined : message]));
    }
  }
}
`;
}
