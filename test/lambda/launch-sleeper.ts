// Starts a confined program that sleeps, and sleeps itself until it is killed. Started by isolation.test.ts.
import { setTimeout } from "node:timers/promises"
import { CONFINED_LEVELS, detectConfinement, nodeInterpreter } from "@sealway/local/testing/functions"

const [level, marker = ""] = process.argv.slice(2)
const confinement = await detectConfinement(CONFINED_LEVELS.filter((each) => each === level))
if (confinement.level === "none") process.stdout.write("not here\n")
else {
  const child = confinement.launch({
    interpreter: await nodeInterpreter(),
    arguments: ["-e", "console.log('started'); setTimeout(() => {}, 600_000)"],
    environment: { MARKER: marker },
    folder: import.meta.dirname,
    readable: [import.meta.dirname],
    maxDataBytes: 2 * 1024 ** 3,
  })
  child.stdout?.pipe(process.stdout)
}
await setTimeout(600_000)
