/** Versions of a plugin: the one that serves, the one that waits and those that are kept, with the differences (SPEC H6, H10). */

import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { ChangeList } from "../../components/change-list.tsx";
import { Diff } from "../../components/diff.tsx";
import { Section } from "../../components/layout.tsx";
import { Dialog } from "../../components/overlays.tsx";
import { ErrorPanel, Skeleton } from "../../components/states.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { bytesText } from "../../components/time.tsx";
import { toast } from "../../components/toast.tsx";
import { ask } from "../../data/api.ts";
import type { SourceChange, SourceVersion } from "../../../host/doors/views.ts";
import { attempt, loadPlugins } from "../../data/state.ts";
import type { Plugin } from "../../data/types.ts";
import { useLoad } from "../../data/use-load.ts";

export function Versions({ plugin, onRead }: { readonly plugin: Plugin; readonly onRead: (digest: string) => void }): VNode {
  const { name, held, digest } = plugin;
  const place = `/v1/plugins/${encodeURIComponent(name)}`;
  const { data, error, reload } = useLoad(
    () => ask<{ readonly versions: readonly SourceVersion[] }>(`${place}/versions`),
    [place, digest, held?.digest],
  );
  const [compared, compare] = useState<string | undefined>(undefined);
  const [isAsking, setAsking] = useState(false);
  if (error !== undefined) return <ErrorPanel message={error} onRetry={reload} />;
  if (data === undefined) return <Skeleton rows={4} />;
  const [serving, ...others] = data.versions;
  const other = others.find((version) => version.digest === (compared ?? held?.digest)) ?? others[0];
  const previous = others.find(({ state }) => state === "kept");
  // A waiting version is the newer side, a kept one the older.
  const sides = other === undefined || serving === undefined ? undefined : other.state === "kept" ? [other, serving] : [serving, other];
  const columns: readonly Column<SourceVersion>[] = [
    { title: "Version", isHeader: true, show: ({ version }) => version ?? "?" },
    { title: "State", show: ({ state, digest: own }) => <VersionState state={state} isWaiting={own === held?.digest} /> },
    { title: "Hash", isDetail: true, show: ({ digest: own }) => <code title={own}>{own.slice(0, 16)}</code> },
    {
      title: "Act",
      align: "right",
      show: ({ digest: own, version = "?" }) => (
        <span class="row-actions">
          <Button label={`Read version ${version}`} onClick={() => onRead(own)}>
            Read
          </Button>
          {own !== serving?.digest && (
            <Button label={`Compare version ${version}`} isPressed={own === other?.digest} onClick={() => compare(own)}>
              Compare
            </Button>
          )}
        </span>
      ),
    },
  ];
  const rollBack = (): Promise<void> =>
    attempt(async () => {
      setAsking(false);
      const { version } = await ask<{ readonly version: string }>(`${place}/rollback`, {});
      toast(`${name} is back at version ${version}`);
      await loadPlugins();
      reload();
    });
  return (
    <>
      {held !== undefined && <Waiting plugin={plugin} onDone={reload} />}
      <Section
        title="Versions"
        count={data.versions.length}
        actions={
          previous !== undefined && (
            <Button onClick={() => setAsking(true)} label={`Roll back ${name}`}>
              Roll back
            </Button>
          )
        }
      >
        <Table caption="Versions" columns={columns} rows={data.versions} keyOf={({ digest: own }) => own} />
      </Section>
      {sides?.[0] !== undefined && sides[1] !== undefined && (
        <Comparison key={`${sides[0].digest} ${sides[1].digest}`} place={place} from={sides[0]} to={sides[1]} />
      )}
      <Dialog
        title={`Roll back ${name}?`}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        actions={
          <>
            <Button onClick={() => setAsking(false)}>Cancel</Button>
            <Button variant="primary" onClick={() => void rollBack()}>
              Roll back to {previous?.version ?? "the version before"}
            </Button>
          </>
        }
      >
        The version before serves at once, with the permissions that you granted. The present version waits until you accept it again.
      </Dialog>
    </>
  );
}

function VersionState({ state, isWaiting }: { readonly state: SourceVersion["state"]; readonly isWaiting: boolean }): VNode {
  if (state === "serving") return <Badge tone="good">serving</Badge>;
  if (isWaiting) return <Badge tone="wait">waits for you</Badge>;
  return <Badge>{state === "folder" ? "in the folder" : "kept"}</Badge>;
}

/** The version that waits until the user accepts it. */
export function Waiting({ plugin: { name, held }, onDone }: { readonly plugin: Plugin; readonly onDone?: () => void }): VNode | null {
  if (held === undefined) return null;
  const accept = (): Promise<void> =>
    attempt(async () => {
      await ask(`/v1/plugins/${encodeURIComponent(name)}/accept`, { digest: held.digest });
      await loadPlugins();
      onDone?.();
    });
  return (
    <div class="note wait">
      <h2>
        Version {held.version} waits for you <code class="soft">{held.digest.slice(0, 12)}</code>
      </h2>
      <ChangeList words={held.words} />
      <Button variant="primary" onClick={() => void accept()} label={`Accept version ${held.version}`}>
        Accept
      </Button>
    </div>
  );
}

function Comparison({ place, from, to }: { readonly place: string; readonly from: SourceVersion; readonly to: SourceVersion }): VNode {
  const { data, error, reload } = useLoad(
    () => ask<{ readonly changes: readonly SourceChange[] }>(`${place}/diff?from=${from.digest}&to=${to.digest}`),
    [place, from.digest, to.digest],
  );
  return (
    <Section title={`${from.version ?? "?"} → ${to.version ?? "?"}`} {...(data && { count: data.changes.length })}>
      {error !== undefined && <ErrorPanel message={error} onRetry={reload} />}
      {data === undefined && error === undefined && <Skeleton rows={6} />}
      {data?.changes.length === 0 && <p class="soft">No file differs.</p>}
      {data?.changes.map(({ path, kind, before, after, diff }) => (
        <div key={path} class="file-change">
          <h3>
            <code>{path}</code> <Badge tone={kind === "removed" ? "bad" : kind === "added" ? "good" : "none"}>{kind}</Badge>
          </h3>
          {diff === undefined ? (
            <p class="soft">
              {sizeText(before)} → {sizeText(after)}. Not text, or too large to compare.
            </p>
          ) : (
            <Diff path={path} diff={diff} />
          )}
        </div>
      ))}
    </Section>
  );
}

function sizeText(bytes: number | undefined): string {
  return bytes === undefined ? "nothing" : bytesText(bytes);
}
