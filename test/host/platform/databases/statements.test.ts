import { describe, expect, it } from "vitest";
import { readStatements } from "../../../../host/platform/databases/statements.ts";

const words = (sql: string): readonly string[] => readStatements(sql).map(({ word }) => word);

const refusal = (sql: string): string => {
  try {
    return words(sql).join(" ");
  } catch (error) {
    return String(error);
  }
};

describe("readStatements()", () => {
  it("finds the statements between comments, strings, quoted names and variables [AX3.statements]", () => {
    expect(
      words(
        "SELECT 1; -- ; VACUUM\n/* ; ATTACH */ insert into t values (';', \"a;b\", `c;`, [d;]);;\n\ufeff WITH x AS (SELECT 1) SELECT 2",
      ),
    ).toEqual(["SELECT", "INSERT", "WITH"]);
    expect(words("SELECT 'it''s; VACUUM', x'00'; DELETE FROM t")).toEqual(["SELECT", "DELETE"]);
    expect(words("")).toEqual([]);
    expect(words("(SELECT 1)")).toEqual([""]);
  });

  it("lets the body of a trigger end [AX3.statements]", () => {
    expect(words("CREATE TRIGGER g AFTER INSERT ON t BEGIN UPDATE t SET a = 1; DELETE FROM u; END; SELECT 1")).toEqual([
      "CREATE",
      "DELETE",
      "END",
      "SELECT",
    ]);
    expect(refusal("END")).toMatch(/^TypeError: END is not available/);
  });

  it.each([
    ..."BEGIN|COMMIT|ROLLBACK|SAVEPOINT a|RELEASE a|ATTACH 'x' AS y|DETACH y|VACUUM|VACUUM INTO 'x'".split("|"),
    ..."PRAGMA max_page_count = 9|PRAGMA main.journal_mode(OFF)|EXPLAIN PRAGMA temp_store = 1|explain query plan pragma query_only=0".split(
      "|",
    ),
    ..."PRAGMA foreign_keys = 0|/**/PRAGMA temp_store_directory='/'|SELECT 1;\ufeffPRAGMA hard_heap_limit = 0|--\nvacuum".split("|"),
    "SELECT $a(');VACUUM --')",
    "SELECT #b(/*);VACUUM;/*)*/",
    'SELECT @a::b(");VACUUM --")',
  ])("refuses %s, wherever it stands [AX3.statements]", (sql) => {
    expect(refusal(sql)).toMatch(/^TypeError: [A-Z]+ (?:[a-z_]+ )?(?:is not available|cannot be set)/);
    expect(refusal(`SELECT 1; ${sql}`)).toMatch(/^TypeError: [A-Z]+ (?:[a-z_]+ )?(?:is not available|cannot be set)/);
  });

  it("allows pragmas that read, and the numbers that a plugin may keep in its file [AX3.statements]", () => {
    const allowed = [
      "PRAGMA user_version",
      "PRAGMA user_version = 3",
      "PRAGMA main.table_info(t)",
      "PRAGMA page_count",
      "PRAGMA foreign_key_check",
    ];
    expect(allowed.map(refusal)).toEqual(allowed.map(() => "PRAGMA"));
  });

  it("refuses U+0000, at which SQLite stops reading [AX3.statements]", () => {
    expect(refusal("SELECT 1\0; VACUUM")).toBe("TypeError: The SQL contains U+0000");
  });
});
