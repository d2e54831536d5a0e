import { execFile, spawnSync } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { CONFINED_LEVELS, type ConfinedLevel } from "@sealway/local/testing/functions"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { ATTEMPTS } from "./attempts.ts"

const SCRIPT = join(import.meta.dirname, "run-attempts.ts")
const TEST_TIMEOUT_MS = 60_000
const NOBODY = 65_534

const resultsSchema = z.object({
  level: z.string(),
  results: z.array(
    z.object({ language: z.string(), title: z.string(), says: z.unknown(), harm: z.array(z.string()) }),
  ),
})
type Results = z.infer<typeof resultsSchema>["results"]

interface World {
  readonly name: string
  readonly level: ConfinedLevel
  /** Default: the user of the tests. */
  readonly uid?: number
}

/**
 * Refused, or answered with fewer capabilities than it wanted. A process that ended may have become another program.
 */
const STAYED_IN = expect.toSatisfy(
  (says) =>
    z.object({ refused: z.string() }).safeParse(says).success ||
    (z.string().safeParse(says).success && says !== "reached"),
)

const isRoot = process.getuid?.() === 0
const WORLDS: readonly World[] = [
  ...CONFINED_LEVELS.map((level) => ({ name: `by ${level}`, level })),
  // Root can build namespaces in ways that others cannot.
  ...(isRoot
    ? (["namespaces", "landlock"] as const).map((level) => ({
        name: `by ${level}, where Sealway is not root's`,
        level,
        uid: NOBODY,
      }))
    : []),
]

const onLinux = process.platform === "linux"

describe.runIf(onLinux).each(WORLDS)("a function confined $name", ({ level, uid }) => {
  let attempted: Promise<Results | null> | undefined

  test.for(ATTEMPTS)(
    "does not get out when it $title",
    { timeout: TEST_TIMEOUT_MS },
    async ({ title, getsThrough }, context) => {
      attempted ??= attempt(level, uid)
      const results = await attempted
      if (results === null) return context.skip(`This machine has no confinement by ${level} for this user.`)
      for (const { language, says, harm } of results.filter((each) => each.title === title)) {
        expect({ language, harm }).toEqual({ language, harm: [] })
        if (getsThrough?.[level] === undefined)
          expect({ language, says }).toEqual({ language, says: STAYED_IN })
      }
    },
  )

  test("is tested in every language that the level allows", { timeout: TEST_TIMEOUT_MS }, async (context) => {
    attempted ??= attempt(level, uid)
    const results = await attempted
    if (results === null) return context.skip(`This machine has no confinement by ${level} for this user.`)
    const count = (language: "node" | "python") =>
      ATTEMPTS.filter((each) => each[language] !== undefined).length
    const tried = (language: string) => results.filter((each) => each.language === language).length
    expect(tried("node")).toBe(count("node"))
    expect(tried("python")).toBe(level === "seccomp" ? 0 : count("python"))
  })
})

test.runIf(onLinux && spawnSync("unshare", ["-Ur", "true"]).status === 0)(
  "confines functions by Landlock where the machine allows no namespaces",
  { timeout: TEST_TIMEOUT_MS },
  async () => {
    const forbid = "echo 0 > /proc/sys/user/max_user_namespaces"
    const detect = `
      import { detectConfinement } from ${JSON.stringify(join(import.meta.dirname, "../../../packages/hosts/local/src/cloud/functions/confinement/confinement.ts"))}
      console.log((await detectConfinement()).level)`
    const { stdout } = await promisify(execFile)("unshare", [
      "-Ur",
      "sh",
      "-c",
      `${forbid} && exec "$@"`,
      "sh",
      process.execPath,
      "--input-type=module",
      "-e",
      detect,
    ])
    expect(stdout.trim()).toBe("landlock")
  },
)

/** Returns null where the machine, or the user, has no such confinement. */
async function attempt(level: ConfinedLevel, uid: number | undefined): Promise<Results | null> {
  const user = uid === undefined ? {} : { uid, gid: uid }
  if (uid !== undefined && !isOpenToAll(process.execPath)) return null
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, level], {
    ...user,
    env: { PATH: process.env.PATH, TMPDIR: "/tmp" },
    maxBuffer: 16 * 1024 ** 2,
  })
  const attempted = resultsSchema.parse(JSON.parse(stdout))
  return attempted.level === level ? attempted.results : null
}

/** Returns whether another user could start a program of this project. */
function isOpenToAll(path: string): boolean {
  return (
    spawnSync("setpriv", [
      "--reuid",
      String(NOBODY),
      "--clear-groups",
      "--regid",
      String(NOBODY),
      path,
      "--version",
    ]).status === 0
  )
}
