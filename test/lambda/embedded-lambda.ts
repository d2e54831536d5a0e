import {
  CreateFunctionCommand,
  type CreateFunctionCommandInput,
  InvokeCommand,
  LambdaClient,
} from "@aws-sdk/client-lambda"
import { zipSync } from "fflate"
import { EMBEDDED_REGION, randomCredentials } from "../../packages/hosts/local/src/cloud/credentials.ts"
import { type LambdaOptions, startLambda } from "../../packages/hosts/local/src/cloud/lambda/start-lambda.ts"
import { signatureVerifier } from "../../packages/hosts/local/src/cloud/verify-signature.ts"
import { RUNTIME_HANDLER, runtimeFiles } from "../../packages/service/functions/src/runtimes/runtime-files.ts"

export type Language = "node" | "python"

export const LAMBDA_RUNTIMES = { node: "nodejs24.x", python: "python3.13" } as const
export const ROLE_ARN = "arn:aws:iam::000000000000:role/function"

/**
 * Starts the embedded Lambda alone, with what the AWS SDK needs to reach it. Also runs functions on machines that
 * cannot confine them.
 */
export async function lambdaUnderTest(
  folder: string | null = null,
  pythonPath?: string,
  options: Pick<
    LambdaOptions,
    "confinementLevels" | "unconfinedFunctions" | "functionNetwork" | "outside"
  > = {},
) {
  const credentials = randomCredentials()
  const verify = signatureVerifier(credentials, ["lambda", "logs"])
  const service = await startLambda({
    folder,
    verify,
    unconfinedFunctions: true,
    ...options,
    ...(pythonPath !== undefined && { pythonPath }),
  })
  const client = { endpoint: service.endpoint, region: EMBEDDED_REGION, credentials, maxAttempts: 1 }
  const { functions } = service
  return { client, functions, lambda: new LambdaClient(client), close: () => service.close() }
}

/** Makes a zip of files by their paths. */
export function zipOf(files: Readonly<Record<string, string | Uint8Array>>): Uint8Array {
  const entries = Object.entries(files).map(([path, content]) => [path, Buffer.from(content)] as const)
  return zipSync(Object.fromEntries(entries))
}

/** Creates a function from a customer's files in Sealway's wrapper, as a deployment does. */
export async function deploy(
  lambda: LambdaClient,
  language: Language,
  name: string,
  handlerFile: string,
  files: Readonly<Record<string, string>>,
  settings: Partial<CreateFunctionCommandInput> = {},
): Promise<void> {
  const ZipFile = zipOf({ ...files, ...Object.fromEntries(runtimeFiles(language, handlerFile)) })
  await lambda.send(
    new CreateFunctionCommand({
      FunctionName: name,
      Runtime: LAMBDA_RUNTIMES[language],
      Handler: RUNTIME_HANDLER,
      Role: ROLE_ARN,
      Timeout: 20,
      Code: { ZipFile },
      ...settings,
    }),
  )
}

/** Returns Lambda's answer: the JSON, and the kind of error. */
export async function invoke(lambda: LambdaClient, name: string, event: unknown) {
  const { Payload, FunctionError } = await lambda.send(
    new InvokeCommand({ FunctionName: name, Payload: JSON.stringify(event) }),
  )
  const answer: unknown = JSON.parse(Buffer.from(Payload ?? []).toString())
  return { answer, error: FunctionError ?? null }
}
