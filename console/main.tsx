/** The console: a page that shows the host's activity and lets the user decide (SPEC I5). */

import { render } from "preact";
import { ask, logIn } from "./data/api.ts";
import { attempt } from "./data/state.ts";
import { renderVisibly } from "./components/render-visibly.ts";
import { App } from "./shell/app.tsx";
import { HOME } from "./shell/pages.ts";
import { applyPreferences } from "./shell/preferences.ts";
import { href, navigate } from "./shell/router.ts";

/** Logs in with the code in the URL's fragment. Browsers do not send fragments to servers; the code works once and is removed at once. */
async function takeCode(): Promise<void> {
  const code = /^#code=(\w+)$/.exec(location.hash)?.[1];
  if (code === undefined) return;
  history.replaceState(null, "", "/");
  await attempt(async () => logIn((await ask<{ readonly token: string }>("/v1/login", { code })).token));
}

renderVisibly();
applyPreferences();
const root = document.querySelector("#app");
if (root !== null) {
  await takeCode();
  if (location.hash === "") navigate(href(HOME));
  render(<App />, root);
}
