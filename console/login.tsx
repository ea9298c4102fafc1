/** Login form, shown if the URL has no login code. */

import type { VNode } from "preact";
import { logIn, RequestError, scopesOf } from "./api.ts";
import { attempt, trouble } from "./state.ts";

export function Login(): VNode {
  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const given = new FormData(form).get("token");
    if (typeof given !== "string") return;
    await attempt(async () => {
      const scopes = await scopesOf(given.trim()).catch((error: unknown) => {
        // The server's message is written for programs.
        if (error instanceof RequestError && error.status === 401)
          throw new Error("Unknown token: use the one in the file .bascule/admin.token of the project's folder");
        throw error;
      });
      if (!scopes.includes("admin")) throw new Error("This token lacks the scope admin, which the console needs");
      logIn(given.trim());
    });
  }
  return (
    <main class="login">
      <h1>bascule</h1>
      <p>
        Open the address that <code>bascule serve</code> showed when it started, or paste the token of <code>.bascule/admin.token</code>.
      </p>
      {trouble.value !== undefined && (
        <p class="trouble" role="alert">
          {trouble.value}
        </p>
      )}
      <form onSubmit={(event) => void submit(event)}>
        <label for="token">Token</label>
        <input id="token" name="token" type="password" autocomplete="off" required />
        <button type="submit">Log in</button>
      </form>
    </main>
  );
}
