/** Applies the chosen colours before the page is painted. Loaded in the head, so it is small. */

const chosen = readChoice();
if (chosen !== null) document.documentElement.dataset["theme"] = chosen;

function readChoice(): string | null {
  try {
    return localStorage.getItem("theme");
  } catch {
    // A browser may refuse storage; then the system's colours apply.
    return null;
  }
}
