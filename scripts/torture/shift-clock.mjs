// Loaded before the service (`--import`): shifts its clock by the milliseconds in a file, which may change while it
// runs. Threads that the service starts with options of their own, such as the one that writes, keep the machine's
// clock.
import { readFileSync } from "node:fs"

const file = new URL(import.meta.url).searchParams.get("file") ?? ""
const READ_EVERY_MS = 50
const RealDate = Date
let [offset, readAt] = [0, Number.NEGATIVE_INFINITY]

function now() {
  if (performance.now() - readAt >= READ_EVERY_MS) {
    readAt = performance.now()
    try {
      offset = Number(readFileSync(file, "utf8")) || 0
    } catch {
      // The file is just being written: the next look finds it.
    }
  }
  return RealDate.now() + offset
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: (target) => new target(now()).toString(),
  get: (target, name, receiver) => (name === "now" ? now : Reflect.get(target, name, receiver)),
})
