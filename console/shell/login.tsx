/** Login form, shown if the URL has no login code. */

import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { logIn, RequestError, scopesOf } from "../data/api.ts";
import { Toasts } from "../components/toast.tsx";

export function Login(): VNode {
  const [refusal, setRefusal] = useState<string | undefined>(undefined);
  const [isBusy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const given = new FormData(form).get("token");
    if (typeof given !== "string") return;
    setBusy(true);
    setRefusal(await refusalOf(given.trim()));
    setBusy(false);
    field.current?.select();
  }
  return (
    <main class="login">
      <h1 class="brand">
        <span class="mark" aria-hidden="true" />
        bascule
      </h1>
      <form class="login-card" onSubmit={(event) => void submit(event)}>
        <h2>Log in</h2>
        <p class="soft">
          Open the address that <code>bascule serve</code> showed when it started, or paste the token of <code>.bascule/admin.token</code>.
        </p>
        {refusal !== undefined && (
          <p class="refusal" role="alert" id="refusal">
            {refusal}
          </p>
        )}
        <label for="token">Token</label>
        <input
          id="token"
          ref={field}
          name="token"
          type="password"
          autocomplete="off"
          required
          {...(refusal !== undefined && { "aria-invalid": true, "aria-describedby": "refusal" })}
        />
        <Button type="submit" variant="primary" isBusy={isBusy}>
          Log in
        </Button>
      </form>
      <Toasts />
    </main>
  );
}

/** Logs in. @returns the reason if the token cannot be used */
async function refusalOf(given: string): Promise<string | undefined> {
  try {
    if (!(await scopesOf(given)).includes("admin")) return "This token lacks the scope admin, which the console needs";
    logIn(given);
    return undefined;
  } catch (error) {
    // The server's message is written for programs.
    if (error instanceof RequestError && error.status === 401)
      return "Unknown token: use the one in the file .bascule/admin.token of the project's folder";
    return error instanceof Error ? error.message : String(error);
  }
}
