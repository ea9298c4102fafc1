/** Sends a confirmation through MCP: an elicitation that shows who asks and what will run (SPEC E2, E5). */

import { type ElicitRequestFormParams, inputRequired, inputResponse } from "@modelcontextprotocol/server";
import type { ConfirmationRequest, ConfirmPrompt } from "../../call/call.ts";
import { shownRequest } from "../../confirmations/request.ts";
import { dryRunLines } from "../../call/dry-run-text.ts";
import { createStyle } from "../../primitives/style.ts";
import { printable, printableJson, shorten } from "../../primitives/text.ts";
import type { DryRunReport } from "../../call/dry-run-report.ts";
import type { CallSide, Question } from "./open-call.ts";

/** Name of the only input of a confirmation. */
const CONFIRMATION_INPUT = "bascule_confirmation";

const MAX_SHOWN = 2_000;
const MAX_PATHS = 20;
const MAX_CHANGE_LINES = 60;

/** Creates the prompt that asks the client's user for confirmation. */
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
      // Only an explicit `approve: true` approves.
      settle(view.action === "accept" && view.content?.["approve"] === true);
      return true;
    },
    giveUp: () => settle(undefined),
    settled,
  };
}

/**
 * Makes the form that the user reads. Text that a plugin or a model chose is quoted on its own line, with control and hidden
 * characters escaped, so that it cannot pass for bascule's text.
 */
export function confirmationForm(request: ConfirmationRequest): ElicitRequestFormParams {
  const { tool, plugin, digest, args, largeArguments: large, destructive, projectedModifications: paths, preview } = shownRequest(request);
  const lines = [
    `bascule: allow the tool "${printable(tool)}" to run?`,
    ...(plugin === undefined ? [] : [`Plugin: ${quoted(plugin)}${digest === undefined ? "" : `, version ${digest.slice(0, 12)}`}`]),
    `What it can do: ${WHAT[request.class]}${destructive ? "; it declares itself destructive" : ""}`,
    `Arguments: ${shorten(printableJson(JSON.stringify(args)), MAX_SHOWN)}`,
    ...(large === undefined ? [] : [`This is an outline of ${large.bytes} bytes of arguments with the SHA-256 ${large.sha256}`]),
    ...(paths.length === 0
      ? []
      : [`Will write: ${paths.slice(0, MAX_PATHS).map(quoted).join(", ")}${paths.length > MAX_PATHS ? ", …" : ""}`]),
    ...(preview === undefined ? [] : ["It will make exactly these changes:", ...shownChanges(preview)]),
    "The tool, its plugin and the calling model cannot change this confirmation.",
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

/** Lines of the dry run, already escaped; cut at whole lines, with the number of lines cut. */
function shownChanges(preview: DryRunReport): readonly string[] {
  const lines = dryRunLines(preview, createStyle(false));
  const shown = lines.slice(0, MAX_CHANGE_LINES).map((line) => shorten(line, MAX_SHOWN));
  return lines.length === shown.length ? shown : [...shown, `  … ${lines.length - shown.length} more lines (see the console)`];
}

const WHAT: Readonly<Record<ConfirmationRequest["class"], string>> = {
  none: "compute",
  read: "read what its grant allows",
  write: "write files that its grant allows",
  network: "connect to network hosts that its grant allows",
  execute: "execute programs or change the system",
};

function quoted(text: string): string {
  return shorten(printableJson(JSON.stringify(text)), MAX_SHOWN);
}
