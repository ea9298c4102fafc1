import { describe, expect, it } from "vitest";
import { setInJsonc } from "../../../../host/doors/cli/edit-jsonc.ts";

const entry = { command: "/bin/node", args: ["mcp"] };

describe("setInJsonc()", () => {
  it.each([
    [
      "nothing",
      "",
      '{\n  "mcpServers": {\n    "bascule": {\n      "command": "/bin/node",\n      "args": [\n        "mcp"\n      ]\n    }\n  }\n}\n',
    ],
    [
      "an empty object",
      "{}",
      '{\n  "mcpServers": {\n    "bascule": {\n      "command": "/bin/node",\n      "args": [\n        "mcp"\n      ]\n    }\n  }\n}',
    ],
  ])("writes the member into %s [I2.client-write]", (_what, before, after) => {
    expect(setInJsonc(before, "mcpServers", "bascule", entry)).toEqual({ ok: true, text: after });
  });

  it("keeps comments, order, indentation and trailing commas [I2.client-write]", () => {
    const before = `{
\t// my servers, with "quotes" and a { brace
\t"mcpServers": {
\t\t"other": { "command": "a//b", /* why */ "args": [], },
\t},
\t"theme": "dark", // last
}
`;
    const edited = setInJsonc(before, "mcpServers", "bascule", { command: "x" });
    const after = before.replace('"mcpServers": {\n', '"mcpServers": {\n\t\t"bascule": {\n\t\t\t"command": "x"\n\t\t},\n');
    expect(edited).toEqual({ ok: true, text: after });
    // Written again with other values, it is replaced in place.
    expect(setInJsonc(after, "mcpServers", "bascule", { command: "y" })).toEqual({ ok: true, text: after.replace('"x"', '"y"') });
    expect(setInJsonc(before.replace("mcpServers", "else"), "mcpServers", "bascule", { a: 1 })).toEqual({
      ok: true,
      text: before.replace("mcpServers", "else").replace("{\n", '{\n\t"mcpServers": {\n\t\t"bascule": {\n\t\t\t"a": 1\n\t\t}\n\t},\n'),
    });
  });

  it.each([
    ["broken JSON", "{ nope", /Invalid JSON|Expected/u],
    ["a list", "[]", /not an object/u],
    ["servers that are a list", '{"mcpServers": []}', /"mcpServers" is not an object/u],
  ])("refuses %s [I2.client-write]", (_what, before, message) => {
    expect(setInJsonc(before, "mcpServers", "bascule", entry)).toEqual({ ok: false, message: expect.stringMatching(message) });
  });
});
