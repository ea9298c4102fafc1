// Stamps private fields onto objects that others share.
class Return {
  constructor(object) {
    return object;
  }
}
class Brand extends Return {
  #planted = new Array(50).fill("planted");
  static isOn(object) {
    return #planted in object;
  }
}
const targets = () => [globalThis, Object.prototype, Math, JSON, probe];
export function plant() {
  for (const target of targets()) new Brand(target);
}
export function probe() {
  return targets().map((target) => Brand.isOn(target));
}
