import { describe, expect, it } from "vitest";
import { createCodeReader } from "../../../../host/plugins/code/code-reader.ts";
import { createMemoryPlatform } from "../../../../host/platform/memory/memory.ts";
import { type Service, ServiceError } from "../../../../host/primitives/service/service.ts";
import { localService } from "../../../support/local-service.ts";

describe("createCodeReader()", () => {
  it("ends a thread that does not answer in ten seconds, and starts another one for the next code [AX1.bounded]", async () => {
    const platform = createMemoryPlatform();
    const ended: string[] = [];
    const opened: string[] = [];
    const stuck = (): Service => {
      let end: (error: Error) => void = () => {};
      return {
        run: () => new Promise<never>((_resolve, reject) => void (end = reject)),
        close() {
          ended.push("stuck");
          end(new ServiceError("ServiceEnded", "The service is closed"));
          return Promise.resolve();
        },
      };
    };
    const reader = createCodeReader(platform, () => {
      opened.push("thread");
      return opened.length === 1 ? stuck() : localService(platform);
    });
    const files = new Map([["main.ts", "/** Does it */\nexport function f() {}"]]);
    const first = reader.read(files, "main.ts");
    platform.advance(9_999);
    expect(ended).toEqual([]);
    platform.advance(1);
    expect(await first).toBeUndefined();
    expect(ended).toEqual(["stuck"]);
    expect((await reader.read(files, "main.ts"))?.tools.map((tool) => tool.export)).toEqual(["f"]);
    expect((await reader.read(files, "main.ts"))?.problems).toEqual([]);
    expect(opened).toEqual(["thread", "thread"]);
    await reader.close();
  });

  it("reports code that the parser cannot read as a problem [AX1.bounded]", async () => {
    const platform = createMemoryPlatform();
    const broken: Service = {
      run: () => Promise.reject(new ServiceError("TypeError", "x is undefined")),
      close: () => Promise.resolve(),
    };
    const reader = createCodeReader(platform, () => broken);
    expect((await reader.read(new Map([["main.ts", ""]]), "main.ts"))?.problems).toEqual([
      { file: "main.ts", line: 1, column: 1, message: "The code cannot be read: x is undefined", fix: "write it in another way" },
    ]);
  });
});
