// The tools that the conformance suite expects of a server, as a plugin in the sandbox.
interface Context {
  readonly log: { info(text: string): void };
  progress(value: unknown): void;
  output(parts: object): unknown;
}

const IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const AUDIO = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

export function test_simple_text(): string {
  return "This is a simple text response for testing.";
}

export function test_image_content(_args: unknown, context: Context): unknown {
  return context.output({ content: [{ type: "image", data: IMAGE, mimeType: "image/png" }] });
}

export function test_audio_content(_args: unknown, context: Context): unknown {
  return context.output({ content: [{ type: "audio", data: AUDIO, mimeType: "audio/wav" }] });
}

export function test_embedded_resource(_args: unknown, context: Context): unknown {
  const text = "This is an embedded resource content.";
  return context.output({ content: [{ type: "resource", uri: "test://embedded-resource", mimeType: "text/plain", text }] });
}

export function test_multiple_content_types(_args: unknown, context: Context): unknown {
  return context.output({
    content: [
      { type: "text", text: "Multiple content types test:" },
      { type: "image", data: IMAGE, mimeType: "image/png" },
      { type: "resource", uri: "test://mixed-content-resource", mimeType: "application/json", text: '{"test":"data","value":123}' },
    ],
  });
}

export async function test_tool_with_logging(_args: unknown, context: Context): Promise<string> {
  context.log.info("Tool execution started");
  await pause();
  context.log.info("Tool processing data");
  await pause();
  context.log.info("Tool execution completed");
  return "Tool with logging executed successfully";
}

export async function test_tool_with_progress(_args: unknown, context: Context): Promise<string> {
  context.progress({ progress: 0, total: 100 });
  await pause();
  context.progress({ progress: 50, total: 100 });
  await pause();
  context.progress({ progress: 100, total: 100 });
  return "Tool with progress executed successfully";
}

export function test_error_handling(): never {
  throw new Error("This tool intentionally returns an error for testing");
}

export function test_streaming_elicitation(): string {
  return "Nothing but this";
}

export function test_logging_tool(_args: unknown, context: Context): string {
  context.log.info("For those who set a log level");
  return "logged";
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}
