import { describe, expect, it } from "vitest";
import { createCliProject, type CliProject } from "./run-cli.ts";

async function demo(): Promise<CliProject> {
  const project = await createCliProject({ "README.md": "# Title\n" });
  await project.run(["init", "demo"]);
  return project;
}

describe("bascule grant", () => {
  it("shows what the plugin requests and asks, if no permission is written [DI6.grant-name]", async () => {
    await using project = await demo();
    const shown = "demo requests:\n  read .  Reads the file that you name\n";
    const asked = "Grant it to demo? [y/N] ";
    expect(await project.run(["grant", "demo"], { answers: ["n"] })).toEqual({ code: 4, out: `${shown}Not granted\n`, error: asked });
    expect((await project.run(["grants"])).out).toBe("No grants. bascule list shows what plugins request\n");
    expect(await project.run(["grant", "demo"], { answers: ["y"] })).toEqual({
      code: 0,
      out: `${shown}Granted: demo may read .\n`,
      error: asked,
    });
    expect(await project.run(["grant", "demo"], { answers: [] })).toEqual({
      code: 0,
      out: "demo holds everything that it requests\n",
      error: "",
    });
  });

  it.each([["--no-input"], ["--json"]])(
    "does not ask with %s, nor without a terminal; --yes answers [DI6.grant-name] [I2.no-input]",
    async (flag) => {
      await using project = await demo();
      const refused = await project.run(["grant", "demo", flag], { answers: ["y"] });
      expect([refused.code, refused.out + refused.error]).toEqual([2, expect.stringContaining("bascule grant demo --allow-read=.")]);
      expect((await project.run(["grant", "demo"])).code).toBe(2);
      expect(await project.run(["grant", "demo", "--yes", flag])).toMatchObject({ code: 0 });
      expect(await project.run(["call", "demo_peek", "path=README.md"])).toMatchObject({ code: 0 });
    },
  );

  it("says that a grant is unused if the plugin requests nothing of the kind [DI6.unused]", async () => {
    await using project = await demo();
    const unused = "unused demo does not request net, so this grant has no effect\n";
    expect(await project.run(["grant", "demo", "--allow-net=a.example"])).toEqual({ code: 0, out: "", error: unused });
    expect(await project.run(["grant", "demo", "--allow-net=a.example", "--allow-read=."])).toMatchObject({
      out: "Granted: demo may read ., connect to a.example\n",
      error: unused,
    });
  });
});
