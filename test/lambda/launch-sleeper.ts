// Starts a confined program that sleeps, and sleeps itself until it is killed. Started by isolation.test.ts.
import { setTimeout } from "node:timers/promises"
import { detectConfinement } from "../../packages/hosts/local/src/cloud/functions/confinement/confinement.ts"
import { nodeInterpreter } from "../../packages/hosts/local/src/cloud/functions/confinement/interpreter.ts"
import { CONFINED_LEVELS } from "../../packages/hosts/local/src/cloud/functions/confinement/launch-plan.ts"

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
