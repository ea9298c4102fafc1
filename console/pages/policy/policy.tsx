/** Editor of `bascule.json`: shows what an edit would change before it is saved (SPEC I5, P1, P6). */

import { FileQuestion, Scale } from "lucide";
import { createTwoFilesPatch } from "diff";
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Diff } from "../../components/diff.tsx";
import { PageHeader, Section } from "../../components/layout.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../components/states.tsx";
import { toast } from "../../components/toast.tsx";
import { ask, RequestError } from "../../data/api.ts";
import type { PolicyCheck, PolicyProblem, PolicyText } from "../../../host/doors/views.ts";
import { onHostEvent } from "../../data/state.ts";
import { useLoad } from "../../data/use-load.ts";
import { CheckView } from "./check-view.tsx";

export function Policy(): VNode {
  const { data, error, reload } = useLoad(() => ask<PolicyText | { readonly text?: undefined }>("/v1/policy"), []);
  return (
    <>
      {data === undefined && <PageHeader title="Policy" />}
      {error !== undefined && <ErrorPanel message={error} onRetry={reload} />}
      {data === undefined && error === undefined && <Skeleton rows={12} />}
      {data !== undefined && data.text === undefined && (
        <>
          <PageHeader title="Policy" />
          <EmptyState title="This project has no bascule.json" icon={FileQuestion}>
            Without one, every tool is allowed in the sandbox and nothing is granted. <code>bascule init</code> creates one.
          </EmptyState>
        </>
      )}
      {data?.text !== undefined && <Editor key={data.digest} file={data} onSaved={reload} />}
    </>
  );
}

/** The answer of the server about an edit. */
type Answer =
  | { readonly kind: "check"; readonly text: string; readonly check: PolicyCheck }
  | { readonly kind: "problems"; readonly text: string; readonly problems: readonly PolicyProblem[] }
  | { readonly kind: "changed"; readonly text: string; readonly now: PolicyText }
  | { readonly kind: "error"; readonly text: string; readonly message: string };

/** The edit, and the file that it began with: kept while the user looks at other pages. */
let kept: { readonly base: PolicyText; readonly text: string } | undefined;

function Editor({ file, onSaved }: { readonly file: PolicyText; readonly onSaved: () => void }): VNode {
  const [base, setBase] = useState(kept?.base ?? file);
  const [text, edit] = useState(kept?.text ?? file.text);
  const [answer, show] = useState<Answer | undefined>(undefined);
  const [busy, setBusy] = useState<"check" | "save" | undefined>(undefined);
  const area = useRef<HTMLTextAreaElement>(null);
  const isEdited = text !== base.text;
  useLeaveWarning(isEdited);
  useEffect(() => {
    kept = isEdited ? { base, text } : undefined;
    // An edit is compared with the new file when it is saved.
    return isEdited ? undefined : onHostEvent(({ type }) => type === "policy.reloaded" && onSaved());
  }, [base, text]);
  const current = answer?.text === text ? answer : undefined;
  const isChecked = current?.kind === "check";

  async function run(act: "check" | "save"): Promise<void> {
    setBusy(act);
    try {
      if (act === "check") show({ kind: "check", text, check: await ask<PolicyCheck>("/v1/policy/check", { text }) });
      else {
        const { withheld } = await ask<{ readonly withheld: readonly { readonly name: string }[] }>("/v1/policy", {
          text,
          digest: base.digest,
        });
        toast(
          withheld.length === 0
            ? "Saved. The policy is in force."
            : `Saved. ${withheld.map(({ name }) => name).join(", ")} ${withheld.length === 1 ? "waits" : "wait"} for bascule trust.`,
        );
        kept = undefined;
        onSaved();
      }
    } catch (error) {
      show(answerOf(error, text));
    } finally {
      setBusy(undefined);
    }
  }

  function goTo({ line, column }: PolicyProblem): void {
    const element = area.current;
    if (element === null || line === undefined) return;
    const start =
      text
        .split("\n")
        .slice(0, line - 1)
        .reduce((sum, before) => sum + before.length + 1, 0) + Math.max(0, (column ?? 1) - 1);
    element.focus();
    element.setSelectionRange(start, start);
  }

  return (
    <>
      <PageHeader title="Policy" about={<code>{base.path}</code>} badges={isEdited && <Badge tone="wait">edited</Badge>}>
        <Button disabled={!isEdited} onClick={() => edit(base.text)}>
          Discard
        </Button>
        <Button disabled={!isEdited} isBusy={busy === "check"} onClick={() => void run("check")} icon={Scale}>
          Compare
        </Button>
        <Button
          variant="primary"
          disabled={!isEdited || !isChecked}
          isBusy={busy === "save"}
          onClick={() => void run("save")}
          title={isChecked ? "Save the policy" : "Compare first"}
        >
          Save
        </Button>
      </PageHeader>
      <div class="editor-split">
        <div class="editor-side">
          <label for="policy-text" class="visually-hidden">
            bascule.json
          </label>
          <textarea
            id="policy-text"
            ref={area}
            class="editor"
            spellcheck={false}
            autocomplete="off"
            value={text}
            aria-invalid={current?.kind === "problems"}
            aria-describedby="policy-answer"
            onInput={({ currentTarget }) => edit(currentTarget.value)}
          />
          <p class="soft editor-note">
            Here you change policy, confirmation and roles. The other members are changed in an editor on the machine.
          </p>
        </div>
        <div class="editor-side" id="policy-answer" aria-live="polite" aria-busy={busy !== undefined}>
          {busy === "check" && <Skeleton rows={6} label="Comparing with the calls of the last week" />}
          {busy !== "check" && (
            <AnswerView
              answer={current}
              isEdited={isEdited}
              onGoTo={goTo}
              onTake={(now) => (setBase(now), edit(now.text))}
              onRebase={setBase}
            />
          )}
          {isEdited && (
            <Section title="Your edit">
              <Diff path="bascule.json" diff={createTwoFilesPatch("bascule.json", "bascule.json", base.text, text)} />
            </Section>
          )}
        </div>
      </div>
    </>
  );
}

function AnswerView({
  answer,
  isEdited,
  onGoTo,
  onTake,
  onRebase,
}: {
  readonly answer: Answer | undefined;
  readonly isEdited: boolean;
  readonly onGoTo: (problem: PolicyProblem) => void;
  readonly onTake: (now: PolicyText) => void;
  readonly onRebase: (now: PolicyText) => void;
}): VNode {
  if (answer === undefined)
    return (
      <EmptyState title={isEdited ? "Compare your edit before you save it" : "Edit the policy on the left"} icon={Scale}>
        Compare lists every decision that would change, over all tools and the calls of the last week.
      </EmptyState>
    );
  if (answer.kind === "error") return <ErrorPanel title="This did not work" message={answer.message} />;
  if (answer.kind === "changed")
    return (
      <div class="note wait">
        <p>bascule.json was changed meanwhile. Your edit is kept here.</p>
        <div class="actions">
          <Button onClick={() => onRebase(answer.now)}>Keep my edit, compare with the new file</Button>
          <Button variant="danger" onClick={() => onTake(answer.now)}>
            Take the new file, drop my edit
          </Button>
        </div>
      </div>
    );
  if (answer.kind === "problems")
    return (
      <Section title="Problems" count={answer.problems.length}>
        <ul class="problems">
          {answer.problems.map((problem, index) => (
            <li key={index}>
              {problem.line !== undefined && (
                <Button variant="ghost" label={`Line ${problem.line}: go to the problem`} onClick={() => onGoTo(problem)}>
                  Line {problem.line}
                </Button>
              )}
              <span>
                <span class="bad-text">{problem.message}</span>
                {problem.fix !== undefined && <span class="soft"> — {problem.fix}</span>}
                {problem.pointer !== "" && <code class="soft"> {problem.pointer}</code>}
              </span>
            </li>
          ))}
        </ul>
      </Section>
    );
  return <CheckView check={answer.check} />;
}

/** The server's problem document has the places of the problems, or the file as it is now. */
function answerOf(error: unknown, text: string): Answer {
  if (!(error instanceof RequestError)) return { kind: "error", text, message: error instanceof Error ? error.message : String(error) };
  const { errors, now } = error.extras;
  // The members come from the server that served this page; `host/doors/views.ts` has their types.
  if (error.status === 400 && Array.isArray(errors)) return { kind: "problems", text, problems: errors as readonly PolicyProblem[] };
  if (error.status === 409 && typeof now === "object" && now !== null) return { kind: "changed", text, now: now as PolicyText };
  return { kind: "error", text, message: error.message };
}

function useLeaveWarning(isNeeded: boolean): void {
  useEffect(() => {
    if (!isNeeded) return undefined;
    const stop = new AbortController();
    addEventListener("beforeunload", (event) => event.preventDefault(), { signal: stop.signal });
    return () => stop.abort();
  }, [isNeeded]);
}
