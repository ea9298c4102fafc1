/* Script of the hostile page. `hostile-page.test.ts` runs it in the browser. */

/** Tries everything that a browser lets a page try. Returns the outcome of each attempt as text. */
globalThis.tryAll = async ([target, token, onward]) => {
  const body = JSON.stringify({ tool: "act" });
  const authorized = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const asked = (init, path = "/v1/calls", base = target) =>
    fetch(base + path, init).then(
      (response) => (response.type === "opaque" ? "opaque" : `read ${response.status}`),
      () => "blocked",
    );
  const loaded = (element, path) =>
    new Promise((resolve) => {
      element.onload = () => resolve("loaded");
      element.onerror = () => resolve("error");
      element.src = target + path;
      document.body.append(element);
    });
  const framed = () =>
    new Promise((resolve) => {
      const frame = document.createElement("iframe");
      frame.onload = () => {
        try {
          resolve(`read ${frame.contentWindow?.document.title ?? ""}`);
        } catch {
          resolve("unreadable");
        }
      };
      frame.src = `${target}/`;
      document.body.append(frame);
    });
  const events = () =>
    new Promise((resolve) => {
      const source = new EventSource(`${target}/v1/events`);
      source.onopen = () => resolve("open");
      source.onerror = () => (source.close(), resolve("error"));
    });
  const socket = () =>
    new Promise((resolve) => {
      const made = new WebSocket(`${String(target).replace("http", "ws")}/v1/events`);
      made.onopen = () => resolve("open");
      made.onerror = () => resolve("error");
    });
  /** Sends a request from a frame without an origin. */
  const sandboxed = () =>
    new Promise((resolve) => {
      addEventListener("message", ({ data }) => resolve(String(data)), { once: true });
      const frame = document.createElement("iframe");
      frame.setAttribute("sandbox", "allow-scripts");
      frame.srcdoc = `<script>fetch(${JSON.stringify(`${target}/v1/calls`)}, { method: "POST", headers: ${JSON.stringify(authorized)}, body: ${JSON.stringify(body)} })
        .then((r) => parent.postMessage("read " + r.status, "*"), () => parent.postMessage("blocked", "*"))</script>`;
      document.body.append(frame);
    });
  return {
    "a call with a token": await asked({ method: "POST", headers: authorized, body }),
    "a call without asking the browser": await asked({ method: "POST", mode: "no-cors", body }),
    "a form's type": await asked({ method: "POST", mode: "no-cors", headers: { "content-type": "text/plain" }, body }),
    "a read with a token": await asked({ headers: authorized }, "/v1/plugins"),
    "a read that needs no token": await asked({}, "/v1/openapi.json"),
    "a guess at the login": await asked({ method: "POST", mode: "no-cors", body: JSON.stringify({ code: "x" }) }, "/v1/login"),
    "a deletion": await asked({ method: "DELETE", headers: authorized }, "/v1/plugins/demo"),
    "a beacon": navigator.sendBeacon(`${target}/v1/calls`, body) ? "sent" : "blocked",
    "a redirect that keeps method and body": await asked(
      { method: "POST", headers: authorized, body },
      `/?to=${encodeURIComponent(`${target}/v1/calls`)}`,
      onward,
    ),
    "an image": await loaded(new Image(), "/v1/plugins"),
    "the console's script": await loaded(document.createElement("script"), "/console.js"),
    "the console in a frame": await framed(),
    "an event stream": await events(),
    "a socket": await socket(),
    "a frame without an origin": await sandboxed(),
  };
};
