import { describe, expect, it } from "vitest";
import { confirmationMode, type ModeInput } from "../../../host/policy/confirmation-mode.ts";
import type { ToolDeclaration } from "../../../host/tools/tool.ts";
import type { ConfirmMode, JsonObject, SideEffectClass } from "../../../manifests/mod.ts";
import { functionOf } from "../../support/registered.ts";
import { projectOf } from "../../support/test-host.ts";

interface Wish {
  readonly class?: SideEffectClass;
  readonly tool?: Partial<ToolDeclaration>;
  readonly confirmation?: JsonObject;
  readonly rule?: ConfirmMode;
  readonly session?: ModeInput["session"]["confirmation"];
  readonly trusted?: true;
  readonly writesOnlyData?: true;
}

function mode(options: Wish = {}): string {
  const decided = confirmationMode({
    tool: functionOf("tool", options.tool),
    class: options.class ?? "write",
    writesOnlyData: options.writesOnlyData === true,
    session: { workspace: "/w", ...(options.session && { confirmation: options.session }) },
    config: projectOf({ confirmation: options.confirmation ?? {} }).confirmation,
    isTrusted: () => options.trusted === true,
    ...(options.rule && { rule: { value: options.rule, because: { layer: "rule", rule: "tool tool" } } }),
  });
  return `${decided.mode} (${decided.because.rule})`;
}

describe("confirmationMode()", () => {
  it("does not ask for a tool that writes only its plugin's data, unless the project, a type or the session does [AX3.confirm]", () => {
    const own = { writesOnlyData: true } as const;
    expect(mode(own)).toBe("auto (class write, of $data only)");
    expect(mode({ ...own, class: "network" })).toBe("prompt (class network)");
    expect(mode({ ...own, confirmation: { default: { write: "prompt" } } })).toBe("prompt (default write)");
    expect(mode({ ...own, session: { write: "prompt" } })).toBe("prompt (session write)");
    expect(mode({ ...own, tool: { destructive: true } })).toBe("prompt (destructive)");
  });

  it("asks for tools that write, execute or use the network, and not for others [E1]", () => {
    expect((["none", "read", "write", "network", "execute"] as const).map((name) => mode({ class: name }))).toEqual([
      "auto (class none)",
      "auto (class read)",
      "prompt (class write)",
      "prompt (class network)",
      "prompt (class execute)",
    ]);
  });

  it("uses the project's modes for classes [E1]", () => {
    expect(mode({ confirmation: { default: { write: "prompt_once" } } })).toBe("prompt_once (default write)");
  });

  it("prefers modes per tool over classes and trust [E1.precedence]", () => {
    expect(mode({ confirmation: { default: { write: "prompt" }, perTool: { tool: "auto" } } })).toBe("auto (perTool tool)");
    expect(mode({ confirmation: { perTool: { tool: "prompt" } }, trusted: true })).toBe("prompt (perTool tool)");
    expect(mode({ rule: "auto" })).toBe("auto (tool tool)");
    expect(mode({ rule: "auto", confirmation: { perTool: { tool: "prompt_once" } } })).toBe("prompt_once (perTool tool)");
  });

  it("lets a denial win at every rank [E1.precedence]", () => {
    expect(mode({ confirmation: { default: { write: "deny" }, perTool: { tool: "auto" } } })).toBe("deny (default write)");
    expect(mode({ confirmation: { trustedWorkspaceOverrides: { write: "deny" } }, trusted: true, rule: "auto" })).toBe(
      "deny (trustedWorkspaceOverrides write)",
    );
    expect(mode({ rule: "deny", confirmation: { perTool: { tool: "auto" } } })).toBe("deny (tool tool)");
  });

  it("is more lenient in trusted workspaces, except for tools that execute [E1.trusted]", () => {
    expect((["write", "network", "execute"] as const).map((name) => mode({ class: name, trusted: true }))).toEqual([
      "auto (trustedWorkspaces)",
      "auto (trustedWorkspaces)",
      "prompt (trustedWorkspaces)",
    ]);
    expect(mode({ trusted: true, confirmation: { trustedWorkspaceOverrides: { write: "prompt" } } })).toBe(
      "prompt (trustedWorkspaceOverrides write)",
    );
    expect(mode({ trusted: true, confirmation: { trustedWorkspaceOverrides: { tool: "prompt_once" } } })).toBe(
      "prompt_once (trustedWorkspaceOverrides tool)",
    );
  });

  it("always asks before a destructive call, unless it is denied [E1.destructive]", () => {
    const tool = { destructive: true };
    expect(mode({ tool, class: "none" })).toBe("prompt (destructive)");
    expect(mode({ tool, confirmation: { perTool: { tool: "prompt_once" } } })).toBe("prompt (destructive)");
    expect(mode({ tool, confirmation: { perTool: { tool: "auto" } } })).toBe("prompt (destructive)");
    expect(mode({ tool, confirmation: { perTool: { tool: "deny" } } })).toBe("deny (perTool tool)");
  });

  it("lets a session be stricter, never more lenient [E1.session]", () => {
    expect(mode({ class: "read", session: { read: "prompt" } })).toBe("prompt (session read)");
    expect(mode({ session: { write: "auto" } })).toBe("prompt (class write)");
    expect(mode({ session: { write: "deny" }, confirmation: { perTool: { tool: "auto" } } })).toBe("deny (session write)");
  });
});
