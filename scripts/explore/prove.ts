import { spawnSync } from "node:child_process"
import { MUTATIONS } from "../../test/explore/mutations/mutations.ts"
import type { ExploreOptions } from "./options.ts"

const HOOK = new URL("../../test/explore/mutations/with-mutation.mjs", import.meta.url)
const SCRIPT = new URL("../explore.ts", import.meta.url).pathname

/** Breaks one line of the product after another, and expects that a history shows it. @returns the exit status */
export function prove({ minutes, seed }: ExploreOptions): number {
  let status = 0
  for (const { promise, file, from, to, program } of MUTATIONS) {
    const options = ["--program", program, "--seed", String(seed)]
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ["--import", HOOK.href, SCRIPT, ...options, "--minutes", String(minutes / MUTATIONS.length)],
      { env: { ...process.env, EXPLORED_MUTATION: JSON.stringify({ file, from, to }) }, encoding: "utf8" },
    )
    const isFound = stdout.includes("VIOLATED: ")
    console.log(`${isFound ? "found " : "MISSED"}  ${promise}: ${file} with "${to}" in place of "${from}"`)
    if (isFound) continue
    console.log(stderr)
    status = 1
  }
  return status
}
