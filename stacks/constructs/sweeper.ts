import { Duration } from "aws-cdk-lib"
import { Rule, Schedule } from "aws-cdk-lib/aws-events"
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets"
import type { Construct } from "constructs"
import { ServiceFunction, type ServiceFunctionProps } from "./service-function.ts"

const INTERVAL = Duration.minutes(15)
const TIMEOUT = Duration.minutes(5)
/** The next sweep does the work of one that fails. */
const ERROR_BUDGET = { period: INTERVAL, reached: 2, periods: 3 }

/** A function that looks every 15 minutes for work that is left to do. */
export class Sweeper extends ServiceFunction {
  constructor(
    scope: Construct,
    id: string,
    props: Omit<ServiceFunctionProps, "timeout" | "errorBudget" | "isCalledByTarget">,
  ) {
    super(scope, id, { ...props, timeout: TIMEOUT, errorBudget: ERROR_BUDGET })
    new Rule(this, "Schedule", {
      description: `Calls the function ${props.functionName}`,
      schedule: Schedule.rate(INTERVAL),
      // A sweep that fails is not repeated: the next one does its work too, and an alarm reports it.
      targets: [new LambdaFunction(this.function, { retryAttempts: 0 })],
    })
  }
}
