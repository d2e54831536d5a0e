import { createHash, randomUUID } from "node:crypto"
import { InvalidZipError, listZip, type ZipEntry } from "@sealway/functions"
import { MB } from "@sealway/kernel"
import { z } from "zod"
import { type EmbeddedLambda, NO_PYTHON } from "../embedded-lambda.ts"
import {
  describeFunction,
  FUNCTION_NAME,
  type FunctionConfiguration,
  functionConfiguration,
  RUNTIME_LANGUAGES,
} from "../function-configuration.ts"
import { LambdaError } from "../lambda-error.ts"
import type { LambdaOperation } from "./operation.ts"

const MAX_ZIP_BYTES = 50 * MB
const MAX_UNPACKED_BYTES = 250 * MB
const MAX_ENTRIES = 10_000

/** Other fields of AWS (layers, variables, a VPC …) are refused: ignoring them would promise too much. */
const requestSchema = z.strictObject({
  FunctionName: z.string().regex(FUNCTION_NAME),
  Runtime: functionConfiguration.shape.runtime,
  Handler: z.string().regex(/^[^\s]{1,128}$/),
  Role: z.string().regex(/^arn:(aws[a-zA-Z-]*)?:iam::\d{12}:role\/?[a-zA-Z_0-9+=,.@\-_/]+$/),
  Code: z.strictObject({ ZipFile: z.string() }),
  Description: z.string().max(256).default(""),
  Timeout: functionConfiguration.shape.timeoutSeconds.default(3),
  MemorySize: functionConfiguration.shape.memoryMb.default(128),
  PackageType: z.literal("Zip").optional(),
  Architectures: z
    .array(z.enum(["x86_64", "arm64"]))
    .length(1)
    .optional(),
  Publish: z.literal(false).optional(),
  Tags: z.record(z.string(), z.string()).optional(),
  Environment: z.strictObject({ Variables: z.strictObject({}).optional() }).optional(),
})

/** CreateFunction. */
export const createFunction: LambdaOperation = async ({ body }, lambda) => {
  const parsed = requestSchema.safeParse(parseJson(body))
  if (!parsed.success) {
    const members = [...new Set(parsed.error.issues.map(({ path }) => path[0] ?? "the request"))]
    throw invalid(`Invalid or not offered by the embedded Lambda: ${members.map(String).join(", ")}.`)
  }
  const { Code, ...request } = parsed.data
  const name = request.FunctionName
  if (lambda.store.functions.has(name) || lambda.creating.has(name)) {
    throw new LambdaError("ResourceConflictException", `Function already exist: ${name}`)
  }
  lambda.creating.add(name)
  try {
    if (RUNTIME_LANGUAGES.get(request.Runtime) === "python" && (await lambda.python()) === null) {
      throw invalid(NO_PYTHON)
    }
    const zip = decodeZip(Code.ZipFile)
    const configuration: FunctionConfiguration = {
      name,
      runtime: request.Runtime,
      handler: request.Handler,
      role: request.Role,
      description: request.Description,
      timeoutSeconds: request.Timeout,
      memoryMb: request.MemorySize,
      codeBytes: zip.length,
      codeSha256: createHash("sha256").update(zip).digest("base64"),
      revisionId: randomUUID(),
      modifiedAt: lambda.wallClock(),
    }
    await add(configuration, zip, lambda)
    return { status: 201, body: describeFunction(configuration, "Pending") }
  } finally {
    lambda.creating.delete(name)
  }
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    throw new LambdaError("InvalidRequestContentException", "Could not parse request body into json")
  }
}

function decodeZip(encoded: string): Buffer {
  const zip = Buffer.from(encoded, "base64")
  // Node.js skips what is not base64; encoding again shows whether it skipped anything.
  if (zip.toString("base64") !== encoded) throw invalid("The zip is not in base64.")
  if (zip.length > MAX_ZIP_BYTES) {
    throw new LambdaError("RequestEntityTooLargeException", "The zip is larger than 50 MB.")
  }
  return zip
}

async function add(
  configuration: FunctionConfiguration,
  zip: Buffer,
  { store }: EmbeddedLambda,
): Promise<void> {
  let files: ZipEntry[] = []
  try {
    files = listZip(zip, { maxEntries: MAX_ENTRIES, maxBytes: MAX_UNPACKED_BYTES })
    if (files.length === 0) throw invalid("Uploaded file must be a non-empty zip")
    await store.add(configuration, files)
  } catch (error) {
    if (!(error instanceof InvalidZipError)) throw error
    throw invalid(
      error.tooLarge
        ? `Unzipped size must be smaller than ${MAX_UNPACKED_BYTES} bytes, in ${MAX_ENTRIES} entries`
        : "Could not unzip uploaded file. Please check your file, then try to upload again.",
      error,
    )
  }
}

function invalid(message: string, cause?: unknown): LambdaError {
  return new LambdaError("InvalidParameterValueException", message, { cause })
}
