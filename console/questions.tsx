/** Pending confirmations, with everything that the call would do (SPEC E2, E5). */

import type { VNode } from "preact";
import { ask } from "./api.ts";
import { Block } from "./block.tsx";
import { Changes } from "./changes.tsx";
import { attempt, load, loadQuestions, questions } from "./state.ts";
import type { Question } from "./types.ts";

export function Questions(): VNode {
  return (
    <section aria-labelledby="questions-title">
      <h2 id="questions-title">Confirmations</h2>
      <div role="status">{questions.value.length === 0 ? <p>No pending confirmations.</p> : <p>{questions.value.length} pending</p>}</div>
      <ol class="cards">
        {questions.value.map((question) => (
          <QuestionCard key={question.request.requestId} question={question} />
        ))}
      </ol>
    </section>
  );
}

function QuestionCard({ question: { request, expiresAt } }: { readonly question: Question }): VNode {
  const {
    requestId,
    tool,
    plugin,
    digest,
    args,
    largeArguments,
    destructive,
    projectedModifications,
    preview,
    hash,
    calledBy,
    permission,
  } = request;
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
      {calledBy !== undefined && <p>called by {calledBy.join(" → ")}</p>}
      {permission !== undefined && (
        <p>
          During the call, the tool requests {permission.kind} <code>{permission.value ?? "everything"}</code>
          {permission.leadsTo !== undefined && (
            <>
              , which leads to <code>{permission.leadsTo}</code>
            </>
          )}
          , for this call only.
        </p>
      )}
      <h4>Arguments</h4>
      <Block label={`Arguments of ${tool}`} value={args} />
      {largeArguments !== undefined && (
        <p class="soft">
          an outline of {largeArguments.bytes} bytes with the SHA-256 <code>{largeArguments.sha256}</code>
        </p>
      )}
      {preview === undefined && projectedModifications.length > 0 && (
        <>
          <h4>Declared file changes</h4>
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
          <h4>Exact changes</h4>
          <Changes report={preview} />
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
