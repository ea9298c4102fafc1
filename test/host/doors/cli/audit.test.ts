import { createHash } from "node:crypto";
import { realpath, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { currentPlatform } from "../../../../host/platform/mod.ts";
import { createCliProject } from "./run-cli.ts";

const README = "# Title\n\nsome text\n";

describe("bascule audit verify <export>", () => {
  it("detects a changed export, also from stdout, and one that another key signed [AU3.export] [I2.audit]", async () => {
    await using project = await createCliProject({ "README.md": README });
    await project.run(["init", "demo"]);
    // The terminal output escapes these characters.
    await project.run(["call", "demo_peek", "path=\u009b2J\u202etxt"]);
    const shown = (await project.run(["audit", "export"])).out;
    await writeFile(join(project.folder, "shown.jsonl"), shown);
    await project.run(["audit", "export", "--out=written.jsonl"]);
    for (const file of ["shown.jsonl", "written.jsonl"]) {
      const verified = await project.run(["audit", "verify", file]);
      expect([verified.code, verified.out]).toEqual([0, expect.stringMatching(/^good \d+ records, unchanged\nsigned \S+ with key /u)]);
    }
    const other = "0".repeat(88);
    expect(await project.run(["audit", "verify", "shown.jsonl", "--key", other])).toMatchObject({
      code: 1,
      error: expect.stringContaining("it is signed with another key"),
    });
    await writeFile(join(project.folder, "cut.jsonl"), `${shown.trim().split("\n").slice(0, -1).join("\n")}\n`);
    expect(await project.run(["audit", "verify", "cut.jsonl"])).toMatchObject({
      code: 1,
      error: expect.stringContaining("the signature is missing"),
    });
  });
});

describe("bascule audit verify", () => {
  it("reports unconfirmed without checkpoints: an end that was cut off together with its sequence and checkpoints [AU3.unconfirmed]", async () => {
    await using project = await createCliProject({ "README.md": README, "bascule.json": "{}" });
    for (const _ of [1, 2]) await project.run(["call", "read_file", "path=README.md"]);
    const noted = (await project.run(["audit", "verify"])).out;
    const [, seal = ""] = /head ([0-9a-f]{64})/u.exec(noted) ?? [];
    const root = createHash("sha256")
      .update(await realpath(project.folder))
      .digest("hex");
    const checkpoints = join(currentPlatform().environment.config, "journals", `${root.slice(0, 32)}.db`);
    expect((await stat(checkpoints)).isFile()).toBe(true);
    const file = join(project.folder, ".bascule/audit/000000000001.db");
    for (const ending of ["", "-wal", "-shm"]) await rm(`${checkpoints}${ending}`, { force: true });
    expect(await project.run(["audit", "verify"])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^unconfirmed \d+ records: the chain is valid, but /u),
    });
    expect((await project.run(["audit", "verify", "--head", seal])).out).toMatch(/^good/u);
    const database = new DatabaseSync(file);
    database.exec("DELETE FROM rows WHERE number > 4; UPDATE sqlite_sequence SET seq = 4");
    database.close();
    expect((await project.run(["audit", "verify"])).out).toMatch(/^unconfirmed/u);
    expect(await project.run(["audit", "verify", "--head", seal])).toMatchObject({
      code: 1,
      error: expect.stringContaining("no row has the expected seal"),
    });
  });
});

describe("bascule audit export", () => {
  it("refuses event filters and names the command for them, because an export is the whole journal [I2.audit]", async () => {
    await using project = await createCliProject({ "README.md": README });
    for (const act of ["export", "verify", "session"])
      expect(await project.run(["audit", act, "--type=tool.denied"])).toMatchObject({
        code: 2,
        error: expect.stringContaining("audit search --type=… --json"),
      });
  });
});

describe("a damaged journal", () => {
  it("is shown as far as it is readable, with the damage, by every command that reads it [AU3.damage] [I2.audit]", async () => {
    await using project = await createCliProject({ "README.md": README });
    await project.run(["init", "demo"]);
    for (let call = 0; call < 8; call++) await project.run(["call", "demo_peek", "path=README.md"]);
    const file = join(project.folder, ".bascule/audit/000000000001.db");
    const { size } = await stat(file);
    // Truncate within the last page: SQLite reads the rows there as row 0.
    await truncate(file, size - 2_000);
    for (const words of [["tail"], ["search", "demo"], ["export"], ["export", "--out=all.jsonl"]]) {
      const ended = await project.run(["audit", ...words]);
      expect([words, ended.code, ended.error]).toEqual([words, 1, expect.stringContaining("damaged 000000000001.db: row")]);
    }
    expect(await project.run(["audit", "verify"])).toMatchObject({
      code: 1,
      error: expect.stringMatching(/\n {2}\d+ records can be read: /u),
    });
    expect(JSON.parse((await project.run(["audit", "tail", "--json"])).out)).toMatchObject({
      ok: false,
      events: expect.arrayContaining([expect.objectContaining({ number: 30 })]),
      damage: expect.arrayContaining([expect.stringContaining("cannot be read")]),
    });
  });
});
