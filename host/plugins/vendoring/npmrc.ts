/**
 * Lines of a project's `.npmrc` that a download takes.
 *
 * The file belongs to the checkout, which may be hostile. Other settings of npm name programs to start (`git`, `script-shell`), or folders.
 */

/** Where packages come from, with which credentials and certificates, and how it is reached. */
const TAKEN =
  /^(?:(?:@[^\s:=]+:)?registry|\/\/[^\s=]+:(?:_authToken|_auth|username|_password|email)|strict-ssl|ca(?:\[\])?|proxy|https-proxy|noproxy|fetch-(?:retries|retry-\w+|timeout))\s*=/;

/** npm replaces `${NAME}` by a variable. Only those for tokens may be sent to a registry that the file names. */
const VARIABLE = /\$\{([^}]*)\}/g;
const TOKENS: ReadonlySet<string> = new Set(["NPM_TOKEN", "NODE_AUTH_TOKEN"]);

/** Returns the text without the lines that a download does not take. */
export function takenLines(npmrc: string): string {
  return npmrc
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => TAKEN.test(line) && [...line.matchAll(VARIABLE)].every(([, name = ""]) => TOKENS.has(name)))
    .map((line) => `${line}\n`)
    .join("");
}
