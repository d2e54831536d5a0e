import type { ITable } from "aws-cdk-lib/aws-dynamodb"
import type { IRole } from "aws-cdk-lib/aws-iam"
import type { IKey } from "aws-cdk-lib/aws-kms"
import type { Bucket } from "aws-cdk-lib/aws-s3"
import type { ITopic } from "aws-cdk-lib/aws-sns"
import type { IQueue } from "aws-cdk-lib/aws-sqs"
import type { FunctionBundle } from "./bundles/function-bundle.ts"
import type { StageConfig } from "./config.ts"

/** Where customers' functions are deployed. */
export interface FunctionHosting {
  /** The prefix of the names of their Lambda functions. */
  readonly prefix: string
  /** The role of their code. */
  readonly role: IRole
  /** Their source. */
  readonly codeBucket: Bucket
}

/** A table, of the stage's own or a restored one. */
export type StageTable = Pick<ITable, "tableArn" | "tableName" | "metric">

/** The function that writes the audit log for all others. */
export interface AuditWriterFunction {
  readonly functionArn: string
  readonly functionName: string
}

/** The entrance of requests through relays. */
export interface RelayEdge {
  readonly distributionId: string
  readonly distributionArn: string
  readonly connectionGroupId: string
  readonly connectionGroupArn: string
  /** Where domains' records in DNS lead: `d111111abcdef8.cloudfront.net`. */
  readonly routingEndpoint: string
}

/** Where members' browsers find the dashboard, and through it the API. */
export interface DashboardEdge {
  /** Where they reach the API: `https://dashboard.example.com/api`. */
  readonly apiUrl: string
  /** SHA-256, hex, of the secret that CloudFront sends to the API. */
  readonly originSecretHash: string
}

/** The dependencies of a stage's functions. */
export interface StageResources extends BaseResources {
  readonly functionHosting: FunctionHosting
  /** Null: the stage has no dashboard, or it does not exist yet. */
  readonly dashboard: DashboardEdge | null
  /** Null: the stage has no relays, or they do not exist yet. */
  readonly relayEdge: RelayEdge | null
}

/** Those of a function that may not touch customers' functions, and may exist before their hosting. */
export type FunctionResources = Omit<StageResources, "functionHosting"> & {
  readonly functionHosting: FunctionHosting | null
}

/** The dependencies that `functionHosting` has too. */
export interface BaseResources {
  readonly stage: StageConfig
  readonly stageKey: IKey
  readonly storageKey: IKey
  readonly alarmTopic: ITopic
  /** By name, as grants name them. */
  readonly tables: ReadonlyMap<string, StageTable>
  /** By name, as grants name them. */
  readonly queues: ReadonlyMap<string, IQueue>
  /** The bucket of sealed files. */
  readonly fileBucket: Bucket
  /** Null: it does not exist yet. */
  readonly auditWriter: AuditWriterFunction | null
  /** By name of the function. */
  readonly bundles: ReadonlyMap<string, FunctionBundle>
}

/** @throws Error when none has that name: `a table` `runs` */
export function find<Value>(values: ReadonlyMap<string, Value>, what: string, name: string): Value {
  const value = values.get(name)
  if (value === undefined) throw new Error(`The stage has no ${what} ${name}.`)
  return value
}
