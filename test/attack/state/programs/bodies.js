// Uses up shared requests and responses, and fills shared headers and forms.
const request = new Request("http://host.example/", { method: "POST", body: "kept" });
const response = new Response("kept", { headers: { kept: "1" } });
const form = new FormData();
const clone = response.clone();
export async function plant() {
  response.headers.set("planted", "1");
  form.append("planted", new Blob(["planted"]), "name");
  request.headers.append("planted", "1");
  await request.text();
  clone.body.getReader();
}
export function probe() {
  return [request.bodyUsed, clone.bodyUsed, clone.body.locked, [...response.headers].length, [...form].length];
}
