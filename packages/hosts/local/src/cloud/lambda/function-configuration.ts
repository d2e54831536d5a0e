import { z } from "zod"
import { EMBEDDED_REGION } from "../credentials.ts"

export type RuntimeLanguage = "node" | "python"

/** The supported Lambda runtimes, and the language of each. The versions are those of this machine. */
export const RUNTIME_LANGUAGES: ReadonlyMap<string, RuntimeLanguage> = new Map([
  ["nodejs22.x", "node"],
  ["nodejs24.x", "node"],
  ["python3.12", "python"],
  ["python3.13", "python"],
])

export const FUNCTION_NAME = /^[a-zA-Z0-9-_]{1,64}$/

/** What is stored about a function besides its code. */
export const functionConfiguration = z.object({
  name: z.string().regex(FUNCTION_NAME),
  runtime: z.enum(["nodejs22.x", "nodejs24.x", "python3.12", "python3.13"]),
  handler: z.string().max(128),
  role: z.string(),
  description: z.string(),
  timeoutSeconds: z.int().min(1).max(900),
  memoryMb: z.int().min(128).max(10_240),
  codeBytes: z.int(),
  codeSha256: z.string(),
  revisionId: z.string(),
  /** Epoch milliseconds. */
  modifiedAt: z.int(),
})

export type FunctionConfiguration = z.infer<typeof functionConfiguration>

export function functionArn(name: string): string {
  return `arn:aws:lambda:${EMBEDDED_REGION}:000000000000:function:${name}`
}

/** Describes a function as AWS's `FunctionConfiguration`. */
export function describeFunction(configuration: FunctionConfiguration, state: "Pending" | "Active"): object {
  const pending = state === "Pending"
  return {
    FunctionName: configuration.name,
    FunctionArn: functionArn(configuration.name),
    Runtime: configuration.runtime,
    Role: configuration.role,
    Handler: configuration.handler,
    CodeSize: configuration.codeBytes,
    CodeSha256: configuration.codeSha256,
    Description: configuration.description,
    Timeout: configuration.timeoutSeconds,
    MemorySize: configuration.memoryMb,
    LastModified: new Date(configuration.modifiedAt).toISOString().replace("Z", "+0000"),
    Version: "$LATEST",
    RevisionId: configuration.revisionId,
    PackageType: "Zip",
    Architectures: [process.arch === "arm64" ? "arm64" : "x86_64"],
    State: state,
    ...(pending && { StateReason: "The function is being created.", StateReasonCode: "Creating" }),
    ...(!pending && { LastUpdateStatus: "Successful" }),
  }
}
