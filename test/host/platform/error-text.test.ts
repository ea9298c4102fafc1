import { describe, expect, it } from "vitest";
import { defectText } from "../../../host/platform/error-text.ts";
import { FileError } from "../../../host/platform/platform.ts";

describe("defectText()", () => {
  it("is the stack of a defect, and the message alone of a failed file operation, of what it caused, or of a reason [AU7.log]", () => {
    expect(defectText(new TypeError("odd"))).toMatch(/^TypeError: odd\n +at /);
    expect(defectText(new FileError("no_space", "No space left on the disk"))).toBe("No space left on the disk");
    const caused = new Error("Cannot write the lock", { cause: new FileError("permission_denied", "Permission denied") });
    expect(defectText(caused)).toBe("Cannot write the lock");
    expect(defectText(new Error("odd", { cause: new TypeError("other") }))).toMatch(/^Error: odd\n +at /);
    expect(defectText("row 7 is missing")).toBe("row 7 is missing");
  });
});
