import { Duration, RemovalPolicy, Stack, type StackProps } from "aws-cdk-lib"
import {
  BackupPlan,
  type BackupPlanCopyActionProps,
  BackupPlanRule,
  BackupResource,
  BackupVault,
} from "aws-cdk-lib/aws-backup"
import { Schedule } from "aws-cdk-lib/aws-events"
import { ManagedPolicy, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam"
import type { Bucket } from "aws-cdk-lib/aws-s3"
import type { Construct } from "constructs"
import type { StageBackup } from "./config.ts"
import { stackName } from "./names.ts"
import type { BaseResources } from "./stage-resources.ts"

/** The policies of AWS for the role that makes backups, of tables and of buckets. */
export const BACKUP_POLICIES = [
  "service-role/AWSBackupServiceRolePolicyForBackup",
  "AWSBackupServiceRolePolicyForS3Backup",
] as const

/** At night in Europe and America. */
const EVERY_DAY = Schedule.cron({ hour: "4", minute: "0" })

export interface BackupStackProps extends StackProps {
  readonly backup: StageBackup
  readonly resources: BaseResources
  readonly codeBucket: Bucket
}

/**
 * Backs up the tables and buckets of a stage every day, besides the point-in-time recovery of the tables and the older
 * versions in the buckets. Nobody can delete a backup from its vault before its time. The vault stays when the stack goes.
 */
export class BackupStack extends Stack {
  constructor(scope: Construct, id: string, { backup, resources, codeBucket, ...props }: BackupStackProps) {
    super(scope, id, props)
    const { stage, storageKey, tables, fileBucket } = resources
    const { copyToVaultArn } = backup
    const deleteAfter = Duration.days(backup.retentionDays)
    const vault = new BackupVault(this, "Vault", {
      backupVaultName: stackName(stage, "backup"),
      encryptionKey: storageKey,
      blockRecoveryPointDeletion: true,
      removalPolicy: RemovalPolicy.RETAIN,
    })
    const copies: BackupPlanCopyActionProps[] =
      copyToVaultArn === null
        ? []
        : [
            {
              destinationBackupVault: BackupVault.fromBackupVaultArn(this, "CopyVault", copyToVaultArn),
              deleteAfter,
            },
          ]
    const plan = new BackupPlan(this, "Plan", {
      backupVault: vault,
      backupPlanRules: [
        new BackupPlanRule({
          ruleName: "Daily",
          scheduleExpression: EVERY_DAY,
          deleteAfter,
          copyActions: copies,
        }),
      ],
    })
    const role = new Role(this, "Role", {
      description: `Backs up the stage ${stage.stage}`,
      assumedBy: new ServicePrincipal("backup.amazonaws.com", {
        conditions: { StringEquals: { "aws:SourceAccount": this.account } },
      }),
      managedPolicies: BACKUP_POLICIES.map((name) => ManagedPolicy.fromAwsManagedPolicyName(name)),
    })
    plan.addSelection("Data", {
      role: role.withoutPolicyUpdates(),
      disableDefaultBackupPolicy: true,
      resources: [
        ...[...tables.values()].map(({ tableArn }) => tableArn),
        ...[fileBucket, codeBucket].map(({ bucketArn }) => bucketArn),
      ].map((arn) => BackupResource.fromArn(arn)),
    })
  }
}
