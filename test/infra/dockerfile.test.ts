import { access, readFile } from "node:fs/promises"
import { join } from "node:path"
import { beforeAll, describe, expect, test } from "vitest"
import { PROJECT_ROOT } from "../../stacks/bundles/project-root.ts"
import { foundationsOf } from "./foundations.ts"

let instructions: readonly string[]
let ignored: readonly string[]
let packages: ReadonlySet<string>

/** The base image is an argument, so that it can be named by digest. */
const NODE_IMAGE = "$" + "{NODE_IMAGE}"

const linesOf = async (file: string) =>
  (await readFile(join(PROJECT_ROOT, file), "utf8"))
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))

beforeAll(async () => {
  instructions = await linesOf("Dockerfile")
  ignored = await linesOf(".dockerignore")
  packages = (await foundationsOf("relay-proxy")).packages
})

const copied = (pattern: RegExp) =>
  instructions.flatMap((line) => pattern.exec(line)?.slice(1, 2) ?? []).sort()

describe("the container's image", () => {
  test("has every package that relays stand on, and no other", () => {
    const expected = [...packages].sort()
    expect(copied(/^COPY packages\/([a-z-]+)\/package\.json packages\/\1\/$/)).toEqual(expected)
    expect(copied(/^COPY packages\/([a-z-]+) packages\/\1$/)).toEqual(expected)
    expect(ignored.filter((line) => line.startsWith("!packages/")).sort()).toEqual(
      expected.map((name) => `!packages/${name}`),
    )
  })

  test("copies what is there, and what is installed beside a package as well as what is installed at the top", async () => {
    const sources = copied(/^COPY (?!--from)(.+) \S+$/).flatMap((names) => names.split(" "))
    expect(sources.length).toBeGreaterThan(2 * packages.size)
    const started = /"(packages\/[^"]+)"/.exec(instructions.at(-1) ?? "")?.[1] ?? ""
    for (const path of [...sources, started]) await access(join(PROJECT_ROOT, path))
    expect(instructions.filter((line) => line.startsWith("COPY --from"))).toEqual([
      "COPY --from=dependencies /app/node_modules node_modules",
      "COPY --from=dependencies /app/packages packages",
    ])
  })

  test("tells whether it is well", () => {
    expect(instructions.find((line) => line.startsWith("HEALTHCHECK "))).toContain("/health")
  })

  test("has production dependencies only, at the versions of the lock file, and runs none of their scripts", () => {
    const installing = instructions.filter((line) => line.startsWith("RUN "))
    expect(installing).toEqual([
      "RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund --workspace @sealway/relay-proxy",
    ])
  })

  test("is of the version of Node.js that functions run on, is nobody's root, and starts the relays", () => {
    expect(instructions.filter((line) => line.startsWith("FROM "))).toEqual([
      `FROM ${NODE_IMAGE} AS dependencies`,
      `FROM ${NODE_IMAGE}`,
    ])
    // Before the first stage, so that both stages see it.
    expect(instructions[0]).toBe("ARG NODE_IMAGE=node:24-slim")
    expect(instructions).toContain("USER node")
    expect(instructions.at(-1)).toContain("packages/relay-proxy/src/container/main.ts")
  })

  test("is made of nothing but what it names: no credentials, data or tests that lie about", () => {
    expect(ignored[0]).toBe("*")
    expect(ignored).toEqual(expect.arrayContaining(["**/node_modules", "**/*.test.ts", "**/testing"]))
  })
})
