/** Files of a plugin's version, read-only. */

import { FileText } from "lucide";
import type { VNode } from "preact";
import { Code, type Language } from "../../components/code.tsx";
import { EmptyState, ErrorPanel, Skeleton } from "../../components/states.tsx";
import { bytesText } from "../../components/time.tsx";
import { ask } from "../../data/api.ts";
import type { SourceFile } from "../../../host/doors/views.ts";
import { useLoad } from "../../data/use-load.ts";

export function Source({
  plugin,
  digest,
  path,
  onOpen,
}: {
  readonly plugin: string;
  /** Default: the serving version. */
  readonly digest: string | undefined;
  readonly path: string | undefined;
  readonly onOpen: (path: string) => void;
}): VNode {
  const place = `/v1/plugins/${encodeURIComponent(plugin)}`;
  const version = digest === undefined ? "" : `digest=${digest}`;
  const { data, error, reload } = useLoad(
    () => ask<{ readonly files: readonly SourceFile[] }>(`${place}/files?${version}`),
    [place, version],
  );
  const shown = data?.files.find((file) => file.path === path) ?? data?.files.find((file) => file.path === "main.ts") ?? data?.files[0];
  if (error !== undefined) return <ErrorPanel message={error} onRetry={reload} />;
  if (data === undefined) return <Skeleton rows={8} />;
  if (shown === undefined) return <EmptyState title="This version has no files" icon={FileText} />;
  return (
    <div class="source">
      <nav aria-label="Files" class="source-files">
        <ul>
          {data.files.map((file) => (
            <li key={file.path}>
              <button type="button" onClick={() => onOpen(file.path)} aria-current={file.path === shown.path}>
                <span>{file.path}</span>
                <span class="soft number">{bytesText(file.bytes)}</span>
              </button>
            </li>
          ))}
        </ul>
      </nav>
      <FileView key={shown.path} address={`${place}/file?${version}&path=${encodeURIComponent(shown.path)}`} file={shown} />
    </div>
  );
}

function FileView({ address, file }: { readonly address: string; readonly file: SourceFile }): VNode {
  const { data, error, reload } = useLoad(() => ask<SourceFile>(address), [address]);
  if (error !== undefined) return <ErrorPanel message={error} onRetry={reload} />;
  if (data === undefined) return <Skeleton rows={10} />;
  if (data.text === undefined)
    return (
      <EmptyState title={`${file.path} is not text`} icon={FileText}>
        {bytesText(data.bytes)}
      </EmptyState>
    );
  return (
    <div class="source-text">
      <Code label={file.path} text={data.text} language={languageOf(file.path)} first={1} />
      {new TextEncoder().encode(data.text).length < data.bytes && (
        <p class="note">Only the beginning of {bytesText(data.bytes)} is shown.</p>
      )}
    </div>
  );
}

function languageOf(path: string): Language {
  if (path.endsWith(".json")) return "json";
  return /\.[cm]?[jt]sx?$/.test(path) ? "typescript" : "text";
}
