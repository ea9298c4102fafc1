import { describe, expect, it } from "vitest";
import { createLargeInputs } from "../../../../host/doors/mcp/large-inputs.ts";
import { currentPlatform } from "../../../../host/platform/mod.ts";
import { createSlices } from "../../../../host/platform/threads/slices.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../../manifests/mod.ts";

const MIB = 1024 * 1024;

describe("createLargeInputs()", () => {
  it("keeps at most 16 MiB of arguments of messages that do not become calls [LV2.mcp-waiting]", async () => {
    const { random } = currentPlatform();
    const inputs = createLargeInputs({ random, slices: createSlices(() => 0) }, 4 * MIB);
    const data = "x".repeat(3.5 * MIB);
    const marks: JsonObject[] = [];
    for (let id = 0; id < 6; id++) {
      const text = `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"arguments":{"id":${id},"data":"${data}"}}}`;
      marks.push(argumentsIn((await inputs.shorten(text)) ?? ""));
    }
    expect(marks.map((mark) => inputs.take(mark)["id"] ?? "dropped")).toEqual(["dropped", "dropped", 2, 3, 4, 5]);
  });
});

function argumentsIn(text: string): JsonObject {
  const { params } = JSON.parse(text) as Readonly<Record<string, JsonValue | undefined>>;
  const given = isJsonObject(params) ? params["arguments"] : undefined;
  if (!isJsonObject(given)) throw new Error("The arguments have no mark");
  return given;
}
