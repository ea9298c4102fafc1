/** SES: the realm is locked down once, each compartment has its own globals. Heap and thread are shared with the host. */

import { importPackage, type Peer } from "./peer.ts";
import { SCRIPT, type ToolName, TOOLS } from "./work.ts";

/** The globals of `import "ses"` that are used. */
interface SesGlobals {
  lockdown(): void;
  readonly Compartment: new (options: { readonly globals: object; readonly __options__: true }) => { evaluate(code: string): Tools };
}

type Tools = (tool: ToolName, argsText: string) => string;

/** Only text is passed in and out, because objects would be the host's own. Functions of a script are not global here. */
const TOOLS_CODE = `${SCRIPT}\nconst tools = { ${TOOLS.join(", ")} };\n(tool, argsText) => JSON.stringify(tools[tool](JSON.parse(argsText)));`;

export const ses: Peer = {
  id: "ses",
  name: "SES compartment",
  fresh: "compartment",
  gives: { boundary: "frozen intrinsics in the same heap", limits: "none", runs: "on the caller's thread" },
  async start() {
    await importPackage("ses");
    const { lockdown, Compartment } = globalThis as unknown as SesGlobals;
    lockdown();
    const open = (): Tools => new Compartment({ globals: {}, __options__: true }).evaluate(TOOLS_CODE);
    const kept = open();
    return {
      warm: (tool, argsText) => kept(tool, argsText),
      fresh: (tool, argsText) => open()(tool, argsText),
    };
  },
};
