import { describe, expect, it } from "vitest";
import { createOutput } from "../../../../host/doors/cli/output.ts";
import { memoryPlatform } from "../../../support/memory-platform.ts";

const HOSTILE = "\x1b[8mhidden\x1b[2J\u202e\x9b1A\r\x07";
const INERT = "\\x1b[8mhidden\\x1b[2J\\u{202e}\\x9b1A\\r\\x07";

describe("Output", () => {
  it.each([true, false])("lets only its own style sequences reach the terminal (color: %s) [I2.sink]", (color) => {
    const platform = memoryPlatform();
    const output = createOutput({ ...platform, terminal: { ...platform.terminal, color } }, { json: false, color, program: "bascule" });
    const red = (text: string): string => (color ? `\x1b[31m${text}\x1b[39m` : text);
    output.line(`${output.style.red("a")}\t${HOSTILE}\nb`);
    output.note(`${output.style.red("a")}\t${HOSTILE}\nb`);
    const shown = `${red("a")}\t${INERT}\nb\n`;
    expect([platform.recorded.out(), platform.recorded.error()]).toEqual([shown, shown]);
  });

  it("writes JSON documents with control characters escaped and the same values [I2.sink]", () => {
    const platform = memoryPlatform();
    const output = createOutput(platform, { json: true, color: true, program: "bascule" });
    output.document({ [HOSTILE]: HOSTILE });
    const text = platform.recorded.out();
    expect(JSON.parse(text)).toEqual({ [HOSTILE]: HOSTILE });
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});
