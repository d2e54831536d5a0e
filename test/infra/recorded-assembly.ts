import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { App, CfnOutput, CfnParameter, CliCredentialsStackSynthesizer, Stack } from "aws-cdk-lib"
import { CfnFunction } from "aws-cdk-lib/aws-lambda"
import { CfnBucket } from "aws-cdk-lib/aws-s3"
import { Asset } from "aws-cdk-lib/aws-s3-assets"
import { CfnQueue } from "aws-cdk-lib/aws-sqs"
import { writeAssembly } from "./write-assembly.ts"

export const RECORDED = { region: "us-east-1", stacks: ["sealway-recorded-data", "sealway-recorded-api"] }

const BUCKET = "$" + "{AssetsBucket}"

/** Has strings where the type of a stack's options expects them; none is used here. */
class RecordedSynthesizer extends CliCredentialsStackSynthesizer {
  override get bootstrapQualifier(): string {
    return ""
  }
  override get lookupRole(): string {
    return ""
  }
  override get cloudFormationExecutionRole(): string {
    return ""
  }
}

export interface RecordedChanges {
  /** Default: `the code`. */
  readonly code?: string
  /** Another output of the stack that the other one needs. Default: nothing. */
  readonly output?: string
  /** Files for the bucket of the stack that the other one needs, by their names. Default: none, and no bucket. */
  readonly files?: Readonly<Record<string, string>>
}

/**
 * Writes a small cloud assembly as the CDK makes it: a stack with a function whose code is a zip, and one that depends
 * on it. The dependent one comes first in the manifest.
 *
 * @returns its folder
 */
export async function recordAssembly(folder: string, changes: RecordedChanges = {}): Promise<string> {
  const zip = join(folder, "code.zip")
  await mkdir(folder, { recursive: true })
  await writeFile(zip, changes.code ?? "the code")

  const outdir = join(folder, "assembly")
  const app = new App({ outdir, autoSynth: false, analyticsReporting: false, treeMetadata: false })
  const createStack = (id: string, stackName: string | undefined) =>
    new Stack(app, id, {
      ...(stackName !== undefined && { stackName }),
      env: { region: RECORDED.region },
      tags: { product: "sealway" },
      synthesizer: new RecordedSynthesizer({ fileAssetsBucketName: BUCKET, bucketPrefix: "" }),
    })
  const [dataName, apiName] = RECORDED.stacks
  const api = createStack("Api", apiName)
  const data = createStack("Data", dataName)
  const queue = new CfnQueue(data, "Queue")
  new CfnOutput(data, "QueueUrl", { value: queue.ref })
  if (changes.output !== undefined) new CfnOutput(data, changes.output, { value: queue.attrQueueName })

  new CfnParameter(api, "AssetsBucket", { type: "String" })
  const optional = new CfnParameter(api, "Optional", { type: "String", default: "x" })
  const code = new Asset(api, "Code", { path: zip })
  const handler = new CfnFunction(api, "Function", {
    code: { s3Bucket: code.s3BucketName, s3Key: code.s3ObjectKey },
    role: "arn:aws:iam::000000000000:role/none",
    handler: "index.handler",
    runtime: "nodejs24.x",
    environment: { variables: { QUEUE: queue.attrArn, OPTIONAL: optional.valueAsString } },
  })
  new CfnOutput(api, "Url", { value: handler.attrArn })
  if (changes.files !== undefined) {
    new CfnOutput(data, "FilesBucket", { value: new CfnBucket(data, "Files").ref })
    await writeUploads(outdir, changes.files)
  }
  writeAssembly(app)
  return outdir
}

/** Writes files and their list beside an assembly, as `stacks/synth.ts` does. */
async function writeUploads(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(join(folder, "files"), { recursive: true })
  const listed = []
  for (const [key, content] of Object.entries(files)) {
    await writeFile(join(folder, "files", key), content)
    listed.push({ key, path: `files/${key}`, contentType: "text/html", cacheControl: "no-cache" })
  }
  const uploads = { stackName: RECORDED.stacks[0], bucketOutput: "FilesBucket", files: listed }
  await writeFile(join(folder, "uploads.json"), JSON.stringify([uploads]))
}
