import { echo, loadFresh, loadWarm } from "./fresh.ts";
import { compareBatches } from "./measure.ts";
import { PLUGIN_2KB } from "./plugin-2kb.ts";
import { partsOf } from "../sandbox/image.ts";
const numbered=(number: number): string => `${PLUGIN_2KB}\nconst LABEL = "plugin ${number}";\nexport function label() { return LABEL; }`;
const warm = await loadWarm(PLUGIN_2KB);
const slot = await loadFresh(numbered(0));
const N=300;
const images=[slot.image]; for (let n=1;n<N;n++) images.push((await loadFresh(numbered(n))).image);
const parts=partsOf(images[5]!);
let runs=0; parts.numbers.forEach((n,i)=>{ if(i===0||parts.numbers[i-1]!==n-1) runs++; });
console.log("pages",parts.numbers.length,"runs",runs);
const drawn=Array.from({length:8192},()=>images[Math.floor(Math.random()*N)]!);
let t=0;
const marks=(slot.instance.shadow as any).marks as Uint8Array;
echo(slot); let touched=0; for(const m of marks.subarray(0,1<<16)) touched+=m?1:0; console.log("touched",touched);
const other=await loadFresh(numbered(0));
const times=compareBatches({
 warm:()=>echo(warm), metered:()=>echo(other), fresh:()=>{slot.restore();echo(slot)},
 restoreonly:()=>slot.restore(),
 random:()=>{slot.restore(drawn[t++%8192]);echo(slot)},
 switchonly:()=>slot.restore(drawn[t++%8192]),
 two:()=>{slot.restore(images[t++&1]);echo(slot)},
 parts:()=>void partsOf(drawn[t++%8192]!),
},{rounds:Number(process.argv[2]??101)});
for (const n of ["warm","metered","fresh","restoreonly","random","switchonly","two","parts"] as const) console.log(n.padEnd(12),(times.medianMs(n)*1000).toFixed(2),times.ratio(n,"warm").toFixed(2));
