import { readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import type * as z from "zod"
import {
  type Artifact,
  assetFilePropertiesSchema,
  assetsSchema,
  manifestSchema,
  stackPropertiesSchema,
  templateSchema,
  uploadsSchema,
} from "./assembly-schema.ts"
import { inOrderOfDependency } from "./order.ts"
import { ASSETS_BUCKET } from "./parameters.ts"

/** A file or folder that a stack needs in the assets bucket: a function's code, or a template. */
export interface AssemblyAsset {
  /** Its name in the bucket. It contains a hash of the content, so equal names are equal bytes. */
  readonly key: string
  /** An absolute path. */
  readonly path: string
  /** `zip`: a folder, to be packed on the way. */
  readonly packaging: "file" | "zip"
}

export interface AssemblyStack {
  /** Its name in the assembly. */
  readonly id: string
  /** Its name in CloudFormation. */
  readonly stackName: string
  /** Name of its template among the assets. */
  readonly templateKey: string
  /** Null: it does not matter. */
  readonly region: string | null
  /** The parameters of its template, each with whether it may be left out. */
  readonly parameters: ReadonlyMap<string, { readonly isOptional: boolean }>
  /** The outputs that its template declares, except those that only other stacks import. */
  readonly outputs: readonly string[]
  readonly tags: Readonly<Record<string, string>>
  /** Ids of the stacks that must exist first. */
  readonly dependencies: readonly string[]
}

/** A file that is sent from a bucket of a stack. */
export interface BucketUpload {
  /** Its name in the bucket. */
  readonly key: string
  /** An absolute path. */
  readonly path: string
  readonly contentType: string
  readonly cacheControl: string
}

/** The files for a bucket of a stack, which must exist first. */
export interface StackUploads {
  /** Its name in the assembly. */
  readonly stackId: string
  /** The output of the stack that names the bucket. */
  readonly bucketOutput: string
  /** The last one needs all others: a page needs the scripts that it names. */
  readonly files: readonly BucketUpload[]
}

export interface CloudAssembly {
  /** Each after those that it depends on. */
  readonly stacks: readonly AssemblyStack[]
  readonly uploads: readonly StackUploads[]
  readonly assets: readonly AssemblyAsset[]
}

/**
 * In the object address of a template, and as an asset's bucket, this is the placeholder for the bucket that `publish`
 * creates.
 */
const BUCKET_PLACEHOLDER = `\${${ASSETS_BUCKET}}`
const UPLOADS = "uploads.json"
const IMPORTED_OUTPUT = /^ExportsOutput/

/**
 * Reads a synthesized cloud assembly.
 *
 * @throws Error saying which file, stack or asset cannot be published, and why
 */
export async function readAssembly(folder: string): Promise<CloudAssembly> {
  const { artifacts } = await readJson(folder, "manifest.json", manifestSchema)
  const found = Object.entries(artifacts)
  const nested = found.find(([, { type }]) => type === "cdk:cloud-assembly")
  if (nested !== undefined)
    throw new Error(`${nested[0]} is a nested assembly. Nested assemblies are not supported.`)

  const assets = new Map<string, AssemblyAsset>()
  for (const [, { type, properties }] of found) {
    if (type !== "cdk:asset-manifest") continue
    const { file } = parse(assetFilePropertiesSchema, properties, "manifest.json")
    for (const asset of await readAssets(folder, file)) assets.set(asset.key, asset)
  }

  const stacks: AssemblyStack[] = []
  for (const [id, artifact] of found) {
    if (artifact.type !== "aws:cloudformation:stack") continue
    stacks.push(await readStack(folder, id, artifact, artifacts, assets))
  }
  if (stacks.length === 0) throw new Error(`The assembly in ${folder} has no stack.`)
  const uploads = await readUploads(folder, stacks)
  return { stacks: inOrderOfDependency(stacks), uploads, assets: [...assets.values()] }
}

/** @returns none when nothing is uploaded into buckets of stacks */
async function readUploads(
  folder: string,
  stacks: readonly AssemblyStack[],
): Promise<readonly StackUploads[]> {
  const isThere = await stat(join(folder, UPLOADS)).then(
    () => true,
    () => false,
  )
  if (!isThere) return []
  const lists = await readJson(folder, UPLOADS, uploadsSchema)
  return Promise.all(
    lists.map(async ({ stackName, bucketOutput, files }) => {
      const stack = stacks.find((each) => each.stackName === stackName)
      if (stack?.outputs.includes(bucketOutput) !== true)
        throw new Error(`${UPLOADS} names the output ${bucketOutput} of ${stackName}, which does not exist.`)
      const found = files.map((file) => ({ ...file, path: join(folder, file.path) }))
      for (const { path, key } of found) await requireThere(path, "file", `The upload ${key}`)
      return { stackId: stack.id, bucketOutput, files: found }
    }),
  )
}

async function readStack(
  folder: string,
  id: string,
  { environment, properties, dependencies }: Artifact,
  artifacts: Readonly<Record<string, Artifact>>,
  assets: ReadonlyMap<string, AssemblyAsset>,
): Promise<AssemblyStack> {
  const known = parse(stackPropertiesSchema, properties, `the stack ${id} of manifest.json`)
  const { templateFile, stackName = id, stackTemplateAssetObjectUrl, tags, terminationProtection } = known
  if (terminationProtection) {
    throw new Error(`The stack ${id} requires termination protection, which SST cannot set.`)
  }
  const prefix = `s3://${BUCKET_PLACEHOLDER}/`
  const templateKey = stackTemplateAssetObjectUrl.slice(prefix.length)
  if (!stackTemplateAssetObjectUrl.startsWith(prefix) || !assets.has(templateKey)) {
    throw new Error(
      `The template of the stack ${id} is not among the assets for the bucket ${ASSETS_BUCKET}.`,
    )
  }
  const template = await readJson(folder, templateFile, templateSchema)
  const parameters = Object.entries(template.Parameters).map(
    ([name, { Default }]) => [name, { isOptional: Default !== undefined }] as const,
  )
  return {
    id,
    stackName,
    templateKey,
    region: regionOf(environment),
    parameters: new Map(parameters),
    outputs: Object.keys(template.Outputs).filter((name) => !IMPORTED_OUTPUT.test(name)),
    tags,
    dependencies: dependencies.filter((each) => artifacts[each]?.type === "aws:cloudformation:stack"),
  }
}

async function readAssets(folder: string, file: string): Promise<AssemblyAsset[]> {
  const { files, dockerImages } = await readJson(folder, file, assetsSchema)
  const [image] = Object.entries(dockerImages)
  if (image !== undefined) {
    const [hash, { displayName = hash }] = image
    throw new Error(
      `${file} requires the Docker image ${displayName}. Only files can be published, not images.`,
    )
  }
  const assets: AssemblyAsset[] = []
  for (const [hash, { displayName = hash, source, destinations }] of Object.entries(files)) {
    const name = `The asset ${displayName} of ${file}`
    if (source.path === undefined)
      throw new Error(`${name} must be built by a program. This is not supported.`)
    const path = join(folder, source.path)
    await requireThere(path, source.packaging, name)
    for (const { bucketName, objectKey } of Object.values(destinations)) {
      if (bucketName !== BUCKET_PLACEHOLDER) {
        throw new Error(
          `${name} belongs to the bucket ${bucketName}, which is not the bucket of this deployment.`,
        )
      }
      assets.push({ key: objectKey, path, packaging: source.packaging })
    }
  }
  return assets
}

async function requireThere(path: string, packaging: "file" | "zip", name: string): Promise<void> {
  const wanted = packaging === "zip" ? "folder" : "file"
  const found = await stat(path).catch(() => null)
  if (found === null) throw new Error(`${name} is missing: there is no ${path}.`)
  if (found.isDirectory() !== (wanted === "folder")) throw new Error(`${name} is not a ${wanted}: ${path}.`)
}

/** Reads the region of `aws://<account>/<region>`; either may be unknown. */
function regionOf(environment: string | undefined): string | null {
  const [, region = "unknown-region"] = /^aws:\/\/[^/]+\/([^/]+)$/.exec(environment ?? "") ?? []
  return region === "unknown-region" ? null : region
}

async function readJson<Value>(folder: string, file: string, schema: z.ZodType<Value>): Promise<Value> {
  let json: unknown
  try {
    json = JSON.parse(await readFile(join(folder, file), "utf8"))
  } catch (error) {
    throw new Error(`${file} of the assembly in ${folder} cannot be read.`, { cause: error })
  }
  return parse(schema, json, file)
}

function parse<Value>(schema: z.ZodType<Value>, value: unknown, place: string): Value {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const problems = result.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`)
  throw new Error(`${place} has unexpected content: ${problems.join("; ")}`)
}
