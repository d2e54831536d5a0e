import { access, readFile } from "node:fs/promises"
import { join } from "node:path"
import { beforeAll, describe, expect, test } from "vitest"
import { PROJECT_ROOT } from "../../stacks/bundles/project-root.ts"
import { folderOf, foundationsOf } from "./foundations.ts"

/** The base image is an argument, so that it can be named by digest. */
const NODE_IMAGE = "$" + "{NODE_IMAGE}"

/** The images, and the packages of the project that each starts. */
const IMAGES = [
  { image: "relays", dependencies: "relay-dependencies", stage: "", from: ["relay-proxy"], built: [] },
  {
    image: "the whole service",
    dependencies: "local-dependencies",
    stage: "local",
    from: ["local", "cli"],
    built: ["COPY --from=dashboard /built dashboard"],
  },
] as const

/** Copies the manifest of a package, or all of it, to where it is in the repository. */
const MANIFEST = /^COPY (packages\/[a-z/-]+)\/package\.json \1\/$/
const PACKAGE = /^COPY (packages\/[a-z/-]+) \1$/

let instructions: readonly string[]
let ignored: readonly string[]
/** Instructions by the name of their stage; the last stage has none. */
let stages: ReadonlyMap<string, readonly string[]>

const linesOf = async (file: string) =>
  (await readFile(join(PROJECT_ROOT, file), "utf8"))
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))

/** Returns the folders of what packages depend on, and their own. */
async function foldersOf(names: readonly string[]): Promise<string[]> {
  const foundations = await Promise.all(names.map(foundationsOf))
  return [...new Set(foundations.flatMap(({ packages }) => [...packages]))].map(folderOf).sort()
}

beforeAll(async () => {
  instructions = await linesOf("Dockerfile")
  ignored = await linesOf(".dockerignore")
  const byStage = new Map<string, string[]>()
  let current: string[] = []
  for (const line of instructions) {
    const [from, name = ""] = /^FROM \S+(?: AS (\S+))?$/.exec(line) ?? []
    if (from !== undefined) {
      current = []
      byStage.set(name, current)
    }
    current.push(line)
  }
  stages = byStage
})

const stageOf = (name: string) => stages.get(name) ?? []
const matches = (lines: readonly string[], pattern: RegExp) =>
  lines.flatMap((line) => pattern.exec(line)?.slice(1, 2) ?? []).sort()

describe.each(IMAGES)("the image of $image", ({ dependencies, stage, from, built }) => {
  test("has every package that it depends on, and no other", async () => {
    const expected = await foldersOf(from)
    expect(matches(stageOf(dependencies), MANIFEST)).toEqual(expected)
    expect(matches(stageOf(stage), PACKAGE)).toEqual(expected)
  })

  test("copies existing files, installed next to a package as well as at the top", async () => {
    const lines = [...stageOf(dependencies), ...stageOf(stage)]
    const sources = matches(lines, /^COPY (?!--from)(.+) \S+$/).flatMap((names) => names.split(" "))
    expect(sources.length).toBeGreaterThan(2 * (await foldersOf(from)).length)
    const started = /"(?:\/app\/)?(packages\/[^"]+)"/.exec(stageOf(stage).at(-1) ?? "")?.[1] ?? ""
    for (const path of [...sources, started]) await access(join(PROJECT_ROOT, path))
    expect(stageOf(stage).filter((line) => line.startsWith("COPY --from"))).toEqual([
      `COPY --from=${dependencies} /app/node_modules node_modules`,
      `COPY --from=${dependencies} /app/packages packages`,
      ...built,
    ])
  })

  test("reports whether it is healthy", () => {
    expect(stageOf(stage).find((line) => line.startsWith("HEALTHCHECK "))).toContain("/health")
  })

  test("has production dependencies only, at the versions of the lock file, and runs none of their scripts", () => {
    const workspaces = from.map((name) => ` --workspace @sealway/${name}`).join("")
    expect(stageOf(dependencies).filter((line) => line.startsWith("RUN "))).toEqual([
      `RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund${workspaces}`,
    ])
  })

  test("has the version of Node.js that functions run on, and does not run as root", () => {
    expect(stageOf(dependencies)[0]).toBe(`FROM ${NODE_IMAGE} AS ${dependencies}`)
    expect(stageOf(stage)[0]).toBe(stage === "" ? `FROM ${NODE_IMAGE}` : `FROM ${NODE_IMAGE} AS ${stage}`)
    // Before the first stage, so that all stages see it.
    expect(instructions[0]).toBe("ARG NODE_IMAGE=node:24-slim")
    expect(stageOf(stage).filter((line) => line.startsWith("USER "))).toEqual(["USER node"])
  })
})

describe("the Dockerfile", () => {
  test("builds the image of relays unless a target is named, and starts what each image is for", () => {
    expect([...stages.keys()]).toEqual(["relay-dependencies", "local-dependencies", "dashboard", "local", ""])
    expect(stageOf("").at(-1)).toContain("packages/hosts/relay-proxy/src/container/main.ts")
    expect(stageOf("local").at(-1)).toContain("/app/packages/hosts/local/src/main.ts")
  })

  test("builds the dashboard of its own packages, and keeps only what was built", async () => {
    const expected = await foldersOf(["dashboard"])
    const stage = stageOf("dashboard")
    expect(matches(stage, MANIFEST)).toEqual(expected)
    expect(matches(stage, PACKAGE)).toEqual(expected)
    expect(stage.filter((line) => line.startsWith("RUN "))).toEqual([
      "RUN npm ci --omit=dev --include=optional --ignore-scripts --no-audit --no-fund --workspace @sealway/dashboard",
      'RUN ["node", "packages/clients/dashboard/src/build/main.ts", "/built"]',
    ])
    expect(stageOf("local").find((line) => line.startsWith("ENV "))).toContain(
      " SEALWAY_DASHBOARD=/app/dashboard ",
    )
  })

  test("records which image of Node.js it is based on, by digest where it was built so", () => {
    const [from, ...rest] = stageOf("")
    expect(from).toBe(`FROM ${NODE_IMAGE}`)
    expect(rest.slice(0, 2)).toEqual([
      "ARG NODE_IMAGE",
      `LABEL org.opencontainers.image.base.name="${NODE_IMAGE}"`,
    ])
  })

  test("is given only what it names: no credentials, data or tests that lie around", async () => {
    expect(ignored[0]).toBe("*")
    expect(ignored).toEqual(expect.arrayContaining(["**/node_modules", "**/*.test.ts", "**/testing"]))
    // Hidden files may be a data folder with its keys. The last line that matches a path counts.
    expect(ignored.at(-1)).toBe("**/.*")
    const expected = await foldersOf([...IMAGES.flatMap(({ from }) => [...from]), "dashboard"])
    expect(ignored.filter((line) => line.startsWith("!packages/")).sort()).toEqual(
      expected.map((folder) => `!${folder}`),
    )
  })
})
