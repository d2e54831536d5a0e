import { metricsNamespace } from "@sealway/records"
import { Duration } from "aws-cdk-lib"
import { type Alarm, MathExpression, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch"
import { CfnApplication, CfnDeploymentConfig, CfnDeploymentGroup } from "aws-cdk-lib/aws-codedeploy"
import { ManagedPolicy, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam"
import type { CfnAlias, Function as LambdaFunction } from "aws-cdk-lib/aws-lambda"
import { FilterPattern, type ILogGroup, MetricFilter } from "aws-cdk-lib/aws-logs"
import { Construct } from "constructs"
import type { StageCanary, StageConfig } from "../config.ts"
import { raiseAlarm } from "./alarm.ts"

/** AWS's own policy for the role by which CodeDeploy changes aliases. */
export const CODE_DEPLOY_POLICY = "service-role/AWSCodeDeployRoleForLambdaLimited"

/** So many failures in a minute end a deployment: one may have another reason. */
const FAILURES = 3
const PERIOD = Duration.minutes(1)
/** The least status that is the service's own fault, as handlers log it. */
const FAILURE_STATUS = 500

export interface CanaryProps {
  readonly stage: StageConfig
  readonly canary: StageCanary
  readonly functionName: string
  readonly function: LambdaFunction
  readonly logGroup: ILogGroup
  /** What callers call. */
  readonly alias: CfnAlias
}

/**
 * Has CodeDeploy give a new version of a function a part of its calls first, and all of them some minutes later. When the
 * function fails meanwhile, all calls go to the old version again, and CloudFormation rolls the stack back.
 */
export class Canary extends Construct {
  constructor(scope: Construct, id: string, props: CanaryProps) {
    super(scope, id)
    const { percent, minutes } = props.canary
    const config = new CfnDeploymentConfig(this, "Config", {
      computePlatform: "Lambda",
      trafficRoutingConfig: {
        type: "TimeBasedCanary",
        timeBasedCanary: { canaryPercentage: percent, canaryInterval: minutes },
      },
    })
    const role = new Role(this, "Role", {
      description: `Lets CodeDeploy change the alias of ${props.functionName}`,
      assumedBy: new ServicePrincipal("codedeploy.amazonaws.com"),
      managedPolicies: [ManagedPolicy.fromAwsManagedPolicyName(CODE_DEPLOY_POLICY)],
    })
    const application = new CfnApplication(this, "Application", { computePlatform: "Lambda" })
    const group = new CfnDeploymentGroup(this, "Group", {
      applicationName: application.ref,
      serviceRoleArn: role.roleArn,
      deploymentConfigName: config.ref,
      deploymentStyle: { deploymentType: "BLUE_GREEN", deploymentOption: "WITH_TRAFFIC_CONTROL" },
      alarmConfiguration: { enabled: true, alarms: [{ name: this.#watch(props).alarmName }] },
      autoRollbackConfiguration: {
        enabled: true,
        events: ["DEPLOYMENT_FAILURE", "DEPLOYMENT_STOP_ON_ALARM", "DEPLOYMENT_STOP_ON_REQUEST"],
      },
    })
    props.alias.cfnOptions.updatePolicy = {
      codeDeployLambdaAliasUpdate: { applicationName: application.ref, deploymentGroupName: group.ref },
    }
  }

  /** Counts calls that end with an error or with a 5xx. The alarm is for CodeDeploy and notifies nobody. */
  #watch({ stage, functionName, function: lambda, logGroup }: CanaryProps): Alarm {
    const metric = { metricNamespace: metricsNamespace(stage.stage), metricName: `Failures ${functionName}` }
    new MetricFilter(this, "Failures", {
      ...metric,
      logGroup,
      filterPattern: FilterPattern.numberValue("$.status", ">=", FAILURE_STATUS),
    })
    return raiseAlarm(this, "Alarm", {
      metric: new MathExpression({
        expression: "SUM([errors, failures])",
        label: "Errors and 5xx",
        period: PERIOD,
        usingMetrics: {
          errors: lambda.metricErrors({ period: PERIOD }),
          failures: new Metric({
            namespace: metric.metricNamespace,
            metricName: metric.metricName,
            statistic: Stats.SUM,
            period: PERIOD,
          }),
        },
      }),
      description: `A new version of ${functionName} fails, or the old one does`,
      threshold: FAILURES,
    })
  }
}
