import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Duration, SecretValue, Token } from "aws-cdk-lib"
import { CfnCustomResource } from "aws-cdk-lib/aws-cloudformation"
import { ManagedPolicy, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam"
import { Architecture, Code, Function as LambdaFunction, Runtime } from "aws-cdk-lib/aws-lambda"
import { LogGroup } from "aws-cdk-lib/aws-logs"
import { CfnSecret } from "aws-cdk-lib/aws-secretsmanager"
import { Construct } from "constructs"
import { PROJECT_ROOT } from "../bundles/project-root.ts"
import { removalPolicyOf } from "../removal.ts"
import type { BaseResources } from "../stage-resources.ts"
import { writeLogs } from "./service-function.ts"

const TIMEOUT = Duration.seconds(30)
/** CloudFormation waits so long for an answer, instead of an hour. */
const ANSWER_TIMEOUT = Duration.minutes(2)

/**
 * The secret that CloudFront shows to the API. Only CloudFront gets it: functions get its hash, so that nobody who reads
 * their environment can send it. CloudFormation has no hash of its own, so a function makes it.
 */
export class OriginSecret extends Construct {
  /** A reference that CloudFormation resolves when it deploys: the value is in no template. */
  readonly reference: string
  /** Hexadecimal. */
  readonly sha256: string

  constructor(scope: Construct, id: string, { stage, storageKey }: BaseResources) {
    super(scope, id)
    const secret = new CfnSecret(this, "Secret", {
      description: `What CloudFront shows to the API of the stage ${stage.stage}`,
      kmsKeyId: storageKey.keyArn,
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
    })
    secret.applyRemovalPolicy(removalPolicyOf(stage))
    this.reference = SecretValue.secretsManager(secret.ref).unsafeUnwrap()

    const logGroup = new LogGroup(this, "Logs", {
      encryptionKey: storageKey,
      retention: stage.logRetentionDays,
      removalPolicy: removalPolicyOf(stage),
    })
    const role = new Role(this, "Role", {
      description: "Role of the function that hashes the origin secret",
      assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
    })
    const policy = new ManagedPolicy(this, "Policy", {
      description: "What the function that hashes the origin secret may do",
      roles: [role],
      statements: [writeLogs(logGroup)],
    })
    const hasher = new LambdaFunction(this, "Hasher", {
      description: "Tell CloudFormation the hash of the origin secret",
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: Code.fromInline(
        readFileSync(join(PROJECT_ROOT, "stacks", "dashboard-edge", "hash-secret.js"), "utf8"),
      ),
      handler: "index.handler",
      role: role.withoutPolicyUpdates(),
      logGroup,
      timeout: TIMEOUT,
    })
    hasher.node.addDependency(policy)
    const hash = new CfnCustomResource(this, "Hash", {
      serviceToken: hasher.functionArn,
      serviceTimeout: ANSWER_TIMEOUT.toSeconds(),
    })
    hash.addPropertyOverride("Secret", this.reference)
    this.sha256 = Token.asString(hash.getAtt("Sha256"))
  }
}
