/** A confirmation as MCP asks for it: an elicitation that says who asks and what will run (SPEC E2, E5). */

import { type ElicitRequestFormParams, inputRequired, inputResponse } from "@modelcontextprotocol/server";
import type { ConfirmationRequest, ConfirmPrompt } from "../../call/call.ts";
import { shownRequest } from "../../confirmations/request.ts";
import { dryRunLines } from "../../call/dry-run-text.ts";
import { createStyle } from "../../primitives/style.ts";
import { printable, printableJson, shorten } from "../../primitives/text.ts";
import type { DryRunReport } from "../../call/dry-run-report.ts";
import type { CallSide, Question } from "./open-call.ts";

/** The one input that a confirmation asks for. */
export const CONFIRMATION_INPUT = "bascule_confirmation";

const MAX_SHOWN = 2_000;
const MAX_PATHS = 20;
const MAX_CHANGE_LINES = 60;

/** How a call asks its client's person. */
export function confirmThrough(ask: CallSide["ask"]): ConfirmPrompt {
  return (request, signal) =>
    new Promise((resolve) => {
      const over = new AbortController();
      const settle = (answer: boolean | undefined): void => {
        signal.removeEventListener("abort", withdraw);
        over.abort();
        resolve(answer);
      };
      const withdraw = (): void => settle(undefined);
      signal.addEventListener("abort", withdraw, { once: true });
      if (signal.aborted) return withdraw();
      ask(toQuestion(request, over.signal, settle));
    });
}

function toQuestion(request: ConfirmationRequest, settled: AbortSignal, settle: (answer: boolean | undefined) => void): Question {
  return {
    inputs: { [CONFIRMATION_INPUT]: inputRequired.elicit(confirmationForm(request)) },
    answer(responses) {
      const view = inputResponse(responses, CONFIRMATION_INPUT);
      if (view.kind !== "elicit") return false;
      // Only a plain yes is a yes.
      settle(view.action === "accept" && view.content?.["approve"] === true);
      return true;
    },
    giveUp: () => settle(undefined),
    settled,
  };
}

/**
 * What the person reads. Everything in it that a plugin or a model chose is in quotes on a line of its own, with
 * whatever could move a cursor or hide written out, so that it cannot pass for bascule's words.
 */
export function confirmationForm(request: ConfirmationRequest): ElicitRequestFormParams {
  const { tool, plugin, digest, args, largeArguments: large, destructive, projectedModifications: paths, preview } = shownRequest(request);
  const lines = [
    `bascule asks: may the tool "${printable(tool)}" run?`,
    ...(plugin === undefined ? [] : [`Plugin: ${quoted(plugin)}${digest === undefined ? "" : `, version ${digest.slice(0, 12)}`}`]),
    `What it can do: ${WHAT[request.class]}${destructive ? "; it says of itself that it destroys" : ""}`,
    `Arguments: ${shorten(printableJson(JSON.stringify(args)), MAX_SHOWN)}`,
    ...(large === undefined ? [] : [`That is an outline of ${large.bytes} bytes of arguments, with the SHA-256 ${large.sha256}`]),
    ...(paths.length === 0
      ? []
      : [`Will write: ${paths.slice(0, MAX_PATHS).map(quoted).join(", ")}${paths.length > MAX_PATHS ? ", …" : ""}`]),
    ...(preview === undefined ? [] : ["Exactly this will be done:", ...shownChanges(preview)]),
    "The tool, its plugin and the model that calls it cannot change this question.",
  ];
  return {
    mode: "form",
    message: lines.join("\n"),
    requestedSchema: {
      type: "object",
      properties: { approve: { type: "boolean", title: "Run it", description: "This call, with these arguments" } },
      required: ["approve"],
    },
  };
}

/** Made inert where it is made; cut at whole lines, and what is cut is said. */
function shownChanges(preview: DryRunReport): readonly string[] {
  const lines = dryRunLines(preview, createStyle(false));
  const shown = lines.slice(0, MAX_CHANGE_LINES).map((line) => shorten(line, MAX_SHOWN));
  return lines.length === shown.length ? shown : [...shown, `  … ${lines.length - shown.length} more lines, which the console shows`];
}

const WHAT: Readonly<Record<ConfirmationRequest["class"], string>> = {
  none: "compute",
  read: "read what it is granted",
  write: "write files that it is granted",
  network: "talk to the network hosts that it is granted",
  execute: "execute programs or change the system",
};

function quoted(text: string): string {
  return shorten(printableJson(JSON.stringify(text)), MAX_SHOWN);
}
