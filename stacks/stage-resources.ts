import type { Table } from "aws-cdk-lib/aws-dynamodb"
import type { IKey } from "aws-cdk-lib/aws-kms"
import type { ITopic } from "aws-cdk-lib/aws-sns"
import type { IQueue } from "aws-cdk-lib/aws-sqs"
import type { FunctionBundle } from "./bundles/function-bundle.ts"
import type { StageConfig } from "./config.ts"

/** What a stage's functions stand on. */
export interface StageResources {
  readonly stage: StageConfig
  readonly stageKey: IKey
  readonly storageKey: IKey
  readonly alarmTopic: ITopic
  /** By name, as grants name them. */
  readonly tables: ReadonlyMap<string, Table>
  /** By name, as grants name them. */
  readonly queues: ReadonlyMap<string, IQueue>
  /** By name of the function. */
  readonly bundles: ReadonlyMap<string, FunctionBundle>
}

/** @throws Error when there is none of that name: `a table` `runs` */
export function find<Value>(values: ReadonlyMap<string, Value>, what: string, name: string): Value {
  const value = values.get(name)
  if (value === undefined) throw new Error(`The stage has no ${what} ${name}.`)
  return value
}
