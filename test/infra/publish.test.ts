import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { fakeProject } from "./fake-project.ts"
import { type LambdaAccount, startLambdaAccount } from "./lambda-account.ts"
import {
  dependenciesOf,
  mockPulumi,
  putSstGlobals,
  type RegisteredResource,
  type StackOptions,
  settled,
} from "./pulumi-mocks.ts"
import { RECORDED, recordAssembly } from "./recorded-assembly.ts"

let recorded = ""
let project = ""
let registered: RegisteredResource[] = []
let options: StackOptions = new Map()

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "sealway-recorded-"))
  recorded = await recordAssembly(folder)
  return () => rm(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), "sealway-project-"))
  registered = []
  options = new Map()
  mockPulumi(registered)
  vi.spyOn(process, "cwd").mockReturnValue(project)
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(project, { recursive: true, force: true })
})

/** Runs `sst.config.ts` as SST does, with the recorded assembly after a change to it. */
async function run(stage = "dev", change: (folder: string) => Promise<void> = async () => {}) {
  const assembly = join(project, "changed")
  await cp(recorded, assembly, { recursive: true })
  await change(assembly)
  const copy = `import { cp } from "node:fs/promises"\nawait cp(${JSON.stringify(assembly)}, out, { recursive: true })`
  await fakeProject(project, copy)
  return runConfig(stage)
}

async function runConfig(stage: string): Promise<Record<string, string>> {
  putSstGlobals(stage, options)
  const { default: config } = await import("../../sst.config.ts")
  return settled(await config.run())
}

/** Runs a function while Lambda is that of an account. */
async function withLambdaAccount(account: LambdaAccount, act: () => Promise<unknown>): Promise<void> {
  const { endpoint, close } = await startLambdaAccount(account)
  vi.stubEnv("AWS_ENDPOINT_URL_LAMBDA", endpoint)
  vi.stubEnv("SST_AWS_ACCESS_KEY_ID", "id")
  vi.stubEnv("SST_AWS_SECRET_ACCESS_KEY", "secret")
  try {
    await act()
  } finally {
    vi.unstubAllEnvs()
    close()
  }
}

type Json = Record<string, Record<string, Record<string, unknown>>>

/** Makes a change to a file of an assembly. */
const edit = (file: string, change: (json: Json) => void) => async (folder: string) => {
  const json = JSON.parse(await readFile(join(folder, file), "utf8"))
  change(json)
  await writeFile(join(folder, file), JSON.stringify(json))
}

const ofType = (type: string) => registered.filter((each) => each.type === type)
const stacks = () => ofType("aws:cloudformation/stack:Stack")
const given = (stack: string) => options.get(stack) ?? {}

describe("a deployment", () => {
  test("registers one CloudFormation stack for each of the assembly, those that others need first", async () => {
    await run()
    expect(stacks().map(({ inputs }) => inputs.name)).toEqual(RECORDED.stacks)
  })

  test("uploads every asset and every template under the name of its content", async () => {
    await run()
    const keys = ofType("aws:s3/bucketObjectv2:BucketObjectv2").map(({ inputs }) => String(inputs.key))
    expect(keys.filter((key) => key.endsWith(".json"))).toHaveLength(2)
    expect(keys.filter((key) => key.endsWith(".zip"))).toHaveLength(1)
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{64}\.(json|zip)$/)
    const urls = stacks().map(({ inputs }) => String(inputs.templateUrl))
    for (const url of urls) {
      expect(url).toMatch(
        /^https:\/\/bucket-sealway-dev-assets\.s3\.us-east-1\.amazonaws\.com\/[0-9a-f]{64}\.json$/,
      )
      expect(keys).toContain(url.split("/").at(-1))
    }
  })

  test("makes a stack wait for the bucket, its contents and the stacks that it depends on, and then take its time", async () => {
    await run()
    const [data = [], api = []] = await Promise.all(
      ["Data", "Api"].map((name) => dependenciesOf(given(name))),
    )
    expect(data.filter((urn) => /BucketPolicy::AssetsPolicy$/.test(urn))).toHaveLength(1)
    expect(data.filter((urn) => urn.includes("BucketObjectv2"))).toHaveLength(3)
    expect(data.filter((urn) => urn.includes("cloudformation"))).toEqual([])
    expect(api.filter((urn) => urn.includes("cloudformation"))).toEqual([expect.stringMatching(/::Data$/)])
    const timeouts = { create: "90m", update: "90m", delete: "90m" }
    expect(given("Api").customTimeouts).toEqual(timeouts)
  })

  test("gives a stack the parameters that it declares, and no other", async () => {
    await run()
    expect(stacks().map(({ inputs }) => inputs.parameters)).toEqual([
      {},
      { AssetsBucket: "bucket-sealway-dev-assets" },
    ])
  })

  test("returns the stage, the region and the outputs for people, not those for other stacks", async () => {
    expect(await run()).toEqual({
      stage: "dev",
      region: RECORDED.region,
      QueueUrl: "value of QueueUrl",
      Url: "value of Url",
    })
  })

  test("may create named roles, and nothing beyond that needs an acknowledgement", async () => {
    await run()
    for (const { inputs } of stacks()) expect(inputs.capabilities).toEqual(["CAPABILITY_NAMED_IAM"])
  })

  test("keeps uploads private, encrypted, versioned and off plain HTTP", async () => {
    await run()
    const inputsOf = (type: string) => ofType(`aws:s3/${type}`).map(({ inputs }) => inputs)
    expect(inputsOf("bucketPublicAccessBlock:BucketPublicAccessBlock")).toMatchObject([
      { blockPublicAcls: true, blockPublicPolicy: true, ignorePublicAcls: true, restrictPublicBuckets: true },
    ])
    expect(inputsOf("bucketOwnershipControls:BucketOwnershipControls")).toMatchObject([
      { rule: { objectOwnership: "BucketOwnerEnforced" } },
    ])
    expect(
      inputsOf("bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration"),
    ).toMatchObject([{ rules: [{ applyServerSideEncryptionByDefault: { sseAlgorithm: "AES256" } }] }])
    expect(inputsOf("bucketVersioning:BucketVersioning")).toMatchObject([
      { versioningConfiguration: { status: "Enabled" } },
    ])
    const [policy] = inputsOf("bucketPolicy:BucketPolicy")
    expect(JSON.parse(String(policy?.policy)).Statement).toEqual([
      {
        Sid: "TlsOnly",
        Effect: "Deny",
        Principal: "*",
        Action: "s3:*",
        Resource: ["arn:aws:s3:::bucket-sealway-dev-assets", "arn:aws:s3:::bucket-sealway-dev-assets/*"],
        Condition: { Bool: { "aws:SecureTransport": "false" } },
      },
    ])
  })

  test("of a personal stage can be deleted without a trace", async () => {
    await run("dev")
    expect(ofType("aws:s3/bucket:Bucket")).toMatchObject([{ inputs: { forceDestroy: true } }])
    for (const { inputs } of stacks()) expect(inputs).not.toHaveProperty("policyBody")
    expect(given("Data").retainOnDelete).toBe(false)
  })

  test("of production is refused, before anything is registered, in an account that cannot reserve so much", async () => {
    await withLambdaAccount({ quota: 10, unreserved: 10 }, async () => {
      await expect(run("production")).rejects.toThrow("Ask AWS for 600 or more in Service Quotas")
    })
    expect(registered).toEqual([])
  })

  test("of production lets no update replace or delete a table or a key", async () => {
    await withLambdaAccount({ quota: 1_000, unreserved: 1_000 }, () => run("production"))
    expect(ofType("aws:s3/bucket:Bucket")).toMatchObject([{ inputs: { forceDestroy: false } }])
    expect(given("Data").retainOnDelete).toBe(true)
    for (const { inputs } of stacks()) {
      expect(JSON.parse(String(inputs.policyBody)).Statement).toContainEqual({
        Effect: "Deny",
        Principal: "*",
        Action: ["Update:Replace", "Update:Delete"],
        Resource: "*",
        Condition: { StringEquals: { ResourceType: ["AWS::DynamoDB::Table", "AWS::KMS::Key"] } },
      })
    }
  })
})

describe("a deployment is refused, before anything is registered,", () => {
  afterEach(() => expect(registered).toEqual([]))

  test("when an asset's file is missing", async () => {
    const broken = run("dev", async (folder) => {
      const { files } = JSON.parse(await readFile(join(folder, "Api.assets.json"), "utf8"))
      const paths = Object.values<{ source: { path: string } }>(files).map(({ source }) => source.path)
      await rm(join(folder, paths.find((path) => path.endsWith(".zip")) ?? ""))
    })
    await expect(broken).rejects.toThrow(
      /^The asset .+ of Api\.assets\.json is missing: there is no .+\.zip\.$/,
    )
  })

  test("when an asset is a Docker image", async () => {
    const images = edit("Api.assets.json", (json) => {
      json.dockerImages = { abc: { displayName: "Api/Image" } }
    })
    await expect(run("dev", images)).rejects.toThrow(
      "Api.assets.json requires the Docker image Api/Image. Only files can be published, not images.",
    )
  })

  test("when stacks depend on each other in a circle", async () => {
    const circle = edit("manifest.json", ({ artifacts }) => {
      Object.assign(artifacts?.Data ?? {}, { dependencies: ["Data.assets", "Api"] })
    })
    await expect(run("dev", circle)).rejects.toThrow(
      "Stacks depend on each other in a circle: Api → Data → Api.",
    )
  })

  test("when a template has a parameter that nothing gives", async () => {
    const parameter = edit("Api.template.json", (json) => {
      json.Parameters = { ...json.Parameters, CertificateArn: { Type: "String" } }
    })
    await expect(run("dev", parameter)).rejects.toThrow(
      "The stack Api requires the parameter CertificateArn, which has no value.",
    )
  })

  test("when an asset is for another bucket", async () => {
    const bucket = edit("Data.assets.json", ({ files }) => {
      for (const file of Object.values(files ?? {})) {
        Object.assign(file, { destinations: { there: { bucketName: "cdk-assets", objectKey: "x.json" } } })
      }
    })
    await expect(run("dev", bucket)).rejects.toThrow("belongs to the bucket cdk-assets")
  })

  test("when a stack is for another region than the stage", async () => {
    const region = edit("manifest.json", ({ artifacts }) => {
      Object.assign(artifacts?.Api ?? {}, { environment: "aws://unknown-account/eu-west-1" })
    })
    await expect(run("dev", region)).rejects.toThrow(
      "The stack Api is for eu-west-1, but the stage is in us-east-1.",
    )
  })

  test("when a stack requests termination protection, which would be ignored silently", async () => {
    const isProtected = edit("manifest.json", ({ artifacts }) => {
      Object.assign(artifacts?.Api?.properties ?? {}, { terminationProtection: true })
    })
    await expect(run("dev", isProtected)).rejects.toThrow("The stack Api requires termination protection")
  })

  test("when two stacks have an output of the same name", async () => {
    const output = edit("Data.template.json", (json) => {
      json.Outputs = { ...json.Outputs, Url: { Value: "x" } }
    })
    await expect(run("dev", output)).rejects.toThrow("The stacks Data and Api both have the output Url.")
  })

  test("when a file for a bucket is missing, or the bucket is of no stack", async () => {
    const uploads = (stackName: string, path: string) => async (folder: string) => {
      const files = [{ key: "index.html", path, contentType: "text/html", cacheControl: "no-cache" }]
      const list = [{ stackName, bucketOutput: "QueueUrl", files }]
      await writeFile(join(folder, "uploads.json"), JSON.stringify(list))
    }
    await expect(run("dev", uploads(RECORDED.stacks[0] ?? "", "gone.html"))).rejects.toThrow(
      /^The upload index\.html is missing: there is no .+gone\.html\.$/,
    )
    await expect(run("dev", uploads("other", "manifest.json"))).rejects.toThrow(
      "uploads.json names the output QueueUrl of other, which does not exist.",
    )
  })

  test("when the assembly contains another assembly", async () => {
    const nested = edit("manifest.json", ({ artifacts }) => {
      Object.assign(artifacts ?? {}, { Nested: { type: "cdk:cloud-assembly" } })
    })
    await expect(run("dev", nested)).rejects.toThrow("Nested is a nested assembly")
  })

  test("when the manifest is missing or invalid", async () => {
    const missing = run("dev", (folder) => rm(join(folder, "manifest.json")))
    await expect(missing).rejects.toThrow(/^manifest\.json of the assembly in .+ cannot be read\.$/)
    const other = edit("manifest.json", (json) => {
      json.artifacts = { Api: {} }
    })
    await expect(run("dev", other)).rejects.toThrow(
      "manifest.json has unexpected content: artifacts.Api.type",
    )
  })

  test("when synthesis fails, with its message", async () => {
    await fakeProject(
      project,
      'process.stderr.write("AwsSolutions-SQS3: no dead-letter queue")\nprocess.exit(3)',
    )
    await expect(runConfig("dev")).rejects.toThrow(
      /^The stacks of the stage dev could not be synthesized; it ended with status 3:\nAwsSolutions-SQS3/,
    )
  })

  test("when the stage's name is invalid", async () => {
    for (const stage of ["", "Dev", "a b", "../x", "-x", "x".repeat(100)]) {
      await expect(runConfig(stage), stage).rejects.toThrow(/stage/i)
    }
  })
})

test("gives synthesis no credentials", async () => {
  const variables = {
    AWS_ACCESS_KEY_ID: "a",
    AWS_PROFILE: "b",
    PULUMI_HOME: "c",
    SST_STAGE: "d",
    CDK_DEFAULT_ACCOUNT: "e",
  }
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
  const names = JSON.stringify(Object.keys(variables))
  await fakeProject(
    project,
    `process.stderr.write("given: " + ${names}.filter((name) => name in process.env))\nprocess.exit(1)`,
  )
  await expect(runConfig("dev")).rejects.toThrow(/given: $/)
  vi.unstubAllEnvs()
})
