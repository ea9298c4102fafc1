import assert from "node:assert/strict";
import { readHtml } from "./html.ts";
import { http_post, web_search } from "./main.ts";

Deno.test("a page becomes text: headings, lists and code stay, the rest is dropped", () => {
  const page = `<!doctype html><title>A &amp; B</title><nav>Menu</nav><main><h1>First</h1><!-- <p>no</p> -->
<p>One  <b>two</b>&nbsp;&#8364;<br>three</p><script>if (a<b) "x"</script><ul><li>a<li>b</ul>
<pre>  x = 1
  y</pre><p>Use <code>run</code> &lt;now&gt; 1 < 2</main><footer>Imprint</footer>`;
  assert.deepEqual(readHtml(page), {
    title: "A & B",
    text: "# First\n\nOne two €\nthree\n\n- a\n- b\n\n```\n  x = 1\n  y\n```\n\nUse `run` <now> 1 < 2",
  });
});

Deno.test("reading a page takes linear time", () => {
  for (const piece of ["<", "<script", "<!--", "<a ", "&", "&#x", "</p", "<pre>", "<p>"]) {
    assert.ok(readHtml(piece.repeat(5_000)).text.length < 100_000);
  }
});

Deno.test("wrong arguments are refused before a request is sent", async () => {
  await assert.rejects(http_post({ url: "https://example.com/", maxBytes: 1 }), {
    message: 'Give either "json" or "text", not both or neither',
  });
  await assert.rejects(http_post({ url: "file:///etc/passwd", text: "", maxBytes: 1 }), { name: "TypeError" });
  await assert.rejects(web_search({ query: "x", count: 1 }), /No search engine is set/);
});
