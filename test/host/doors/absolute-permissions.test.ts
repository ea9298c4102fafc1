import { describe, expect, it } from "vitest";
import { absolutePermissions } from "../../../host/doors/absolute-permissions.ts";

describe("absolutePermissions()", () => {
  it.each([
    ["/project/plugins/words", ["$plugin/data", "$plugin", "/project/plugins/words2", "/etc"]],
    ["/", ["$plugin/data", "$plugin", "$plugin/words2", "/etc"]],
  ])("names items in the plugin's folder %j by their token [PA2]", (folder, read) => {
    expect(absolutePermissions({ read: ["data", ".", "../words2", "/etc"] }, folder)).toEqual({ read });
  });
});
