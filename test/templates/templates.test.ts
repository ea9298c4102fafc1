import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCommand } from "../../scripts/run-command.ts";
import { type CliProject, createCliProject } from "../host/doors/cli/run-cli.ts";
import { REPOSITORY } from "../support/source-files.ts";

const TEMPLATES = readdirSync(`${REPOSITORY}templates`, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

async function projectWith(template: string): Promise<CliProject> {
  const project = await createCliProject({}, { isOwn: false });
  const { code, error } = await project.run(["init", "my-tool", `--template=${template}`]);
  expect({ code, error }).toEqual({ code: 0, error: "" });
  return project;
}

describe("the templates", () => {
  it.each(TEMPLATES)(
    "%s loads, passes its tests and tsc, and its manifest is in step with its code [AX1.templates]",
    { timeout: 60_000 },
    async (template) => {
      await using project = await projectWith(template);
      const checked = await project.run(["check"]);
      expect(checked.out).toContain("1 plugin good, 0 bad");
      const tested = await project.run(["test"]);
      expect(tested.out).toMatch(/ok \| \d+ passed \| 0 failed/u);
      expect(tested.out).toContain("cases/");
      expect(tested.out).toContain("main.test.ts");
      expect(await project.run(["manifest", "--check"])).toMatchObject({ code: 0 });
      expect(await project.run(["types", "--check"])).toMatchObject({ code: 0 });
      const folder = join(project.folder, "plugins/my-tool");
      const { output } = await runCommand("tsc", ["-p", folder, "--pretty", "false"], { cwd: folder });
      expect(output).toBe("");
      const texts = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
        (entry) => entry.isFile() && !/^vendor|\.d\.ts$/u.test(entry.name),
      );
      for (const { parentPath, name } of texts)
        expect(readFileSync(join(parentPath, name), "utf8")).not.toMatch(/my-plugin|my_plugin|MY_PLUGIN/u);
    },
  );

  it("are ten or more, each with a test and a case [AX1.templates]", () => {
    expect(TEMPLATES.length).toBeGreaterThanOrEqual(10);
    for (const template of TEMPLATES) {
      const files = readdirSync(`${REPOSITORY}templates/${template}`, { recursive: true }).map(String);
      expect(files).toContain("main.test.ts");
      expect(files.filter((file) => /^cases.\w+\.json$/u.test(file))).toHaveLength(1);
    }
  });

  it("carry vendored code that names no folder of the machine that vendored it [AX2.paths]", () => {
    for (const template of TEMPLATES)
      for (const entry of readdirSync(`${REPOSITORY}templates/${template}`, { recursive: true, withFileTypes: true }))
        if (entry.isFile() && entry.parentPath.endsWith("vendor"))
          expect(readFileSync(join(entry.parentPath, entry.name), "utf8")).not.toMatch(/(?:\.\.\/)+\w[^\n]*node_modules/u);
  });

  it("are listed by name, also if the name is unknown [AX1.templates-listed] [I2.exit-codes]", async () => {
    await using project = await createCliProject();
    const listed = await project.run(["init", "--template=list"]);
    expect(listed.code).toBe(0);
    expect(listed.out.split("\n").map((line) => line.split(" ")[0])).toEqual([...TEMPLATES.toSorted(), ""]);
    const unknown = await project.run(["init", "x", "--template=txt"]);
    expect(unknown).toMatchObject({ code: 2, out: "" });
    expect(unknown.error).toContain('Unknown template "txt"\n  Did you mean text?');
    expect(unknown.error).toContain("bascule init --template=list lists them\n");
    expect(readdirSync(project.folder)).toEqual([]);
    // Without a name it starts a project, once.
    expect(await project.run(["init"])).toMatchObject({ code: 0 });
    expect(await project.run(["init"])).toMatchObject({ code: 2 });
  });
});
