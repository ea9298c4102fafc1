// An MCP server over JSON lines, controlled by a file. It uses no SDK, so that it starts fast and can misbehave.
// The file is read again for each list: { tools, pages?, greeting?, stderr?, answers?, errors? }; answers and errors are by tool.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const script = () => JSON.parse(readFileSync(process.argv[2], "utf8"));
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const text = (value) => ({ content: [{ type: "text", text: value }] });
const waiting = new Map();

const { greeting, stderr = 0 } = script();
if (greeting !== undefined) process.stdout.write(`${greeting}\n`);
for (let line = 0; line < stderr; line++) process.stderr.write(`${"e".repeat(1000)}\n`);

const METHODS = {
  initialize: ({ params }) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: "scripted", version: "1" },
  }),
  ping: () => ({}),
  "tools/list": ({ params }) => {
    const { tools, endless } = script();
    return endless === true
      ? { tools: [{ ...tools[0], name: `t${Math.random()}` }], nextCursor: String(Math.random()) }
      : { tools, ...(params?.cursor && {}) };
  },
};

const TOOLS = {
  add: ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
  echo: (given) => ({ content: [], structuredContent: given }),
  boom: ({ words = "It broke" }) => ({ ...text(words), isError: true }),
  env: () => text(Object.keys(process.env).sort().join(" ")),
  pid: () => text(String(process.pid)),
  mixed: () => ({
    content: [
      { type: "text", text: "two" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "resource_link", uri: "file:///a", name: "a" },
      { type: "resource", resource: { uri: "file:///b", text: "b", mimeType: "text/plain" } },
      { type: "audio", data: "AAAA", mimeType: "audio/wav" },
    ],
  }),
  // Results from the script.
  large: ({ which }) => script().large[which],
  big: ({ bytes }) => text("x".repeat(bytes)),
  die: () => process.exit(3),
  never: () => undefined,
  changed: () => {
    for (let at = 0; at < 5_000; at++) send({ method: "notifications/tools/list_changed" });
    return text("told");
  },
};

function call({ id, params }) {
  const token = params._meta?.progressToken;
  if (params.name === "progress") {
    for (let at = 0; at < 5_000; at++)
      send({ method: "notifications/progress", params: { progressToken: token, progress: at, message: "m".repeat(2_000) } });
    return text("done");
  }
  if (params.name === "ask" || params.name === "insist") {
    const method = params.arguments.method;
    const isError = params.name === "insist";
    waiting.set("ask-1", (answer) =>
      send({ id, result: { ...text(isError ? answer.error?.message : JSON.stringify(answer.error?.code ?? answer.result)), isError } }),
    );
    send({
      id: "ask-1",
      method,
      params: { messages: [], maxTokens: 1, message: "m", requestedSchema: { type: "object", properties: {} } },
    });
    return undefined;
  }
  if (params.name === "line") {
    process.stdout.write(`${script().lines[params.arguments.which].replaceAll("ID", JSON.stringify(id))}\n`);
    return undefined;
  }
  return script().answers?.[params.name] ?? TOOLS[params.name]?.(params.arguments ?? {});
}

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line);
    if (message.method === undefined) return waiting.get(message.id)?.(message);
    if (message.id === undefined) return undefined;
    const failure = message.method === "tools/call" ? script().errors?.[message.params.name] : undefined;
    if (failure !== undefined) return send({ id: message.id, error: failure });
    if (message.method === "tools/call") {
      const result = call(message);
      return result === undefined ? undefined : send({ id: message.id, result });
    }
    const answer = METHODS[message.method];
    return answer
      ? send({ id: message.id, result: answer(message) })
      : send({ id: message.id, error: { code: -32601, message: "Method not found" } });
  })
  .on("close", () => process.exit(0));
