import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { type CliProject, createCliProject } from "./run-cli.ts";

const DENO = `${import.meta.dirname}/../../../../node_modules/.bin/deno`;

const PERMISSIONS = {
  read: { allow: ["$workspace/docs", "data", "notes/*.md"], deny: ["$workspace/docs/private/**/*.key"], reason: "Reads documents" },
  write: ["$data"],
  net: ["api.example.com:443", "bücher.example", "fd00::/8", { host: "limited.example", methods: ["GET"] }],
  env: ["APP_*", { name: "API_KEY", secret: true, hosts: ["api.example.com"] }],
  tools: ["words.grep"],
};

async function projectWith(permissions: object): Promise<CliProject> {
  const project = await createCliProject({ "docs/a.md": "one", "docs/private/x.key": "k", "README.md": "two" });
  await project.run(["init", "demo"]);
  const manifest = JSON.parse(await readFile(`${project.folder}/plugins/demo/manifest.json`, "utf8")) as object;
  await project.write("plugins/demo/manifest.json", JSON.stringify({ ...manifest, permissions }));
  return project;
}

describe("bascule export deno", () => {
  it("writes permission sets in Deno's format to stdout, and omissions to stderr [PA1.export]", async () => {
    await using project = await projectWith(PERMISSIONS);
    const { code, out, error } = await project.run(["export", "deno", "demo"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      permissions: {
        demo: {
          read: { allow: ["docs", "plugins/demo/data"], deny: ["docs/private"] },
          write: [".bascule/data/demo"],
          net: ["api.example.com:443", "xn--bcher-kva.example"],
          env: ["APP_*"],
        },
      },
    });
    expect(error.trimEnd().split("\n")).toEqual([
      'demo: All of "docs/private" is denied: Deno cannot deny only read "$workspace/docs/private/**/*.key"',
      'demo: read "notes/*.md" is left out: Deno cannot express it',
      'demo: The reason for "read" is left out: Deno has no field for it',
      'demo: net "fd00::/8" is left out: Deno cannot express it',
      'demo: net "limited.example GET" is left out: Deno cannot express it',
      'demo: env "API_KEY (secret for api.example.com)" is left out: Deno cannot express it',
      'demo: "tools" is left out: Deno has no such kind',
    ]);
  });

  it("adds sets that deno run -P accepts to an existing file [PA1.export]", { timeout: 60_000 }, async () => {
    await using project = await projectWith(PERMISSIONS);
    await project.write("config/deno.json", JSON.stringify({ lock: false, permissions: { own: { read: true } } }));
    const { code, out } = await project.run(["export", "deno", "--out=config/deno.json"]);
    expect([code, out]).toEqual([0, "Written: config/deno.json\n  deno run --config config/deno.json -P=demo …\n"]);
    const written = JSON.parse(await readFile(`${project.folder}/config/deno.json`, "utf8")) as { permissions: object };
    expect(written).toMatchObject({ lock: false, permissions: { own: { read: true }, demo: { write: ["../.bascule/data/demo"] } } });
    await project.write(
      "config/ask.mjs",
      `const state = (d) => Deno.permissions.querySync(d).state;
      console.log(JSON.stringify([state({ name: "read", path: "docs/a.md" }), state({ name: "read", path: "docs/private/x.key" }), state({ name: "read", path: "README.md" }),
        state({ name: "write", path: ".bascule/data/demo/x" }), state({ name: "net", host: "api.example.com:443" }), state({ name: "net", host: "limited.example:443" }),
        state({ name: "env", variable: "APP_X" }), state({ name: "env", variable: "API_KEY" }), Deno.readTextFileSync("docs/a.md")]));`,
    );
    const { stdout } = await promisify(execFile)(
      DENO,
      ["run", "--no-prompt", "--config", "config/deno.json", "-P=demo", "config/ask.mjs"],
      {
        cwd: project.folder,
        env: { HOME: project.folder, DENO_DIR: `${project.folder}/.deno`, DENO_NO_UPDATE_CHECK: "1" },
      },
    );
    expect(JSON.parse(stdout)).toEqual(["granted", "denied", "prompt", "granted", "granted", "prompt", "granted", "prompt", "one"]);
  });

  it("omits an item that another item denies, because Deno's more specific item would win [PA1.export] [PA3.deny]", async () => {
    await using project = await projectWith({
      read: { allow: ["$workspace/docs/a", "$workspace"], deny: ["$workspace/docs"] },
      net: { allow: ["*.x:80", "10.0.0.0/8"], deny: ["a.x", "10.1.0.0/16"] },
      write: { allow: ["."], deny: true },
      import: [],
    });
    const { out, error } = await project.run(["export", "deno", "--json"]);
    expect((JSON.parse(out) as { config: unknown }).config).toEqual({
      permissions: {
        demo: {
          read: { allow: ["."], deny: ["docs"] },
          net: { allow: ["*.x:80"], deny: ["a.x", "10.1.0.0/16", "a.x:80", "10.1.0.0/16:80"] },
          write: { deny: true },
          import: {
            deny: expect.arrayContaining(["jsr.io:443", "esm.sh:443"]) as unknown,
          },
        },
      },
    });
    expect(error).toBe("");
  });

  it("refuses an unknown format, a broken file and a broken manifest [PA1.export] [I2.exit-codes]", async () => {
    await using project = await projectWith(PERMISSIONS);
    expect(await project.run(["export", "node"])).toMatchObject({
      code: 2,
      error: expect.stringContaining('Unknown export format "node"') as unknown,
    });
    await project.write("deno.json", "{ // mine\n}");
    expect(await project.run(["export", "deno", "--out=deno.json"])).toMatchObject({
      code: 1,
      error: expect.stringContaining("Cannot add to") as unknown,
    });
    expect(await readFile(`${project.folder}/deno.json`, "utf8")).toBe("{ // mine\n}");
    await project.write("plugins/demo/manifest.json", "{}");
    expect(await project.run(["export", "deno"])).toMatchObject({
      code: 1,
      error: expect.stringContaining("Invalid manifest of") as unknown,
    });
  });
});

describe("bascule export <tools>", () => {
  it("writes the tool list for an API, and what the API cannot express to stderr [R5.command]", async () => {
    await using project = await createCliProject({ "bascule.json": "{}" });
    await project.run(["init", "words"]);
    const { code, out, error } = await project.run(["export", "openai", "words_peek"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject([{ type: "function", function: { name: "words__words_peek", strict: false } }]);
    expect(error).toContain("words.words_peek /outputSchema OpenAI has no place for it");
    const { names } = JSON.parse((await project.run(["export", "gemini", "--json"])).out) as { names: object };
    expect(names).toMatchObject({ words__words_peek: "words.words_peek", echo: "echo" });
  });

  it("writes a program for formats whose tools are objects, and refuses unknown names [R5.command]", async () => {
    await using project = await createCliProject({ "bascule.json": "{}" });
    expect((await project.run(["export", "ai-sdk", "echo", "--out=tools.mjs"])).out).toBe("Written: tools.mjs\n");
    const text = await readFile(`${project.folder}/tools.mjs`, "utf8");
    expect(text).toContain(`host.definitions("ai-sdk", ["echo"])`);
    expect(text).toContain(JSON.stringify(`${project.folder}/bascule.json`));
    expect((await project.run(["export", "openia"])).error).toContain("Did you mean openai?");
    expect((await project.run(["export", "mcp", "ecko"])).error).toContain('did you mean "echo"?');
  });
});
