/** Asks for a token where the address brought no code. */

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
        // What the server says of it is for programs.
        if (error instanceof RequestError && error.status === 401)
          throw new Error("This is no token of this server: the file .bascule/admin.token in the project's folder holds one");
        throw error;
      });
      if (!scopes.includes("admin")) throw new Error("This token is not a person's: the console needs one with the scope admin");
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
