/** The innocent plugin: calls of every kind, whose duration beside hostile calls is compared with their duration alone. */

import type { Permissions } from "../../../host/mod.ts";

export const CANARY = "canary";

const MAIN = `
export function brief() { let sum = 0; for (let i = 0; i < 20_000; i++) sum += i; return sum; }
export async function sleep({ ms }) { await new Promise((resolve) => setTimeout(resolve, ms)); return "slept"; }
export async function read() { return (await Deno.readTextFile("canary.txt")).length; }
export async function get({ url }) { return await (await fetch(url + "/now")).text(); }
export async function wait({ url }) { return await (await fetch(url + "/later")).text(); }
`;

export const CANARY_TEXT = "sings";

export interface CanaryCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, string | number>>;
  readonly output: unknown;
}

/** @param url origin of the local server */
export function canaryCalls(url: string, sleepMs: number): readonly CanaryCall[] {
  return [
    { tool: "brief", args: {}, output: 199_990_000 },
    { tool: "sleep", args: { ms: sleepMs }, output: "slept" },
    { tool: "read", args: {}, output: CANARY_TEXT.length },
    { tool: "get", args: { url }, output: "now" },
    { tool: "wait", args: { url }, output: "later" },
  ];
}

/** Returns the canaries that a case uses. */
export function canariesOf(
  { canaries }: { readonly canaries?: readonly string[] },
  url: string,
  { sleepMs }: { readonly sleepMs: number },
): readonly CanaryCall[] {
  return canaryCalls(url, sleepMs).filter(({ tool }) => canaries?.includes(tool) ?? true);
}

export const CANARY_PLUGIN: { readonly manifest: object; readonly main: string } = {
  main: MAIN,
  manifest: { permissions: { read: ["$workspace"], net: true } },
};

export function canaryGrant(url: string): Permissions {
  return { read: ["$workspace"], net: [new URL(url).host] };
}
