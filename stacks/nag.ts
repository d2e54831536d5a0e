import { CfnResource, Stack, Validations } from "aws-cdk-lib"
import type { IConstruct } from "constructs"
import type { Acknowledgement } from "./acknowledgement.ts"
import { BACKUP_POLICIES } from "./backup.ts"
import type { StageConfig } from "./config.ts"
import { CODE_DEPLOY_POLICY } from "./constructs/canary.ts"
import { dashboardAcknowledgements } from "./nag-dashboard.ts"
import { relayAcknowledgements } from "./nag-relay.ts"
import { functionNames, functionPrefix, stackName } from "./names.ts"

/** The bucket of customers' code, as templates name its ARN in its own stack and in another. */
const CODE_ARN = "<Code5B760EEF.Arn>"
const CODE_ARN_EXPORT = "ExportsOutputFnGetAttCode5B760EEFArnE539BE15"

/** The bucket of sealed files, as templates of other stacks name its ARN. */
const FILES_ARN_EXPORT = "ExportsOutputFnGetAttFiles8E6940B8ArnD8EE6C03"

/** The table of the audit log, likewise. */
const AUDIT_TABLE_ARN_EXPORT = "ExportsOutputFnGetAttTablesaudit3BC6CFAFArn2ADA67E6"

/** Returns every finding of AwsSolutions and PCI DSS 3.2.1 that a stage's stacks have. */
export function acknowledgements(stage: StageConfig): readonly Acknowledgement[] {
  const { relay, dashboard } = stage
  return [
    {
      id: "AwsSolutions-APIG4",
      resourceType: "AWS::ApiGatewayV2::Route",
      reason:
        "Functions authenticate callers themselves, before they read a body: API keys and client-side tokens of several " +
        "kinds, which no API Gateway authorizer knows, refused with problem documents. An authorizer would be one more " +
        "function with access to credentials. Endpoints without authentication say so in their declaration.",
    },
    {
      id: "PCI.DSS.321-LambdaInsideVPC",
      resourceType: "AWS::Lambda::Function",
      reason:
        "Functions hold no network resource and take no connections. They reach AWS services only, by TLS and IAM, " +
        "whose policies name single tables and queues, one bucket, customers' functions and one key. The " +
        "webhook worker calls addresses on the internet: outside of a VPC it has no private network to be led into.",
    },
    ...hostedFunctions(stage),
    keysOfApps(stage),
    ...codeBucket(),
    ...fileBucket(stage),
    ...withoutResource(stage),
    ...(stage.backup === null ? [] : backupPolicies()),
    ...(stage.auditExport === null ? [] : auditExport(stage)),
    ...(stage.canary === null ? [] : [codeDeployPolicy()]),
    ...(dashboard === null ? [] : dashboardAcknowledgements(dashboard)),
    ...(relay === null ? [] : relayAcknowledgements(relay)),
  ]
}

/** Returns those about actions that cannot be limited to a resource. */
function withoutResource({ isTraced, relay }: StageConfig): readonly Acknowledgement[] {
  const reasons = [
    "Creating a key in KMS, and listing keys, cannot be limited to a resource. Keys are created with the stage's tags and " +
      "for key agreement only.",
    ...(isTraced ? ["Sending traces to X-Ray cannot be limited to a resource: it has none."] : []),
    ...(relay === null
      ? []
      : [
          "Logging in to ECR has no resource either: which images may be had says another statement, by name.",
        ]),
  ]
  const id = "AwsSolutions-IAM5[Resource::*]"
  return [{ id, resourceType: "AWS::IAM::ManagedPolicy", reason: reasons.join(" ") }]
}

/** Returns those about the Lambda functions that run customers' code, with their logs and source. */
function hostedFunctions(stage: StageConfig): readonly Acknowledgement[] {
  const names = functionNames(functionPrefix(stage))
  const of = (service: string) => `arn:aws:${service}:${stage.region}:<AWS::AccountId>`
  const reasons = [
    [
      `${of("lambda")}:function:${names}`,
      "Customers' functions are made while the service runs. Their names begin with what no other function's name of " +
        "the account begins with, and only the worker and the endpoint that runs a function may call them.",
    ],
    [
      `${of("logs")}:log-group:/aws/lambda/${names}`,
      "Log groups of customers' functions are made while the service runs. Nothing else of the account logs under these " +
        "names. A function can write to its own group only: the group's tag must name the function that calls.",
    ],
    ...[CODE_ARN, `${stackName(stage, "functions")}:${CODE_ARN_EXPORT}`].map((arn) => [
      `${arn}/*`,
      "Objects of the one bucket that holds nothing but the source of customers' functions, under random names.",
    ]),
  ]
  return reasons.map(([resource = "", reason = ""]) => ({
    id: `AwsSolutions-IAM5[Resource::${resource}]`,
    resourceType: "AWS::IAM::ManagedPolicy",
    reason,
  }))
}

/** Returns the one about the keys of apps in KMS. */
function keysOfApps({ region }: StageConfig): Acknowledgement {
  return {
    id: `AwsSolutions-IAM5[Resource::arn:aws:kms:${region}:<AWS::AccountId>:key/*]`,
    resourceType: "AWS::IAM::ManagedPolicy",
    reason:
      "Keys of apps are made while the service runs. Conditions admit only keys for key agreement with the stage's tags; " +
      "reading the tags of a key needs none.",
  }
}

function codeBucket(): readonly Acknowledgement[] {
  const where = { stack: "functions", resourceType: "AWS::S3::Bucket" }
  const logged =
    "Only the endpoint that deploys functions and the worker may use the bucket, each by grants of its own, and each " +
    "deployment is in the audit log with who made it. An access log would need a second bucket, and tell of these two only."
  return [
    { ...where, id: "AwsSolutions-S1", reason: logged },
    { ...where, id: "PCI.DSS.321-S3BucketLoggingEnabled", reason: logged },
    {
      ...where,
      id: "PCI.DSS.321-S3BucketReplicationEnabled",
      reason:
        "Code is a copy of what its owner has, and is read once, when it is deployed: what is deployed runs without it. " +
        "Versions protect it from being removed by mistake. It leaves the stage's region only with a backup that is copied.",
    },
  ]
}

function fileBucket(stage: StageConfig): readonly Acknowledgement[] {
  const where = { stack: "data", resourceType: "AWS::S3::Bucket" }
  const logged =
    "Files are sealed, and reached by presigned URLs that endpoints hand out for minutes: the access log and the audit log " +
    "say to whom. An access log of the bucket would tell addresses of clients, and not who they are."
  return [
    { ...where, id: "AwsSolutions-S1", reason: logged },
    { ...where, id: "PCI.DSS.321-S3BucketLoggingEnabled", reason: logged },
    {
      ...where,
      id: "PCI.DSS.321-S3BucketReplicationEnabled",
      reason:
        "S3 stores objects in several data centres, and versions protect files from being removed by mistake. They leave the " +
        "stage's region only with a backup that is copied (`backup` in stacks/config.ts).",
    },
    {
      id: `AwsSolutions-IAM5[Resource::${stackName(stage, "data")}:${FILES_ARN_EXPORT}/*]`,
      resourceType: "AWS::IAM::ManagedPolicy",
      reason: "Objects of the one bucket that holds nothing but sealed files, under their ids.",
    },
  ]
}

/** Returns those about the export of the audit log. */
function auditExport(stage: StageConfig): readonly Acknowledgement[] {
  const where = { stack: "audit-export", resourceType: "AWS::S3::Bucket" }
  const logged =
    "Only one function adds objects, by a policy of the bucket that denies it to everybody else, and nobody can change or " +
    "delete one: an access log would tell of readers only, as CloudTrail's data events do."
  const policy = { stack: "audit-export", resourceType: "AWS::IAM::ManagedPolicy" }
  return [
    { ...where, id: "AwsSolutions-S1", reason: logged },
    { ...where, id: "PCI.DSS.321-S3BucketLoggingEnabled", reason: logged },
    {
      ...where,
      id: "PCI.DSS.321-S3BucketReplicationEnabled",
      reason:
        "It is a copy of the table, which has backups of its own. A second copy elsewhere takes another bucket with Object Lock.",
    },
    {
      ...policy,
      id: "AwsSolutions-IAM5[Resource::<Records091F6ECA.Arn>/*]",
      reason: "Objects of the one bucket that holds nothing but exported audit records.",
    },
    {
      ...policy,
      id: `AwsSolutions-IAM5[Resource::${stackName(stage, "data")}:${AUDIT_TABLE_ARN_EXPORT}/stream/*]`,
      reason: "The list of streams of one table has no ARN of its own.",
    },
    {
      id: "AwsSolutions-SQS3",
      stack: "audit-export",
      resourceType: "AWS::SQS::Queue",
      reason: "It is itself where Lambda puts what it gave up, which cdk-nag sees only of queues.",
    },
  ]
}

/** Returns those about the role of AWS Backup. */
function backupPolicies(): readonly Acknowledgement[] {
  return BACKUP_POLICIES.map((name) => ({
    id: `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${name}]`,
    stack: "backup",
    resourceType: "AWS::IAM::Role",
    reason:
      "AWS Backup documents these two policies as what its role must have, and extends them with its own calls. Only the " +
      "service can assume the role, and the plan names the tables and buckets.",
  }))
}

/** Returns the one about the roles of CodeDeploy. */
function codeDeployPolicy(): Acknowledgement {
  return {
    id: `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${CODE_DEPLOY_POLICY}]`,
    stack: "endpoints-core",
    resourceType: "AWS::IAM::Role",
    reason:
      "CodeDeploy documents this policy as what its role must have for Lambda. Only the service can assume the role: it changes " +
      "aliases and reads alarms, and reads no data.",
  }
}

/** Marks the resources below a construct with the acknowledgements that apply to them. */
export function acknowledgeFindings(
  root: IConstruct,
  stage: StageConfig,
  acknowledged: readonly Acknowledgement[],
): void {
  for (const construct of root.node.findAll()) {
    if (!CfnResource.isCfnResource(construct)) continue
    for (const { id, reason, stack, resourceType } of acknowledged) {
      const isThere = stack === undefined || Stack.of(construct).stackName === stackName(stage, stack)
      const applies = isThere && construct.cfnResourceType === resourceType
      if (applies) Validations.of(construct).acknowledge({ id, reason })
    }
  }
}
