/** Events that are marked with their host: from each of them until its terminal event, a call may be lost with the host (SPEC FR2). */
export const MARKED_EVENTS: ReadonlySet<string> = new Set(["tool.called", "tool.resumed", "tool.confirmation_requested"]);
