/** Questions that wait for a person, with everything that the call would do (SPEC E2, E5). */

import type { VNode } from "preact";
import { ask } from "./api.ts";
import { Block } from "./block.tsx";
import { attempt, load, loadQuestions, questions } from "./state.ts";
import type { FileChange, Question } from "./types.ts";

export function Questions(): VNode {
  return (
    <section aria-labelledby="questions-title">
      <h2 id="questions-title">Questions</h2>
      <div role="status">{questions.value.length === 0 ? <p>Nothing waits for you.</p> : <p>{questions.value.length} waiting</p>}</div>
      <ol class="cards">
        {questions.value.map((question) => (
          <QuestionCard key={question.request.requestId} question={question} />
        ))}
      </ol>
    </section>
  );
}

function QuestionCard({ question: { request, expiresAt } }: { readonly question: Question }): VNode {
  const { requestId, tool, plugin, digest, args, destructive, projectedModifications, preview, hash } = request;
  const answer = (approve: boolean): Promise<void> =>
    attempt(async () => {
      await ask(`/v1/confirmations/${encodeURIComponent(requestId)}`, { approve, hash });
    }).finally(() => void load(loadQuestions));
  return (
    <li class="card">
      <h3>
        {tool} <span class={`badge ${request.class}`}>{request.class}</span>
        {destructive && <span class="badge denied">destructive</span>}
      </h3>
      <p class="soft">
        {plugin !== undefined && `plugin ${plugin} `}
        {digest !== undefined && <code>{digest.slice(0, 12)}</code>} until {new Date(expiresAt).toLocaleTimeString()}
      </p>
      <h4>Arguments</h4>
      <Block label={`Arguments of ${tool}`} value={args} />
      {projectedModifications.length > 0 && (
        <>
          <h4>Files that it says it writes</h4>
          <ul>
            {projectedModifications.map((path) => (
              <li key={path}>
                <code>{path}</code>
              </li>
            ))}
          </ul>
        </>
      )}
      {preview !== undefined && (
        <>
          <h4>What will change, and nothing else</h4>
          {preview.changes.map((change) => (
            <Diff key={change.path} change={change} />
          ))}
          {preview.moreChanges !== undefined && <p>and {preview.moreChanges} more</p>}
          {preview.held.map(({ method, url }, index) => (
            <p key={index}>
              not sent yet: <code>{`${method} ${url}`}</code>
            </p>
          ))}
        </>
      )}
      <div class="line">
        <button class="primary" onClick={() => void answer(true)}>
          Approve
        </button>
        <button onClick={() => void answer(false)}>Deny</button>
      </div>
    </li>
  );
}

function Diff({ change: { path, kind, from, mode, diff } }: { readonly change: FileChange }): VNode {
  return (
    <figure>
      <figcaption>
        <code>{path}</code> {kind}
        {from !== undefined && ` from ${from}`}
        {mode !== undefined && `, ${mode}`}
      </figcaption>
      {diff !== undefined && (
        <pre class="diff" tabIndex={0} role="region" aria-label={`Changes in ${path}`}>
          {diff.split("\n").map((line, index) => (
            <span key={index} class={line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "same"}>
              {`${line}\n`}
            </span>
          ))}
        </pre>
      )}
    </figure>
  );
}
