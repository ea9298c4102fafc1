/** The console: one page that shows the host's activity and lets the user decide (SPEC I5). */

import { type Signal, signal } from "@preact/signals";
import { render, type VNode } from "preact";
import { useEffect, useErrorBoundary } from "preact/hooks";
import { ask, logIn, logOut, token } from "./api.ts";
import { Live } from "./live.tsx";
import { Login } from "./login.tsx";
import { Plugins } from "./plugins.tsx";
import { Questions } from "./questions.tsx";
import { RecordView } from "./record.tsx";
import { Run } from "./run.tsx";
import { Servers } from "./servers.tsx";
import { attempt, follow, isConnected, questions, trouble } from "./state.ts";
import { Why } from "./why.tsx";

const VIEWS: Readonly<Record<string, { readonly title: string; readonly show: () => VNode }>> = {
  live: { title: "Live", show: () => <Live /> },
  questions: { title: "Confirmations", show: () => <Questions /> },
  plugins: { title: "Plugins", show: () => <Plugins /> },
  run: { title: "Run", show: () => <Run /> },
  servers: { title: "Servers", show: () => <Servers /> },
  record: { title: "Journal", show: () => <RecordView /> },
  why: { title: "Why", show: () => <Why /> },
};

const view: Signal<string> = signal(viewOf(location.hash));
addEventListener("hashchange", () => (view.value = viewOf(location.hash)));

function viewOf(hash: string): string {
  const name = hash.slice(1);
  return Object.hasOwn(VIEWS, name) ? name : "live";
}

/** Logs in with the code in the URL's fragment. Browsers do not send fragments to servers; the code works once and is removed at once. */
async function takeCode(): Promise<void> {
  const code = /^#code=(\w+)$/.exec(location.hash)?.[1];
  if (code === undefined) return;
  history.replaceState(null, "", "/#live");
  await attempt(async () => logIn((await ask<{ readonly token: string }>("/v1/login", { code })).token));
}

function App(): VNode {
  // Preact types the thrown value as `any`.
  const [error, reset] = useErrorBoundary() as readonly [unknown, () => void];
  if (error !== undefined) {
    return (
      <main>
        <p role="alert">The page failed: {error instanceof Error ? error.message : "unknown error"}</p>
        <button onClick={reset}>Try again</button>
      </main>
    );
  }
  return token.value === undefined ? <Login /> : <Console />;
}

function Console(): VNode {
  useEffect(() => {
    const stop = new AbortController();
    follow(stop.signal);
    return () => stop.abort();
  }, []);
  return (
    <>
      <header>
        <h1>bascule</h1>
        <nav aria-label="Views">
          {Object.entries(VIEWS).map(([name, { title }]) => (
            <a key={name} href={`#${name}`} {...(view.value === name && { "aria-current": "page" as const })}>
              {title}
              {name === "questions" && questions.value.length > 0 && <span class="count">{questions.value.length}</span>}
            </a>
          ))}
        </nav>
        <div class="end">
          <span class="soft" role="status">
            {isConnected.value ? "connected" : "not connected"}
          </span>
          <button onClick={logOut}>Log out</button>
        </div>
      </header>
      <main>
        {trouble.value !== undefined && (
          <p class="trouble" role="alert">
            {trouble.value}
          </p>
        )}
        {VIEWS[view.value]?.show()}
      </main>
    </>
  );
}

const root = document.querySelector("#app");
if (root !== null) {
  await takeCode();
  render(<App />, root);
}
