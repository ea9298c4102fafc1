/** A plugin's tests: runs them, and shows the last outcome (SPEC I5, I7). */

import { FlaskConical, Play } from "lucide";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { StateBadge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Code } from "../../components/code.tsx";
import { Section } from "../../components/layout.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../components/states.tsx";
import { Ago, durationText } from "../../components/time.tsx";
import { ask } from "../../data/api.ts";
import type { TestRunView } from "../../../host/doors/views.ts";
import { attempt } from "../../data/state.ts";
import { useLoad } from "../../data/use-load.ts";

export function Tests({ plugin }: { readonly plugin: string }): VNode {
  const place = `/v1/plugins/${encodeURIComponent(plugin)}/tests`;
  const { data, error, reload } = useLoad(() => ask<{ readonly run?: TestRunView }>(place), [place]);
  const [isRunning, setRunning] = useState(false);
  const run = async (): Promise<void> => {
    setRunning(true);
    await attempt(async () => void (await ask(place, {})));
    setRunning(false);
    reload();
  };
  return (
    <Section
      title="Tests"
      actions={
        <Button icon={Play} isBusy={isRunning} onClick={() => void run()} label={`Run the tests of ${plugin}`}>
          {isRunning ? "Running…" : "Run the tests"}
        </Button>
      }
    >
      {error !== undefined && <ErrorPanel message={error} onRetry={reload} />}
      {!isRunning && data === undefined && error === undefined && <Skeleton rows={3} label="Loading the last run" />}
      {isRunning && <Skeleton rows={4} label="Running the tests" />}
      {!isRunning && data !== undefined && (data.run === undefined ? <NotRun /> : <Outcome run={data.run} />)}
    </Section>
  );
}

function NotRun(): VNode {
  return (
    <EmptyState title="Not run since the server started" icon={FlaskConical}>
      The tests run on a copy of the plugin, in an empty workspace, without its grants. Cases are in <code>cases/</code>, tests in{" "}
      <code>*_test.ts</code>.
    </EmptyState>
  );
}

function Outcome({ run }: { readonly run: TestRunView }): VNode {
  const { passed, failed, ignored, files, at, ms, isCut } = run;
  return (
    <>
      <p role="status">
        <StateBadge state={failed > 0 ? "failed" : "success"} text={failed > 0 ? `${failed} failed` : "passed"} /> {passed} passed
        {ignored > 0 && `, ${ignored} ignored`} <span class="soft">in {durationText(ms)}, </span>
        <span class="soft">
          <Ago time={at} />
        </span>
        {isCut && <span class="wait-text"> Not all tests ran, or are shown.</span>}
      </p>
      {files.length === 0 && <p class="soft">This plugin has neither cases nor tests.</p>}
      {files.map(({ file, error, results }) => (
        <div key={file} class="test-file">
          <h3>
            <code>{file}</code>
          </h3>
          {error !== undefined && <Code label={`Error of ${file}`} text={`${error.message}\n${error.stack}`} />}
          <ul>
            {results.map(({ name, status, ms: took, error: own }, index) => (
              <li key={index}>
                <StateBadge state={status === "ok" ? "success" : status} text={status} /> <span>{name}</span>{" "}
                <span class="soft number">{durationText(took)}</span>
                {own !== undefined && <Code label={`Error of ${name}`} text={`${own.message}\n${own.stack}`} />}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </>
  );
}
