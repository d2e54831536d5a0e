import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { EmbeddedCloud } from "@sealway/local"
import type { Configuration } from "@sealway/platform"
import { FUNCTION_FILE, type FunctionBundle } from "../../stacks/bundles/function-bundle.ts"
import type { Invocation, Outcome } from "./bundle-process.ts"
import { unpackZip } from "./unpack-zip.ts"

/** The functions of zips, unpacked and running. */
export interface BundledFunctions extends AsyncDisposable {
  /** Calls a function's handler. @returns what it returns; rejects with what it throws */
  invoke(functionName: string, event: unknown): Promise<unknown>
}

/**
 * Unpacks zips and starts a process that runs them.
 *
 * @param folder outside the project, so that nothing is found in its node_modules
 * @param environment the whole environment: nothing is inherited
 */
export async function startBundledFunctions(
  bundles: readonly FunctionBundle[],
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<BundledFunctions> {
  for (const { functionName, zipPath } of bundles) {
    await unpackZip(await readFile(zipPath), join(folder, functionName))
  }
  const script = join(import.meta.dirname, "bundle-process.ts")
  const child: ChildProcess = fork(script, { cwd: folder, env: { ...environment }, execArgv: [] })
  const waiting = new Map<number, (outcome: Outcome) => void>()
  let invoked = 0
  child.on("message", (outcome: Outcome) => {
    waiting.get(outcome.number)?.(outcome)
    waiting.delete(outcome.number)
  })
  child.on("exit", () => {
    for (const [number, settle] of waiting) settle({ number, error: "The process has ended" })
  })
  return {
    async invoke(functionName, event) {
      const number = ++invoked
      const outcome = await new Promise<Outcome>((resolve) => {
        waiting.set(number, resolve)
        const invocation: Invocation = { number, file: join(folder, functionName, FUNCTION_FILE), event }
        child.send(invocation)
      })
      if ("error" in outcome) throw new Error(`${functionName}: ${outcome.error}`)
      return outcome.result
    },
    async [Symbol.asyncDispose]() {
      child.kill()
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
    },
  }
}

/** Returns what a Lambda function finds in its environment, in a stage that is an embedded cloud. */
export function lambdaEnvironment(
  { region, endpoints, credentials, queueUrls }: EmbeddedCloud,
  { configTable, eventsTable, runsTable, paymentsTable, kmsKeyId, functions, relay, files }: Configuration,
): Record<string, string> {
  return {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
    AWS_ENDPOINT_URL_KMS: endpoints.kms,
    AWS_ENDPOINT_URL_SQS: endpoints.sqs,
    AWS_ENDPOINT_URL_LAMBDA: endpoints.lambda,
    AWS_ENDPOINT_URL_S3: endpoints.s3,
    AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: endpoints.logs,
    SEALWAY_CONFIG_TABLE: configTable,
    SEALWAY_EVENTS_TABLE: eventsTable,
    SEALWAY_EVENTS_QUEUE_URL: queueUrls.get("events") ?? "",
    SEALWAY_EVENTS_DEAD_LETTERS_QUEUE_URL: queueUrls.get("events-dead-letters") ?? "",
    SEALWAY_SLOW_EVENTS_QUEUE_URL: queueUrls.get("slow-events") ?? "",
    SEALWAY_FUNCTION_RUNS_QUEUE_URL: queueUrls.get("function-runs") ?? "",
    SEALWAY_FUNCTION_RUNS_DEAD_LETTERS_QUEUE_URL: queueUrls.get("function-runs-dead-letters") ?? "",
    SEALWAY_ENROLMENTS_QUEUE_URL: queueUrls.get("enrolments") ?? "",
    SEALWAY_CARD_CHECKS_QUEUE_URL: queueUrls.get("card-checks") ?? "",
    SEALWAY_RUNS_TABLE: runsTable ?? "",
    SEALWAY_PAYMENTS_TABLE: paymentsTable ?? "",
    SEALWAY_FUNCTION_PREFIX: functions?.prefix ?? "",
    SEALWAY_FUNCTION_ROLE_ARN: functions?.roleArn ?? "",
    SEALWAY_FUNCTION_CODE_BUCKET: functions?.codeBucket ?? "",
    SEALWAY_FILE_BUCKET: files?.bucket ?? "",
    ...(relay !== null && { SEALWAY_RELAY_DOMAIN: relay.domain }),
    SEALWAY_ACCESS_LOG: "log",
    SEALWAY_ALLOW_PRIVATE_DESTINATIONS: "true",
    SEALWAY_KMS_KEY_ID: kmsKeyId,
    SEALWAY_LOG_LEVEL: "ERROR",
  }
}
