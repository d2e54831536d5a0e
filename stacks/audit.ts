import { AUDIT_WRITER_GRANTS } from "@sealway/records"
import { CfnOutput, Duration, Stack, type StackProps } from "aws-cdk-lib"
import type { Construct } from "constructs"
import { notifyOfAlarms } from "./constructs/alarm.ts"
import { ServiceFunction } from "./constructs/service-function.ts"
import { exportForGood } from "./exports.ts"
import { AUDIT_WRITER } from "./names.ts"
import type { AuditWriterFunction, BaseResources } from "./stage-resources.ts"

/** Its callers give up after three seconds, and try again. */
const TIMEOUT = Duration.seconds(3)
/** Callers try again, and answer 503 in the end. */
const ERROR_BUDGET = { period: Duration.minutes(5), reached: 2, periods: 3 }

export interface AuditStackProps extends StackProps {
  readonly resources: BaseResources
}

/** The function that alone writes the audit log. Others call it and wait: what it has answered is durable. */
export class AuditStack extends Stack {
  readonly writer: AuditWriterFunction

  constructor(scope: Construct, id: string, { resources, ...props }: AuditStackProps) {
    super(scope, id, props)
    const { function: writer } = new ServiceFunction(this, "Writer", {
      resources: { ...resources, functionHosting: null, dashboard: null, relayEdge: null },
      functionName: AUDIT_WRITER,
      description: "Add records to the audit log, for all other functions",
      grants: AUDIT_WRITER_GRANTS,
      timeout: TIMEOUT,
      errorBudget: ERROR_BUDGET,
    })
    this.writer = { functionArn: writer.functionArn, functionName: writer.functionName }
    exportForGood(this, writer.functionArn, writer.functionName)
    new CfnOutput(this, "AuditWriter", {
      value: writer.functionName,
      description: "Name of the function that writes the audit log",
    })
    notifyOfAlarms(this, {
      name: this.stackName,
      description: "The audit log cannot be written: changes are refused",
      topic: resources.alarmTopic,
    })
  }
}
