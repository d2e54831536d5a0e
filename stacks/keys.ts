import { KEY_PARTS, type KeyPart, PARTS_WITHIN } from "@sealway/ports"
import { ArnFormat, CfnOutput, Duration, Stack, type StackProps } from "aws-cdk-lib"
import {
  AccountRootPrincipal,
  Effect,
  PolicyDocument,
  PolicyStatement,
  ServicePrincipal,
} from "aws-cdk-lib/aws-iam"
import { type IKey, Key } from "aws-cdk-lib/aws-kms"
import type { Construct } from "constructs"
import type { StageConfig } from "./config.ts"
import { exportForGood } from "./exports.ts"
import { functionLogArns } from "./hosted-functions.ts"
import { functionPrefix, roleName, stackName } from "./names.ts"
import { removalPolicyOf } from "./removal.ts"

export interface KeysStackProps extends StackProps {
  readonly stage: StageConfig
  /** Names of the functions that may open parts of key versions, by the largest part. */
  readonly opening: Readonly<Record<KeyPart, readonly string[]>>
  /** Names of what stores the relays' certificate authority, in the spelling of their roles. */
  readonly keepingAuthority: readonly string[]
}

/**
 * Matches calls whose encryption context is a team, an app and a version, perhaps a part, and nothing else: the keyring
 * (packages/service/keys) binds every key version to these. `ForAllValues` alone would also match a call without any
 * context.
 */
export const KEY_VERSION_CONTEXT = {
  "ForAllValues:StringEquals": { "kms:EncryptionContextKeys": ["team", "app", "version", "part"] },
  Null: {
    "kms:EncryptionContext:team": "false",
    "kms:EncryptionContext:app": "false",
    "kms:EncryptionContext:version": "false",
  },
} as const

/**
 * Matches those about a part of a key version and the parts within it. The context of a private part names no part, so
 * that it matches only a condition that does not ask for one.
 */
export function keyPartContext(part: KeyPart): Record<string, Record<string, string | readonly string[]>> {
  if (part === "private") return KEY_VERSION_CONTEXT
  return { ...KEY_VERSION_CONTEXT, StringEquals: { "kms:EncryptionContext:part": [...PARTS_WITHIN[part]] } }
}

/** Matches calls about the relays' certificate authority (packages/service/relay), which belongs to no app. */
export const RELAY_AUTHORITY_CONTEXT = {
  "ForAllValues:StringEquals": { "kms:EncryptionContextKeys": ["purpose"] },
  StringEquals: { "kms:EncryptionContext:purpose": "relay-authority" },
} as const

/**
 * Permissions to manage a key without using it. The account's root means the account: IAM decides who in it may.
 * Without such a statement nobody could change or delete a key, not even CloudFormation.
 */
const ADMINISTRATION = [
  "kms:CancelKeyDeletion",
  "kms:DescribeKey",
  "kms:DisableKey",
  "kms:DisableKeyRotation",
  "kms:EnableKey",
  "kms:EnableKeyRotation",
  "kms:GetKeyPolicy",
  "kms:GetKeyRotationStatus",
  "kms:ListGrants",
  "kms:ListKeyPolicies",
  "kms:ListKeyRotations",
  "kms:ListResourceTags",
  "kms:PutKeyPolicy",
  "kms:ReplicateKey",
  "kms:RevokeGrant",
  "kms:RotateKeyOnDemand",
  "kms:ScheduleKeyDeletion",
  "kms:TagResource",
  "kms:UntagResource",
  "kms:UpdateAlias",
  "kms:CreateAlias",
  "kms:DeleteAlias",
  "kms:UpdateKeyDescription",
]

/** The permissions that a service needs to encrypt with a key, as AWS documents them. */
const SERVICE_USE = [
  "kms:Decrypt",
  "kms:DescribeKey",
  "kms:Encrypt",
  "kms:GenerateDataKey*",
  "kms:ReEncrypt*",
]

/** How long an unprotected stage's key can be restored after its deletion; KMS allows no shorter time. */
const PENDING_WINDOW = Duration.days(7)

/** The stage's key, which opens the apps' keys, and the key that encrypts everything at rest. */
export class KeysStack extends Stack {
  /** Encrypts key versions of apps and the key of the relays' certificate authority, and nothing else. */
  readonly stageKey: IKey
  /** Encrypts tables, queues, code, logs and alarms. */
  readonly storageKey: IKey

  constructor(scope: Construct, id: string, { stage, opening, keepingAuthority, ...props }: KeysStackProps) {
    super(scope, id, props)
    const rolesOf = (functionNames: readonly string[]) =>
      functionNames
        .map((name) => roleName(stage, name))
        .sort()
        .map((resourceName) => this.formatArn({ service: "iam", region: "", resource: "role", resourceName }))
    const create = (name: string, alias: string, description: string, statements: PolicyStatement[]) =>
      new Key(this, name, {
        alias,
        description,
        enableKeyRotation: true,
        // It cannot become one later: everything would have to be sealed again to open it in another region.
        multiRegion: true,
        pendingWindow: PENDING_WINDOW,
        removalPolicy: removalPolicyOf(stage),
        policy: new PolicyDocument({ statements: [administration(), ...statements] }),
      })

    const prefix = stackName(stage, "")
    this.stageKey = create(
      "StageKey",
      prefix.slice(0, -1),
      `Opens the keys of apps of the stage ${stage.stage}`,
      [
        ...KEY_PARTS.flatMap((part) => openKeyParts(part, rolesOf(opening[part]))),
        sealKeyVersions(),
        ...keepRelayAuthority(rolesOf(keepingAuthority)),
      ],
    )
    this.storageKey = create("StorageKey", `${prefix}storage`, `Data at rest of the stage ${stage.stage}`, [
      this.#useThroughStores(stage),
      this.#useByLogs(stage),
      this.#useByAlarms(),
      this.#useByRules(stage),
    ])
    exportForGood(this, this.stageKey.keyArn, this.storageKey.keyArn)
    new CfnOutput(this, "KmsKey", { value: this.stageKey.keyArn, description: "ARN of the stage's key" })
  }

  /**
   * Admits DynamoDB, SQS, S3, Secrets Manager and AWS Backup, which call KMS as their callers: for principals that IAM lets use
   * this key, and only through these services.
   */
  #useThroughStores({ relay, dashboard, backup }: StageConfig): PolicyStatement {
    const hasSecret = relay !== null || dashboard !== null
    const stores = [
      ...["dynamodb", "s3", "sqs"],
      ...(hasSecret ? ["secretsmanager"] : []),
      ...(backup === null ? [] : ["backup"]),
    ]
    return new PolicyStatement({
      sid: "UseThroughStores",
      effect: Effect.ALLOW,
      principals: [new AccountRootPrincipal()],
      actions: [...SERVICE_USE, "kms:CreateGrant"],
      resources: ["*"],
      conditions: {
        StringEquals: {
          "kms:ViaService": stores.map((service) => `${service}.${this.region}.amazonaws.com`),
        },
      },
    })
  }

  /** Admits log groups of the stacks, which are named by their stack, and of customers' functions. */
  #useByLogs(stage: StageConfig): PolicyStatement {
    const groupsOfStacks = this.formatArn({
      service: "logs",
      resource: "log-group",
      resourceName: stackName(stage, "*"),
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    })
    const groups = [groupsOfStacks, functionLogArns(this, functionPrefix(stage))]
    return new PolicyStatement({
      sid: "EncryptLogs",
      effect: Effect.ALLOW,
      principals: [new ServicePrincipal(`logs.${this.region}.amazonaws.com`)],
      actions: SERVICE_USE,
      resources: ["*"],
      conditions: { ArnLike: { "kms:EncryptionContext:aws:logs:arn": groups } },
    })
  }

  #useByAlarms(): PolicyStatement {
    return new PolicyStatement({
      sid: "SendAlarms",
      effect: Effect.ALLOW,
      principals: [new ServicePrincipal("cloudwatch.amazonaws.com")],
      actions: ["kms:Decrypt", "kms:GenerateDataKey*"],
      resources: ["*"],
      conditions: { StringEquals: { "aws:SourceAccount": this.account } },
    })
  }

  /** Admits rules of EventBridge, for messages to topics of this stage: they name neither account nor rule to KMS. */
  #useByRules(stage: StageConfig): PolicyStatement {
    const topics = this.formatArn({ service: "sns", resource: stackName(stage, "*") })
    return new PolicyStatement({
      sid: "SendChanges",
      effect: Effect.ALLOW,
      principals: [new ServicePrincipal("events.amazonaws.com")],
      actions: ["kms:Decrypt", "kms:GenerateDataKey*"],
      resources: ["*"],
      conditions: { ArnLike: { "kms:EncryptionContext:aws:sns:topicArn": topics } },
    })
  }
}

function administration(): PolicyStatement {
  return new PolicyStatement({
    sid: "Administer",
    effect: Effect.ALLOW,
    principals: [new AccountRootPrincipal()],
    actions: ADMINISTRATION,
    // In a key policy this is the key itself.
    resources: ["*"],
  })
}

/** Names in the policy, which must be letters. */
const OPENING_STATEMENTS = {
  public: "OpenPublicParts",
  value: "OpenValueParts",
  secret: "OpenSecretParts",
  private: "OpenKeyVersions",
} as const satisfies Record<KeyPart, string>

/**
 * Lets roles open a part of key versions, and the parts within it. They are a condition and not the principals: a
 * principal must exist before it can be named, and one that is created again is another. IAM must allow the same, see
 * `grant-statements.ts`.
 */
function openKeyParts(part: KeyPart, roleArns: readonly string[]): readonly PolicyStatement[] {
  if (roleArns.length === 0) return []
  return [
    new PolicyStatement({
      sid: OPENING_STATEMENTS[part],
      effect: Effect.ALLOW,
      principals: [new AccountRootPrincipal()],
      actions: ["kms:Decrypt"],
      resources: ["*"],
      conditions: { ArnEquals: { "aws:PrincipalArn": [...roleArns] }, ...keyPartContext(part) },
    }),
  ]
}

/**
 * Lets all that IAM allows it encrypt key versions: functions that create apps or rotate keys, and an operator who
 * creates the first team and app from outside (`sealway bootstrap`). It opens nothing. An app can use a key version
 * only when it is in the config table, and whoever writes there could put an API key of their own into it.
 */
function sealKeyVersions(): PolicyStatement {
  return new PolicyStatement({
    sid: "SealKeyVersions",
    effect: Effect.ALLOW,
    principals: [new AccountRootPrincipal()],
    actions: ["kms:Encrypt"],
    resources: ["*"],
    conditions: KEY_VERSION_CONTEXT,
  })
}

/** Lets roles seal and open the key of the relays' certificate authority; nobody else can do either. */
function keepRelayAuthority(roleArns: readonly string[]): readonly PolicyStatement[] {
  if (roleArns.length === 0) return []
  return [
    new PolicyStatement({
      sid: "KeepRelayAuthority",
      effect: Effect.ALLOW,
      principals: [new AccountRootPrincipal()],
      actions: ["kms:Decrypt", "kms:Encrypt"],
      resources: ["*"],
      conditions: { ArnEquals: { "aws:PrincipalArn": [...roleArns] }, ...RELAY_AUTHORITY_CONTEXT },
    }),
  ]
}
