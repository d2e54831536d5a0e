import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import { PROJECT_ROOT } from "../../../stacks/bundles/project-root.ts"
import { temporaryFolder } from "../synthesize-stage.ts"
import { synthesizedAlone } from "./made-once.ts"

const manifestSchema = z.object({
  artifacts: z.record(
    z.string(),
    z.object({ type: z.string(), properties: z.record(z.string(), z.unknown()).default({}) }),
  ),
})
const assetsSchema = z.object({
  files: z.record(
    z.string(),
    z.object({ destinations: z.record(z.string(), z.object({ bucketName: z.string() })) }),
  ),
})

/** Runs the app of `cdk.json` as the CDK's command line does: a line of a shell, told by the environment. */
async function runApp(context: object): Promise<string> {
  const { app } = z
    .object({ app: z.string() })
    .parse(JSON.parse(await readFile(join(PROJECT_ROOT, "cdk.json"), "utf8")))
  const folder = temporaryFolder()
  const [program = "", ...args] = app.replace(/^node /, `${process.execPath} `).split(" ")
  await promisify(execFile)(program, args, {
    cwd: PROJECT_ROOT,
    env: {
      PATH: "/usr/bin:/bin",
      CDK_OUTDIR: folder,
      CDK_CONTEXT_JSON: JSON.stringify(context),
      CDK_VALIDATION: "false",
    },
  })
  return folder
}

const readJson = async (...path: readonly string[]): Promise<unknown> =>
  JSON.parse(await readFile(join(...path), "utf8"))

describe("the app for the CDK's command line", () => {
  let folder: string
  beforeAll(async () => {
    folder = await runApp({ stage: "ada" })
  }, 300_000)

  test("has the stacks that SST deploys, and puts code into the bucket of the CDK's bootstrap", async () => {
    const { output } = await synthesizedAlone()
    const { artifacts } = manifestSchema.parse(await readJson(folder, "manifest.json"))
    const ids = Object.entries(artifacts).flatMap(([id, { type }]) =>
      type === "aws:cloudformation:stack" ? [id] : [],
    )
    expect(ids.sort()).toEqual([...output.stacks].sort())
    const buckets = new Set<string>()
    for (const id of ids) {
      const { files } = assetsSchema.parse(await readJson(folder, `${id}.assets.json`))
      for (const { destinations } of Object.values(files))
        for (const { bucketName } of Object.values(destinations)) buckets.add(bucketName)
    }
    expect([...buckets]).toEqual([expect.stringMatching(/^cdk-hnb659fds-assets-/)])
    const core = z
      .object({ Parameters: z.record(z.string(), z.unknown()) })
      .parse(await readJson(folder, "sealway-ada-endpoints-core.template.json"))
    expect(Object.keys(core.Parameters)).toEqual(["BootstrapVersion"])
  })

  test("asks for a stage", async () => {
    await expect(runApp({})).rejects.toThrow("Name the stage: --context stage=<name>")
  })
})
