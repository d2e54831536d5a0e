import type { Grant } from "@sealway/ports"
import type { Duration } from "aws-cdk-lib"
import { MathExpression } from "aws-cdk-lib/aws-cloudwatch"
import { ManagedPolicy, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam"
import {
  Architecture,
  CfnAlias,
  Code,
  Function as LambdaFunction,
  Runtime,
  Tracing,
} from "aws-cdk-lib/aws-lambda"
import { type ILogGroup, LogGroup } from "aws-cdk-lib/aws-logs"
import { Construct } from "constructs"
import { CANARY_FUNCTIONS } from "../config.ts"
import { functionEnvironment } from "../function-environment.ts"
import { grantStatements } from "../grant-statements.ts"
import { countKmsErrors } from "../kms-errors.ts"
import { roleName } from "../names.ts"
import { removalPolicyOf } from "../removal.ts"
import { type FunctionResources, find } from "../stage-resources.ts"
import { type ErrorBudget, raiseAlarm } from "./alarm.ts"
import { Canary } from "./canary.ts"

/** The alias of a function whose instances are kept started, or whose versions get their calls step by step. */
const LIVE = "live"

export interface ServiceFunctionProps {
  readonly resources: FunctionResources
  /** An endpoint's id or a worker's name, which is also its bundle's. */
  readonly functionName: string
  /** For people who look at the list of functions. */
  readonly description: string
  /** All that its role may do, besides writing to its own log. */
  readonly grants: readonly Grant[]
  readonly timeout: Duration
  /** Default: the stage's. */
  readonly memoryMb?: number
  /** Statements that no grant can express. */
  readonly statements?: readonly PolicyStatement[]
  /**
   * When its errors and throttles are an alarm. Null: never, because the API's own alarm counts what it answers.
   */
  readonly errorBudget: ErrorBudget | null
  /**
   * Whether whoever calls it calls `targetArn`, so that an alias makes a difference. Default: false, which refuses settings that
   * need an alias.
   */
  readonly isCalledByTarget?: boolean
  /** Default: the result of `functionEnvironment` for its grants. */
  readonly environment?: Readonly<Record<string, string>>
}

/** A Lambda function with its own role, policy and log group, and perhaps an alarm. */
export class ServiceFunction extends Construct {
  readonly function: LambdaFunction
  readonly logGroup: ILogGroup
  /** ARN of what callers must call: the function, or its alias where it has one. */
  readonly targetArn: string
  /** Name of that alias; null where there is none. */
  readonly alias: string | null

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id)
    const { resources, functionName, description, grants, timeout, statements = [] } = props
    const { stage, storageKey, bundles } = resources
    const { zipPath, handler } = find(bundles, "bundle of the function", functionName)

    const logGroup = new LogGroup(this, "Logs", {
      encryptionKey: storageKey,
      retention: stage.logRetentionDays,
      removalPolicy: removalPolicyOf(stage),
    })
    this.logGroup = logGroup
    const role = new Role(this, "Role", {
      roleName: roleName(stage, functionName),
      description: `Role of the function ${functionName}`,
      assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
    })
    const policy = new ManagedPolicy(this, "Policy", {
      description: `What the function ${functionName} may do`,
      roles: [role],
      statements: [
        ...grantStatements(grants, resources),
        ...statements,
        writeLogs(logGroup),
        ...(stage.isTraced ? [sendTraces()] : []),
      ],
    })
    const reservedConcurrentExecutions = stage.reservedConcurrencyOf[functionName]
    this.function = new LambdaFunction(this, "Function", {
      description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromAsset(zipPath),
      handler,
      // The policy above is complete: nothing may be added to it later.
      role: role.withoutPolicyUpdates(),
      logGroup,
      memorySize: stage.memoryMbOf[functionName] ?? props.memoryMb ?? stage.memoryMb,
      timeout,
      environment: { ...(props.environment ?? functionEnvironment(grants, resources)) },
      tracing: stage.isTraced ? Tracing.ACTIVE : Tracing.DISABLED,
      ...(reservedConcurrentExecutions !== undefined && { reservedConcurrentExecutions }),
    })
    // A function that is called before it has permissions fails.
    this.function.node.addDependency(policy)
    const alias = this.#createAlias(props)
    this.alias = alias?.name ?? null
    this.targetArn = alias?.ref ?? this.function.functionArn
    if (props.errorBudget !== null) this.#raiseAlarm(functionName, props.errorBudget)
    if (grants.some((grant) => grant.startsWith("kms:"))) countKmsErrors(this, logGroup, stage)
  }

  #createAlias({ functionName, resources, isCalledByTarget = false }: ServiceFunctionProps): CfnAlias | null {
    const { stage } = resources
    const provisionedConcurrentExecutions = stage.provisionedConcurrencyOf[functionName]
    const canary = CANARY_FUNCTIONS.includes(functionName) ? stage.canary : null
    if (provisionedConcurrentExecutions === undefined && canary === null) return null
    if (!isCalledByTarget) {
      throw new Error(
        `provisionedConcurrencyOf must not name ${functionName}: it is not called by an alias, so that the instances would never be used.`,
      )
    }
    const alias = new CfnAlias(this, "Live", {
      name: LIVE,
      functionName: this.function.functionName,
      functionVersion: this.function.currentVersion.version,
      ...(provisionedConcurrentExecutions !== undefined && {
        provisionedConcurrencyConfig: { provisionedConcurrentExecutions },
      }),
    })
    if (canary !== null) {
      const { function: lambda, logGroup } = this
      new Canary(this, "Canary", { stage, canary, functionName, function: lambda, logGroup, alias })
    }
    return alias
  }

  #raiseAlarm(functionName: string, budget: ErrorBudget): void {
    const { period } = budget
    raiseAlarm(this, "Alarm", {
      metric: new MathExpression({
        expression: "errors + throttles",
        label: "Errors and throttles",
        period,
        usingMetrics: {
          errors: this.function.metricErrors({ period }),
          throttles: this.function.metricThrottles({ period }),
        },
      }),
      description: `The function ${functionName} failed or was throttled`,
      budget,
    })
  }
}

/** Permits a function to write its log. */
export function writeLogs({ logGroupArn }: ILogGroup): PolicyStatement {
  return new PolicyStatement({
    actions: ["logs:CreateLogStream", "logs:PutLogEvents"],
    resources: [logGroupArn],
  })
}

/** Permits sending traces: X-Ray has no resources to name. */
function sendTraces(): PolicyStatement {
  return new PolicyStatement({
    actions: ["xray:PutTraceSegments", "xray:PutTelemetryRecords"],
    resources: ["*"],
  })
}
