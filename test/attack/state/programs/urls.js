// Changes shared URLs through their parameters, and the classes themselves.
const url = new URL("http://host.example/a?b=1");
const { searchParams } = url;
export function plant() {
  for (let i = 0; i < 50; i++) searchParams.append(`planted${i}`, "é".repeat(50));
  url.hash = "planted";
  Object.defineProperty(URL.prototype, "href", { get: () => "planted" });
  URL.canParse = () => "planted";
  URLSearchParams.prototype[Symbol.iterator] = function* () {};
}
export function probe() {
  return [url.hash, url.href.length, [...searchParams].length, URL.canParse("x:")];
}
