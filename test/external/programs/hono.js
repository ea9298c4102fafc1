import { Hono } from "hono";
import { cors } from "hono/cors";
import { HTTPException } from "hono/http-exception";

const app = new Hono();
app.use("/api/*", cors());
app.get("/hello/:name", (c) => c.text(`hello ${c.req.param("name")} ${c.req.query("q") ?? ""}`));
app.post("/api/echo", async (c) => c.json({ got: await c.req.json() }, 201));
app.get("/boom", () => {
  throw new HTTPException(418, { message: "teapot" });
});
const answer = async (path, init) => {
  const response = await app.request(path, init);
  return [response.status, Object.fromEntries(response.headers), await response.text()];
};

export const routes = () => answer("/hello/ada?q=1");
export const bodies = () =>
  answer("/api/echo", {
    method: "POST",
    body: JSON.stringify({ a: 1 }),
    headers: { "content-type": "application/json", origin: "https://x.y" },
  });
export const errors = async () => [await answer("/boom"), await answer("/none")];
