import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { build } from "esbuild"
import { describe, expect, test } from "vitest"
import { inOrderOfDependency } from "../../infra/order.ts"
import { ROOT } from "../support/start.ts"
import { putSstGlobals } from "./pulumi-mocks.ts"

async function load(stage: string): Promise<SstConfig> {
  putSstGlobals(stage)
  return (await import("../../sst.config.ts")).default
}

describe("the configuration of SST", () => {
  test("lets a personal stage be deleted without a trace", async () => {
    const config = await load("ada")
    expect(await config.app({ stage: "ada" })).toEqual({
      name: "sealway",
      home: "aws",
      version: "4.17.1",
      removal: "remove",
      protect: false,
      providers: { aws: { version: "7.20.0", region: "us-east-1" } },
    })
  })

  test("keeps production from being deleted", async () => {
    const config = await load("production")
    expect(await config.app({ stage: "production" })).toMatchObject({ removal: "retain", protect: true })
  })

  test("refuses an invalid name of a stage", async () => {
    const config = await load("dev")
    for (const stage of ["Production", "a_b", "", "x".repeat(21)]) {
      await expect(config.app({ stage }), stage).rejects.toThrow("A stage's name must be")
    }
  })

  test("names the versions that the tests run against", async () => {
    const { devDependencies } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"))
    const { version, providers } = await (await load("dev")).app({ stage: "dev" })
    expect(devDependencies).toMatchObject({ sst: version, "@pulumi/aws": providers.aws.version })
  })

  test("has no imports at its top, and loads neither the CDK nor esbuild nor the service", async () => {
    const { metafile, outputFiles } = await build({
      absWorkingDir: ROOT,
      entryPoints: ["sst.config.ts"],
      bundle: true,
      write: false,
      metafile: true,
      format: "esm",
      platform: "node",
      external: ["@pulumi/*", "@aws-sdk/*"],
    })
    const imports = metafile.inputs["sst.config.ts"]?.imports ?? []
    expect(new Set(imports.map(({ kind }) => kind))).toEqual(new Set(["dynamic-import"]))
    const packages = new Set(
      Object.keys(metafile.inputs).map(
        (file) => /^node_modules\/(@[^/]+\/[^/]+|[^/]+)/.exec(file)?.[1] ?? file,
      ),
    )
    for (const each of packages)
      expect(each).toMatch(/^(sst\.config\.ts|infra\/[a-z-]+\.ts|stacks\/(config|names)\.ts|zod)$/)
    expect(outputFiles[0]?.contents.length).toBeLessThan(1_000_000)
  })
})

describe("stacks", () => {
  const stack = (id: string, ...dependencies: string[]) => ({ id, dependencies })
  const order = (...stacks: readonly { id: string; dependencies: readonly string[] }[]) =>
    inOrderOfDependency(stacks).map(({ id }) => id)

  test("come after those that they depend on, and otherwise keep their order", () => {
    expect(order(stack("c", "b"), stack("a"), stack("b", "a"), stack("d"))).toEqual(["a", "b", "c", "d"])
  })

  test("are refused when they depend on a missing one", () => {
    expect(() => order(stack("a", "b"))).toThrow("The stack a depends on b, which does not exist.")
  })

  test("are refused when they depend on themselves", () => {
    expect(() => order(stack("a", "a"))).toThrow("in a circle: a → a.")
  })
})
