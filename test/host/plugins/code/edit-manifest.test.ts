import { describe, expect, it } from "vitest";
import { editManifest } from "../../../../host/plugins/code/edit-manifest.ts";
import type { CodeTool } from "../../../../host/plugins/code/code-tool.ts";
import type { JsonObject } from "../../../../manifests/mod.ts";

const TEXT = `{
    "name": "demo",  "toolsFrom": "code",
    "permissions": { "read":   ["$workspace"] },
    "tools": [
        { "name": "kept", "description": "Kept", "inputSchema": {"type":"object"}, "sideEffects": ["read"], "permissions": { "read": ["a"] } },
        { "name": "other", "module": "other.ts", "description": "Other" },
        { "name": "gone", "description": "Gone" },
        {
            "description": "Old",
            "name": "shown-name", "export": "shown",
            "requires": [ ],
            "sideEffects": ["write"]
        }
    ],
    "version": "1.0.0"
}
`;

function tool(name: string, fields: JsonObject): CodeTool {
  return { export: name, fields, places: new Map() };
}

const KEPT = tool("kept", { description: "Kept", inputSchema: { type: "object" } });
const SHOWN = tool("shown", { description: "New", inputSchema: { type: "object" } });

function edited(tools: readonly CodeTool[], text = TEXT): ReturnType<typeof editManifest> {
  // The text is an object.
  return editManifest(text, JSON.parse(text) as JsonObject, tools, "main.ts");
}

describe("editManifest()", () => {
  it("replaces only what the code declares otherwise, and keeps the rest as it is written [AX1.edit]", () => {
    const { text, changes } = edited([KEPT, SHOWN, tool("added", { description: "Added", inputSchema: { type: "object" } })]);
    expect(changes).toEqual(["removed gone", "shown-name: description, inputSchema", "added added"]);
    expect(text).toBe(`{
    "name": "demo",  "toolsFrom": "code",
    "permissions": { "read":   ["$workspace"] },
    "tools": [
        { "name": "kept", "description": "Kept", "inputSchema": {"type":"object"}, "sideEffects": ["read"], "permissions": { "read": ["a"] } },
        { "name": "other", "module": "other.ts", "description": "Other" },
        {
            "description": "New",
            "name": "shown-name",
            "export": "shown",
            "inputSchema": { "type": "object" },
            "requires": [ ],
            "sideEffects": ["write"]
        },
        {
            "name": "added",
            "description": "Added",
            "inputSchema": { "type": "object" },
            "sideEffects": []
        }
    ],
    "version": "1.0.0"
}
`);
  });

  it("returns the same text if nothing differs, and its own output is such a text [AX1.edit-same]", () => {
    const tools = [KEPT, SHOWN];
    const once = edited(tools);
    expect(edited(tools, once.text)).toEqual({ text: once.text, changes: [], sources: [KEPT, undefined, SHOWN] });
  });

  it("adds the tools and the marker to a manifest without them, with its line ends [AX1.edit-new]", () => {
    const { text, changes } = edited([tool("a", { description: "A", inputSchema: {} })], '{\r\n\t"name": "demo"\r\n}');
    expect(changes).toEqual(["toolsFrom: code", "added a"]);
    expect(text.split("\r\n")).toEqual([
      "{",
      '\t"name": "demo",',
      '\t"toolsFrom": "code",',
      '\t"tools": [',
      "\t\t{",
      '\t\t\t"name": "a",',
      '\t\t\t"description": "A",',
      '\t\t\t"inputSchema": {},',
      '\t\t\t"sideEffects": []',
      "\t\t}",
      "\t]",
      "}",
    ]);
  });
});
