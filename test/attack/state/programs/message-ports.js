// Leaves messages queued in a channel, and a port that listens.
const { port1, port2 } = new MessageChannel();
let heard = 0;
export async function plant() {
  port2.onmessage = () => heard++;
  for (let i = 0; i < 20; i++) port1.postMessage({ planted: new Uint8Array(1000) });
  await null;
}
export function probe() {
  return [heard, typeof port2.onmessage, port2.onmessage === null];
}
