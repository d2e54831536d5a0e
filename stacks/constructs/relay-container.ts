import type { Grant } from "@sealway/ports"
import { Duration, Size, Stack } from "aws-cdk-lib"
import { type SecurityGroup, SubnetType } from "aws-cdk-lib/aws-ec2"
import { type IRepository, Repository } from "aws-cdk-lib/aws-ecr"
import {
  AwsLogDriverMode,
  ContainerImage,
  CpuArchitecture,
  FargatePlatformVersion,
  FargateService,
  FargateTaskDefinition,
  type ICluster,
  LogDrivers,
  OperatingSystemFamily,
  Secret,
} from "aws-cdk-lib/aws-ecs"
import { ManagedPolicy, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam"
import { type ILogGroup, LogGroup } from "aws-cdk-lib/aws-logs"
import { Secret as StoredSecret } from "aws-cdk-lib/aws-secretsmanager"
import { Construct } from "constructs"
import { type EcrImage, parseImage, type StageRelay } from "../config.ts"
import { apiEnvironment, functionEnvironment, relayEnvironment } from "../function-environment.ts"
import { grantStatements } from "../grant-statements.ts"
import { RELAY_AUTHORITY_CONTEXT } from "../keys.ts"
import { countKmsErrors } from "../kms-errors.ts"
import { RELAY_CONTAINER, roleName, stackName } from "../names.ts"
import { removalPolicyOf } from "../removal.ts"
import type { StageResources } from "../stage-resources.ts"

/** The ports of the container. */
export const CONTAINER_PORTS = { proxy: 7402, strictProxy: 7403, origin: 7443, health: 7480 } as const

/** The size of each. */
export const CONTAINER_SIZE = { processors: 1, memoryMib: 2_048 } as const

const CPU_UNITS_PER_PROCESSOR = 1_024
/** Lines that wait while the log cannot be written; later ones are lost, access records among them. */
const LOG_BUFFER = Size.mebibytes(25)
const BUSY_PERCENT = 60
/** Fargate's maximum. The container stops when its exchanges have ended. */
const STOP_TIMEOUT = Duration.seconds(120)
const START_PERIOD = Duration.seconds(30)
const HEALTH_CHECK = `fetch("http://127.0.0.1:${CONTAINER_PORTS.health}/health").then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))`

export interface RelayContainerProps {
  readonly relay: StageRelay
  readonly resources: StageResources
  readonly grants: readonly Grant[]
  readonly originSecretArn: string
  readonly routingEndpoint: string
  readonly cluster: ICluster
  readonly securityGroup: SecurityGroup
}

/** The containers of relays: their service, which adds more under load, their roles and their log. */
export class RelayContainer extends Construct {
  static readonly NAME = "relay"
  readonly service: FargateService
  readonly logGroup: ILogGroup

  constructor(scope: Construct, id: string, props: RelayContainerProps) {
    super(scope, id)
    const { relay, resources, cluster, securityGroup } = props
    const { tagOrDigest, ...where } = parseImage(relay.image)
    const repository = this.#repository(where)
    const log = new LogGroup(this, "Logs", {
      encryptionKey: resources.storageKey,
      retention: resources.stage.logRetentionDays,
      removalPolicy: removalPolicyOf(resources.stage),
    })
    this.logGroup = log
    countKmsErrors(this, log, resources.stage)
    const task = new FargateTaskDefinition(this, "Task", {
      family: stackName(resources.stage, RELAY_CONTAINER),
      cpu: CONTAINER_SIZE.processors * CPU_UNITS_PER_PROCESSOR,
      memoryLimitMiB: CONTAINER_SIZE.memoryMib,
      runtimePlatform: {
        cpuArchitecture: CpuArchitecture.ARM64,
        operatingSystemFamily: OperatingSystemFamily.LINUX,
      },
      taskRole: this.#taskRole(props).withoutPolicyUpdates(),
      executionRole: this.#executionRole(props, repository, log).withoutPolicyUpdates(),
    })
    const secret = StoredSecret.fromSecretCompleteArn(this, "OriginSecret", props.originSecretArn)
    task.addContainer(RelayContainer.NAME, {
      image: ContainerImage.fromEcrRepository(repository, tagOrDigest),
      environment: {
        ...functionEnvironment(props.grants, resources),
        ...apiEnvironment(resources),
        ...relayEnvironment(relay, props.routingEndpoint),
        AWS_REGION: resources.stage.region,
        SEALWAY_HOSTING: "container",
        SEALWAY_RELAY_PROXY_PORT: String(CONTAINER_PORTS.proxy),
        SEALWAY_RELAY_STRICT_PROXY_PORT: String(CONTAINER_PORTS.strictProxy),
        SEALWAY_RELAY_ORIGIN_PORT: String(CONTAINER_PORTS.origin),
        SEALWAY_RELAY_HEALTH_PORT: String(CONTAINER_PORTS.health),
        SEALWAY_RELAY_WORKERS: String(CONTAINER_SIZE.processors),
      },
      secrets: { SEALWAY_RELAY_ORIGIN_SECRET: Secret.fromSecretsManager(secret) },
      portMappings: Object.values(CONTAINER_PORTS).map((containerPort) => ({ containerPort })),
      readonlyRootFilesystem: true,
      logging: LogDrivers.awsLogs({
        logGroup: log,
        streamPrefix: RelayContainer.NAME,
        // A program that waited for its log would stop passing on requests while the log cannot be written.
        mode: AwsLogDriverMode.NON_BLOCKING,
        maxBufferSize: LOG_BUFFER,
      }),
      healthCheck: { command: ["CMD", "node", "-e", HEALTH_CHECK], startPeriod: START_PERIOD },
      stopTimeout: STOP_TIMEOUT,
    })
    this.service = new FargateService(this, "Service", {
      cluster,
      taskDefinition: task,
      platformVersion: FargatePlatformVersion.LATEST,
      desiredCount: relay.minContainers,
      minHealthyPercent: 100,
      maxHealthyPercent: 200,
      circuitBreaker: { enable: true, rollback: true },
      enableExecuteCommand: false,
      assignPublicIp: false,
      securityGroups: [securityGroup],
      vpcSubnets: { subnetType: SubnetType.PRIVATE_WITH_EGRESS },
    })
    this.service
      .autoScaleTaskCount({ minCapacity: relay.minContainers, maxCapacity: relay.maxContainers })
      .scaleOnCpuUtilization("Busy", { targetUtilizationPercent: BUSY_PERCENT })
  }

  /**
   * Creates the role of the program: it may do what the relay function may, and store the authority of forward proxies'
   * certificates.
   */
  #taskRole({ resources, grants }: RelayContainerProps): Role {
    const role = new Role(this, "TaskRole", {
      roleName: roleName(resources.stage, RELAY_CONTAINER),
      description: "Role of the relays' containers",
      assumedBy: this.#tasksOfThisAccount(),
    })
    new ManagedPolicy(this, "TaskPolicy", {
      description: "What the relays' containers may do",
      roles: [role],
      statements: [
        ...grantStatements(grants, resources),
        new PolicyStatement({
          actions: ["kms:Decrypt", "kms:Encrypt"],
          resources: [resources.stageKey.keyArn],
          conditions: RELAY_AUTHORITY_CONTEXT,
        }),
      ],
    })
    return role
  }

  #repository({ account, region, repository }: Omit<EcrImage, "tagOrDigest">): IRepository {
    const repositoryArn = `arn:aws:ecr:${region}:${account}:repository/${repository}`
    return Repository.fromRepositoryAttributes(this, "Images", { repositoryArn, repositoryName: repository })
  }

  /** Creates the role that starts the program: it gets the image and secret, and writes the program's output. */
  #executionRole(
    { resources, originSecretArn }: RelayContainerProps,
    { repositoryArn }: IRepository,
    log: ILogGroup,
  ): Role {
    const role = new Role(this, "ExecutionRole", {
      description: "Starts the containers of the relays",
      assumedBy: this.#tasksOfThisAccount(),
    })
    const viaSecrets = `secretsmanager.${Stack.of(this).region}.amazonaws.com`
    new ManagedPolicy(this, "ExecutionPolicy", {
      description: "What starting the containers of the relays takes",
      roles: [role],
      statements: [
        new PolicyStatement({ actions: ["ecr:GetAuthorizationToken"], resources: ["*"] }),
        new PolicyStatement({
          actions: ["ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"],
          resources: [repositoryArn],
        }),
        new PolicyStatement({
          actions: ["logs:CreateLogStream", "logs:PutLogEvents"],
          resources: [log.logGroupArn],
        }),
        new PolicyStatement({ actions: ["secretsmanager:GetSecretValue"], resources: [originSecretArn] }),
        new PolicyStatement({
          actions: ["kms:Decrypt"],
          resources: [resources.storageKey.keyArn],
          conditions: { StringEquals: { "kms:ViaService": viaSecrets } },
        }),
      ],
    })
    return role
  }

  #tasksOfThisAccount(): ServicePrincipal {
    return new ServicePrincipal("ecs-tasks.amazonaws.com", {
      conditions: { StringEquals: { "aws:SourceAccount": Stack.of(this).account } },
    })
  }
}
