/** The confirmation request, and the hash that binds an answer to it (SPEC E2, E3). */

import type { ConfirmationRequest, ToolCall } from "../call/call.ts";
import { isJsonObject, type JsonValue } from "../../manifests/mod.ts";
import { defined } from "../primitives/defined.ts";
import { type HashPlatform, hashOf } from "../primitives/json/json-hash.ts";
import { sizeOf } from "../primitives/json/known-size.ts";
import { outlineOfLarge } from "../primitives/json/outline.ts";
import { hashSlices } from "../primitives/json/write-slices.ts";
import type { DryRunReport } from "../call/dry-run-report.ts";
import { classOf } from "../policy/side-effects.ts";
import type { RegisteredTool } from "../tools/tool.ts";

/** @param asked `preview` lists the call's changes, if a dry run determined them */
export async function toRequest(
  tool: RegisteredTool,
  call: ToolCall,
  args: JsonValue,
  { requestId, platform, preview }: { readonly requestId: string; readonly platform: HashPlatform; readonly preview?: DryRunReport },
): Promise<ConfirmationRequest> {
  const modifications = preview?.changes.map(({ path }) => path) ?? projectedModifications(tool, args);
  const digest = tool.binding.kind === "plugin" ? tool.binding.version.digest : undefined;
  const largeArguments = sizeOf(args) === undefined ? undefined : await platform.slices.run(hashSlices(args, platform.sha256));
  return Object.freeze({
    requestId,
    callId: call.callId,
    tool: tool.qualifiedName,
    ...defined({ plugin: tool.plugin, digest }),
    args,
    ...(largeArguments && { largeArguments }),
    class: classOf(tool),
    destructive: tool.definition.destructive,
    ...(call.chain !== undefined && call.chain.path.length > 0 && { calledBy: call.chain.path }),
    projectedModifications: modifications,
    ...(preview && { preview }),
    // A resumed call keeps its request, and so the identity that its tool had then.
    hash: await hashOf(
      [tool.qualifiedName, digest ?? call.resumed?.toolId ?? tool.id, args, modifications, ...(preview ? [preview.hash] : [])],
      platform,
    ),
  });
}

/** Returns the request as doors show it: with an outline of large arguments (SPEC LV2). Its hash still covers the arguments. */
export function shownRequest(request: ConfirmationRequest): ConfirmationRequest {
  if (request.largeArguments === undefined) return request;
  const { args, projectedModifications: paths } = request;
  // The outline of a list of texts contains only texts.
  return { ...request, args: outlineOfLarge(args), projectedModifications: outlineOfLarge(paths) as readonly string[] };
}

/** Creates a request for a permission in the middle of a call; its hash covers the permission as well. */
export async function toPermissionRequest(
  tool: RegisteredTool,
  call: ToolCall,
  args: JsonValue,
  {
    permission,
    ...options
  }: {
    readonly requestId: string;
    readonly platform: HashPlatform;
    readonly permission: NonNullable<ConfirmationRequest["permission"]>;
  },
): Promise<ConfirmationRequest> {
  const request = await toRequest(tool, call, args, options);
  return Object.freeze({ ...request, permission, hash: await hashOf([request.hash, "permission", { ...permission }]) });
}

/** Returns the arguments that the tool declares as files to write. */
function projectedModifications(tool: RegisteredTool, args: JsonValue): readonly string[] {
  if (!isJsonObject(args)) return [];
  return tool.definition.requires
    .filter(({ capability }) => capability === "write")
    .flatMap(({ arg }) => [args[arg]].flat().filter((value) => typeof value === "string"));
}
