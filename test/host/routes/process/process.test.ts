import { describe, expect, it } from "vitest";
import { createHostExecutor } from "../../../../host/routes/host.ts";
import { type Behaviour, executorSuite } from "../../../conformance/executor.ts";
import { routeOptions } from "../../../support/execution.ts";
import { platformWithProcesses, toolBody, trustedExecution } from "../../../support/trusted-call.ts";

function toBody(behaviour: Behaviour, confinement: "deno" | "none"): string {
  switch (behaviour.does) {
    case "return":
      return `return ${JSON.stringify(behaviour.output)};`;
    case "return arguments":
      return "return args;";
    case "return parts":
      return `return context.output(${JSON.stringify(behaviour.parts)});`;
    case "throw":
      return `throw new Error(${JSON.stringify(behaviour.message)});`;
    case "throw a ToolError":
      return `throw context.error(${JSON.stringify(behaviour.message)});`;
    case "wait":
      return `context.progress("begun"); await new Promise((_resolve, reject) => context.signal.addEventListener("abort", () => reject(context.signal.reason)));`;
    case "write":
      return `await context.workspace.write(${JSON.stringify(behaviour.path)}, ${JSON.stringify(behaviour.text)}); return null;`;
    case "read":
      return confinement === "deno"
        ? `return await Deno.readTextFile(${JSON.stringify(behaviour.path)});`
        : `return await context.workspace.read(${JSON.stringify(behaviour.path)});`;
  }
}

for (const confinement of ["deno", "none"] as const) {
  executorSuite(confinement === "deno" ? "host, a trusted plugin's," : "host, an unconfined plugin's,", () => {
    const platform = platformWithProcesses();
    const options = routeOptions(platform);
    let begun = 0;
    return {
      execute: createHostExecutor(options),
      events: options.events,
      advance: platform.advance,
      begun: () => begun,
      execution: (behaviour, { args, signal, wallMs } = {}) =>
        trustedExecution(toolBody(toBody(behaviour, confinement)), {
          confinement,
          ...(args !== undefined && { args }),
          ...(signal && { signal }),
          ...(wallMs !== undefined && { limits: { wallMs } }),
          call: { onProgress: () => void (begun += 1) },
        }),
    };
  });
}

describe("createProcessExecutor()", () => {
  it.todo("x");
});
