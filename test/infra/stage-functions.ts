import { fork } from "node:child_process"
import { once } from "node:events"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { EmbeddedCloud } from "@sealway/local"
import type { Configuration } from "@sealway/ports"
import * as z from "zod"
import { FUNCTION_FILE, type FunctionBundle } from "../../stacks/bundles/function-bundle.ts"
import type { DynaliteTables } from "../support/dynalite.ts"
import { serveLambda } from "../support/lambda-over-host.ts"
import { serveS3 } from "../support/s3-over-objects.ts"
import type { Outcome } from "./bundle-process.ts"
import { type Statement, statementsOf } from "./iam-policy.ts"
import { openPermissionGate } from "./permission-gate.ts"
import type { SynthesizedStage } from "./synthesize-stage.ts"
import { unpackZip } from "./unpack-zip.ts"

/** The functions of a stage, each of which starts anew for each call. */
export interface StageFunctions extends AsyncDisposable {
  readonly names: readonly string[]
  /**
   * Calls a function's handler.
   *
   * @param roleOf the function whose role it has. Default: itself
   * @returns what it returns; rejects with what it throws
   */
  invoke(functionName: string, event: object, roleOf?: string): Promise<unknown>
  /** Loads a function, and calls nothing. @returns the type of its handler; rejects with what loading it throws */
  load(functionName: string): Promise<unknown>
}

export interface StageFunctionsOptions {
  /** Of the stage `ada`. */
  readonly stage: SynthesizedStage
  readonly bundles: readonly FunctionBundle[]
  readonly cloud: EmbeddedCloud
  /** With the tables of the stage. */
  readonly dynamodb: Pick<DynaliteTables, "endpoint">
  /** Of the embedded cloud. */
  readonly configuration: Configuration
  /** Outside the project, so that nothing is found in its node_modules. */
  readonly folder: string
}

const environmentSchema = z.object({ Variables: z.record(z.string(), z.string()) })

/**
 * Starts a stage's functions over an embedded cloud and tables in DynamoDB: each with exactly the environment variables of its template, and with
 * those permissions of its role that are about tables, queues and keys.
 */
export async function startStageFunctions({
  stage,
  bundles,
  cloud,
  dynamodb,
  configuration,
  folder,
}: StageFunctionsOptions): Promise<StageFunctions> {
  for (const { functionName, zipPath } of bundles) {
    await unpackZip(await readFile(zipPath), join(folder, functionName))
  }
  const values = embeddedValues(configuration)
  const environments = new Map<string, Record<string, string>>()
  const policies = new Map<string, readonly Statement[]>()
  const resources = new Map<string, string>()
  for (const { name, variables, statements } of functionsOf(stage)) {
    policies.set(name, statements)
    const entries = Object.entries(variables).map(([variable, text]) => {
      const value = values[variable]
      if (value !== undefined) resources.set(value, text.endsWith(".Arn") ? text : `${text}.Arn`)
      return [variable, value ?? text]
    })
    environments.set(name, Object.fromEntries(entries))
  }
  const s3 = await serveS3(cloud.openObjects)
  const lambda = await serveLambda(cloud.functionHost)
  const gate = await openPermissionGate({
    cloud,
    dynamodb,
    policies,
    invoke: (name, event) => start(name, event),
    resourceOf: (name) => resources.get(name) ?? name,
  })

  async function start(functionName: string, event: object | null, roleOf = functionName): Promise<unknown> {
    const { AWS_ENDPOINT_URL_LAMBDA: ofStage, ...gated } = gate.environmentOf(roleOf)
    const env = {
      ...lambdaVariables(functionName),
      ...environments.get(functionName),
      ...gated,
      AWS_ENDPOINT_URL_S3: s3.endpoint,
      AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: lambda.endpoint,
      // What calls customers' functions never writes to the audit log here.
      AWS_ENDPOINT_URL_LAMBDA: callsHosted(policies.get(roleOf) ?? []) ? lambda.endpoint : ofStage,
    }
    const script = join(import.meta.dirname, "bundle-process.ts")
    const child = fork(script, [join(folder, functionName, FUNCTION_FILE)], {
      cwd: folder,
      env,
      execArgv: [],
      // What functions log there is not read.
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    })
    try {
      child.send({ event })
      const [outcome]: (Outcome | number)[] = await Promise.race([
        once(child, "message"),
        once(child, "exit"),
      ])
      if (typeof outcome !== "object") throw new Error(`${functionName}: the process ended with ${outcome}`)
      if ("error" in outcome) throw new Error(`${functionName}: ${outcome.error}`)
      return outcome.result
    } finally {
      child.kill()
    }
  }

  return {
    names: [...environments.keys()],
    invoke: start,
    load: (functionName) => start(functionName, null),
    async [Symbol.asyncDispose]() {
      gate.close()
      s3.close()
      lambda.close()
    },
  }
}

/** Returns the service's functions of a stage's templates, whose roles are named by them. A deployment has others, too. */
function functionsOf({ ofType }: SynthesizedStage) {
  const roles = new Map(ofType("AWS::IAM::Role").map(({ id, properties }) => [id, properties.RoleName]))
  const policies = ofType("AWS::IAM::ManagedPolicy")
  return ofType("AWS::Lambda::Function").flatMap(({ properties }) => {
    const roleId = String(properties.Role).replace(/\.Arn$/, "")
    const roleName = roles.get(roleId)
    if (roleName === undefined) return []
    const its = policies.filter(({ properties: { Roles } }) => JSON.stringify(Roles) === `["${roleId}"]`)
    return {
      name: String(roleName).replace(/^sealway-ada-/, ""),
      variables: environmentSchema.catch({ Variables: {} }).parse(properties.Environment).Variables,
      statements: its.flatMap((policy) => statementsOf(policy)),
    }
  })
}

function callsHosted(statements: readonly Statement[]): boolean {
  return statements.some(
    ({ Action, Resource }) =>
      Action.includes("lambda:InvokeFunction") && Resource.some((arn) => arn.includes("-fn-")),
  )
}

/** Returns what Lambda itself sets. */
function lambdaVariables(functionName: string) {
  return {
    AWS_LAMBDA_FUNCTION_NAME: functionName,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "id",
    AWS_SECRET_ACCESS_KEY: "secret",
    // Receivers of webhooks listen on loopback here.
    SEALWAY_ALLOW_PRIVATE_DESTINATIONS: "true",
  }
}

/** A URL by which the gate knows a queue. */
const queueUrl = (name: string) => `https://sqs.example/000000000000/${name}`

/** Returns the embedded cloud's values of variables whose values in a template are references, or have a form. */
function embeddedValues({
  configTable,
  keysTable,
  auditTable,
  eventsTable,
  runsTable,
  paymentsTable,
  kmsKeyId,
  functions,
  files,
}: Configuration): Readonly<Record<string, string | undefined>> {
  return {
    SEALWAY_CONFIG_TABLE: configTable,
    SEALWAY_KEYS_TABLE: keysTable,
    SEALWAY_AUDIT_TABLE: auditTable,
    SEALWAY_AUDIT_WRITER: "audit-writer",
    SEALWAY_EVENTS_TABLE: eventsTable,
    SEALWAY_RUNS_TABLE: runsTable ?? undefined,
    SEALWAY_PAYMENTS_TABLE: paymentsTable ?? undefined,
    SEALWAY_EVENTS_QUEUE_URL: queueUrl("events"),
    SEALWAY_EVENTS_DEAD_LETTERS_QUEUE_URL: queueUrl("events-dead-letters"),
    SEALWAY_ACCESS_RECORDS_QUEUE_URL: queueUrl("access-records"),
    SEALWAY_SLOW_EVENTS_QUEUE_URL: queueUrl("slow-events"),
    SEALWAY_FUNCTION_RUNS_QUEUE_URL: queueUrl("function-runs"),
    SEALWAY_FUNCTION_RUNS_DEAD_LETTERS_QUEUE_URL: queueUrl("function-runs-dead-letters"),
    SEALWAY_ENROLMENTS_QUEUE_URL: queueUrl("enrolments"),
    SEALWAY_CARD_CHECKS_QUEUE_URL: queueUrl("card-checks"),
    SEALWAY_FUNCTION_PREFIX: "sealway-ada-fn-",
    SEALWAY_FUNCTION_ROLE_ARN: "arn:aws:iam::000000000000:role/function",
    SEALWAY_FUNCTION_CODE_BUCKET: functions?.codeBucket,
    SEALWAY_FILE_BUCKET: files?.bucket,
    SEALWAY_KMS_KEY_ID: kmsKeyId,
    SEALWAY_LOG_LEVEL: "ERROR",
    SEALWAY_DASHBOARD_ORIGIN_SHA256: "0".repeat(64),
    SEALWAY_RELAY_CUSTOM_DOMAIN_TARGET: "d111111abcdef8.cloudfront.net",
  }
}
