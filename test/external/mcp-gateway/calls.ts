/** The calls of each official server, in order: every listed tool, with valid arguments and some that fail. */

import type { JsonObject } from "../../../host/mod.ts";

/** `$ROOT` in arguments is a folder of the caller. */
export interface OfficialServer {
  /** Short name of the npm package `@modelcontextprotocol/server-<name>`. */
  readonly name: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly calls: readonly (readonly [tool: string, args: JsonObject])[];
}

const GZIP = "data:text/plain,some%20words";
const NODE = { name: "Ada", entityType: "person", observations: ["writes programs"] };
const RELATION = { from: "Ada", to: "Engine", relationType: "writes for" };
const THOUGHT = { thought: "First", nextThoughtNeeded: true, thoughtNumber: 1, totalThoughts: 2 };

export const OFFICIAL_SERVERS: readonly OfficialServer[] = [
  {
    ...{ name: "everything", args: [], env: {} },
    calls: [
      ["echo", { message: "Hello" }],
      ["get-sum", { a: 1, b: 2.5 }],
      ["get-env", {}],
      ["get-tiny-image", {}],
      ["get-annotated-message", { messageType: "error" }],
      ["get-annotated-message", { messageType: "success", includeImage: true }],
      ["get-annotated-message", { messageType: "debug", includeImage: true }],
      ["get-resource-links", { count: 5 }],
      ["get-resource-reference", { resourceType: "Text", resourceId: 2 }],
      ["get-resource-reference", { resourceType: "Blob", resourceId: 3 }],
      ["get-resource-reference", { resourceId: -1 }],
      ["get-structured-content", { location: "Chicago" }],
      ["gzip-file-as-resource", { name: "a.gz", data: GZIP, outputType: "resource" }],
      ["gzip-file-as-resource", { name: "a.gz", data: GZIP, outputType: "resourceLink" }],
      ["gzip-file-as-resource", { name: "a.gz", data: "ftp://a.example/a" }],
      ["trigger-long-running-operation", { duration: 0.2, steps: 2 }],
      ["toggle-simulated-logging", {}],
      ["toggle-simulated-logging", {}],
      ["toggle-subscriber-updates", {}],
      ["toggle-subscriber-updates", {}],
      // The tool runs as a task only, and reports that.
      ["simulate-research-query", { topic: "owls" }],
    ],
  },
  {
    ...{ name: "filesystem", args: ["$ROOT"], env: {} },
    calls: [
      ["list_allowed_directories", {}],
      ["write_file", { path: "$ROOT/a.txt", content: "one\ntwo\nthree\n" }],
      ["create_directory", { path: "$ROOT/folder/deep" }],
      ["read_file", { path: "$ROOT/a.txt" }],
      ["read_file", { path: "/etc/hostname" }],
      ["read_text_file", { path: "$ROOT/a.txt", head: 1 }],
      ["read_text_file", { path: "$ROOT/none.txt" }],
      ["read_media_file", { path: "$ROOT/pixel.png" }],
      ["read_media_file", { path: "$ROOT/sound.wav" }],
      ["read_media_file", { path: "$ROOT/data.bin" }],
      ["read_multiple_files", { paths: ["$ROOT/a.txt", "$ROOT/none.txt"] }],
      ["edit_file", { path: "$ROOT/a.txt", edits: [{ oldText: "two", newText: "2" }], dryRun: true }],
      ["edit_file", { path: "$ROOT/a.txt", edits: [{ oldText: "two", newText: "2" }] }],
      ["edit_file", { path: "$ROOT/a.txt", edits: [{ oldText: "never there", newText: "" }] }],
      ["move_file", { source: "$ROOT/a.txt", destination: "$ROOT/folder/b.txt" }],
      ["list_directory", { path: "$ROOT" }],
      ["list_directory_with_sizes", { path: "$ROOT/folder", sortBy: "size" }],
      ["directory_tree", { path: "$ROOT" }],
      ["search_files", { path: "$ROOT", pattern: "**/*.txt" }],
      ["get_file_info", { path: "$ROOT/folder/b.txt" }],
      ["read_text_file", { path: "$ROOT/large.txt" }],
    ],
  },
  {
    ...{ name: "memory", args: [], env: { MEMORY_FILE_PATH: "$ROOT/memory.jsonl" } },
    calls: [
      ["read_graph", {}],
      ["create_entities", { entities: [NODE, { ...NODE, name: "Engine", entityType: "machine" }] }],
      ["create_relations", { relations: [RELATION] }],
      ["add_observations", { observations: [{ entityName: "Ada", contents: ["a note"] }] }],
      ["add_observations", { observations: [{ entityName: "Nemo", contents: ["a note"] }] }],
      ["search_nodes", { query: "Ada" }],
      ["open_nodes", { names: ["Engine"] }],
      ["delete_observations", { deletions: [{ entityName: "Ada", observations: ["a note"] }] }],
      ["delete_relations", { relations: [RELATION] }],
      ["delete_entities", { entityNames: ["Engine"] }],
      ["read_graph", {}],
    ],
  },
  {
    ...{ name: "sequential-thinking", args: [], env: { DISABLE_THOUGHT_LOGGING: "true" } },
    calls: [
      ["sequentialthinking", THOUGHT],
      ["sequentialthinking", { ...THOUGHT, thoughtNumber: 2, nextThoughtNeeded: false, isRevision: true, revisesThought: 1 }],
    ],
  },
];
