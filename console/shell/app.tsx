/** The app shell: sidebar, top bar, the page, messages and the command palette. */

import { useSignalEffect } from "@preact/signals";
import { Menu as MenuIcon, Settings2 } from "lucide";
import type { VNode } from "preact";
import { useEffect, useErrorBoundary } from "preact/hooks";
import { Button } from "../components/button.tsx";
import { PageHeader } from "../components/layout.tsx";
import { Menu } from "../components/overlays.tsx";
import { ErrorPanel } from "../components/states.tsx";
import { Toasts } from "../components/toast.tsx";
import { visibleLine } from "../components/visible.ts";
import { logOut, token } from "../data/api.ts";
import { follow, isConnected, questions } from "../data/state.ts";
import { focusHeadings, keepFocus } from "./focus.ts";
import { Login } from "./login.tsx";
import { isPaletteOpen, Palette } from "./palette.tsx";
import { density, theme } from "./preferences.ts";
import { route, subject } from "./router.ts";
import { isDrawerOpen, Sidebar } from "./sidebar.tsx";
import { VIEWS } from "./views.tsx";

export function App(): VNode {
  useSignalEffect(() => {
    if (token.value === undefined) document.title = "Log in · bascule";
  });
  return token.value === undefined ? <Login /> : <Shell />;
}

function Shell(): VNode {
  useEffect(() => {
    const stop = new AbortController();
    follow(stop.signal);
    const stopFocus = [focusHeadings(), keepFocus(document.body)];
    addEventListener("keydown", onKey, { signal: stop.signal });
    return () => {
      stop.abort();
      for (const stopOne of stopFocus) stopOne();
    };
  }, []);
  useSignalEffect(() => {
    const waiting = questions.value.length;
    document.title = visibleLine(`${waiting > 0 ? `(${waiting}) ` : ""}${subject.value ?? route.value.page.title} · bascule`);
  });
  const { page, params } = route.value;
  return (
    <div class="shell">
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.querySelector<HTMLElement>("#main")?.focus();
        }}
      >
        Skip to the page
      </a>
      <Sidebar />
      {isDrawerOpen.value && <div class="drawer-backdrop" onClick={() => (isDrawerOpen.value = false)} />}
      <TopBar />
      <main id="main" tabIndex={-1}>
        <Page key={`${page.id} ${Object.values(params).join("/")}`} />
      </main>
      <Toasts />
      <Palette />
    </div>
  );
}

/** Shows the page; an error of one page leaves the others usable. */
function Page(): VNode {
  // Preact types the thrown value as `any`.
  const [error, reset] = useErrorBoundary() as readonly [unknown, () => void];
  const { page, params } = route.value;
  if (error === undefined) return VIEWS[page.id](params);
  return (
    <>
      <PageHeader title={page.title} />
      <ErrorPanel title="This page failed" message={error instanceof Error ? error.message : "Unknown error"} onRetry={reset} />
    </>
  );
}

function TopBar(): VNode {
  const themes = [
    ["system", "Theme of the system"],
    ["light", "Light"],
    ["dark", "Dark"],
  ] as const;
  return (
    <header class="top-bar">
      <span class="drawer-button">
        <Button
          variant="ghost"
          icon={MenuIcon}
          label="Pages"
          isPressed={isDrawerOpen.value}
          onClick={() => (isDrawerOpen.value = !isDrawerOpen.value)}
        />
      </span>
      <button type="button" class="palette-button" aria-keyshortcuts="Control+K Meta+K" onClick={() => (isPaletteOpen.value = true)}>
        <span class="soft">Go to a page, plugin or tool</span>
        <kbd aria-hidden="true">Ctrl K</kbd>
      </button>
      <span class="connection" role="status">
        <span class={`state ${isConnected.value ? "good" : "bad"}`}>
          <span class="dot" aria-hidden="true" />
          <span>{isConnected.value ? "connected" : "not connected"}</span>
        </span>
      </span>
      <Menu
        name="Appearance and session"
        icon={Settings2}
        entries={[
          ...themes.map(([value, label]) => ({ label, isChecked: theme.value === value, onSelect: () => void (theme.value = value) })),
          {
            label: density.value === "compact" ? "Comfortable rows" : "Compact rows",
            onSelect: () => void (density.value = density.value === "compact" ? "comfortable" : "compact"),
          },
          { label: "Log out", onSelect: logOut },
        ]}
      />
      <span class="log-out">
        <Button variant="ghost" onClick={logOut}>
          Log out
        </Button>
      </span>
    </header>
  );
}

function onKey(event: KeyboardEvent): void {
  if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "k") {
    event.preventDefault();
    isPaletteOpen.value = !isPaletteOpen.value;
  }
  if (event.key === "Escape" && isDrawerOpen.value) isDrawerOpen.value = false;
}
