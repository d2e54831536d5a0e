import { RELAY_SERVING_GRANTS } from "@sealway/relay-proxy/lambda"
import { CfnOutput, Duration, Stack, type StackProps } from "aws-cdk-lib"
import { MathExpression, Metric, Stats } from "aws-cdk-lib/aws-cloudwatch"
import {
  FlowLogDestination,
  GatewayVpcEndpointAwsService,
  IpAddresses,
  type IVpc,
  Peer,
  Port,
  SecurityGroup,
  SubnetType,
  Vpc,
} from "aws-cdk-lib/aws-ec2"
import { Cluster, ContainerInsights, type FargateService, type ICluster } from "aws-cdk-lib/aws-ecs"
import {
  ListenerCertificate,
  NetworkLoadBalancer,
  NetworkTargetGroup,
  Protocol,
  SslPolicy,
  TargetType,
} from "aws-cdk-lib/aws-elasticloadbalancingv2"
import { type IRole, ManagedPolicy, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam"
import { type ILogGroup, LogGroup } from "aws-cdk-lib/aws-logs"
import type { Construct } from "constructs"
import { type AccessLogSource, accessLogOf } from "./access-log-source.ts"
import type { StageRelay } from "./config.ts"
import { notifyOfAlarms, raiseAlarm } from "./constructs/alarm.ts"
import { CONTAINER_PORTS, RelayContainer } from "./constructs/relay-container.ts"
import { nameInDns } from "./dns.ts"
import { RELAY_CONTAINER } from "./names.ts"
import { CONTAINER_ORIGIN_PORT, originNameOf } from "./relay.ts"
import { removalPolicyOf } from "./removal.ts"
import type { StageResources } from "./stage-resources.ts"

/** The port for clients of the forward proxy. */
const PROXY_PORT = 443
/**
 * The port for clients that wait to be challenged for credentials and speak no TLS to a proxy, such as the JDK's
 * client. Others may use `strict.<domain>` on `PROXY_PORT`: the container knows them by that name.
 */
const STRICT_PROXY_PORT = 3128
const CIDR = "10.0.0.0/16"
const AVAILABILITY_ZONES = 2
/** Longer than an exchange with a destination may take. */
const DRAIN = Duration.seconds(130)
export const HEALTH_INTERVAL = Duration.seconds(10)
const ALARM_PERIOD = Duration.minutes(5)

export interface EgressStackProps extends StackProps {
  readonly relay: StageRelay
  readonly resources: StageResources
  readonly originSecretArn: string
  readonly routingEndpoint: string
}

/**
 * The container: forward proxies, which cannot use CloudFront, and what is too large for a Lambda. It is in private
 * subnets of two availability zones, behind a network load balancer, and uses NAT gateways for outgoing connections,
 * whose addresses destinations may admit.
 */
export class EgressStack extends Stack {
  readonly accessLog: AccessLogSource
  readonly #resources: StageResources
  readonly #relay: StageRelay

  constructor(scope: Construct, id: string, { relay, resources, ...props }: EgressStackProps) {
    const { originSecretArn, routingEndpoint, ...stackProps } = props
    super(scope, id, stackProps)
    this.#resources = resources
    this.#relay = relay
    const vpc = this.#createNetwork()
    const balancerGroup = this.#group("BalancerGroup", vpc, "Clients of the relays, and CloudFront")
    const containerGroup = this.#group("ContainerGroup", vpc, "Containers of the relays")
    this.#admit(balancerGroup, containerGroup)
    const balancer = new NetworkLoadBalancer(this, "Balancer", {
      vpc,
      internetFacing: true,
      crossZoneEnabled: true,
      deletionProtection: resources.stage.isProtected,
      securityGroups: [balancerGroup],
      vpcSubnets: { subnetType: SubnetType.PUBLIC },
    })
    const { service, logGroup } = new RelayContainer(this, "Container", {
      relay,
      resources,
      grants: RELAY_SERVING_GRANTS,
      originSecretArn,
      routingEndpoint,
      cluster: this.#createCluster(vpc),
      securityGroup: containerGroup,
    })
    this.accessLog = accessLogOf(this, RELAY_CONTAINER, logGroup)
    this.#listen(vpc, balancer, service)
    this.#nameBalancer(balancer.loadBalancerDnsName)
  }

  #createCluster(vpc: IVpc): ICluster {
    // As with `assemblySynthesizer`, the cast changes nothing: the CDK's types do not distinguish an absent property
    // from an undefined one.
    return new Cluster(this, "Cluster", { vpc, containerInsightsV2: ContainerInsights.ENABLED }) as ICluster
  }

  #createNetwork(): IVpc {
    const { natGateways } = this.#relay
    const vpc = new Vpc(this, "Network", {
      ipAddresses: IpAddresses.cidr(CIDR),
      maxAzs: AVAILABILITY_ZONES,
      natGateways,
      // Nothing uses it: resources in the network name their own groups.
      restrictDefaultSecurityGroup: false,
      subnetConfiguration: [
        { name: "Public", subnetType: SubnetType.PUBLIC, mapPublicIpOnLaunch: false },
        { name: "Private", subnetType: SubnetType.PRIVATE_WITH_EGRESS },
      ],
      // Traffic to these then costs nothing, and does not leave AWS. The image's layers come from S3.
      gatewayEndpoints: {
        Tables: { service: GatewayVpcEndpointAwsService.DYNAMODB },
        Layers: { service: GatewayVpcEndpointAwsService.S3 },
      },
    })
    const log = this.#logGroup("FlowLog")
    vpc.addFlowLog("Flows", { destination: FlowLogDestination.toCloudWatchLogs(log, this.#flowRole(log)) })
    // See `#createCluster`.
    return vpc as IVpc
  }

  #flowRole(log: ILogGroup): IRole {
    const role = new Role(this, "FlowRole", {
      description: "Writes which connections the relay's network has",
      assumedBy: new ServicePrincipal("vpc-flow-logs.amazonaws.com"),
    })
    new ManagedPolicy(this, "FlowPolicy", {
      description: "What the log of the relay's network may do",
      roles: [role],
      statements: [
        new PolicyStatement({
          actions: ["logs:CreateLogStream", "logs:PutLogEvents", "logs:DescribeLogStreams"],
          resources: [log.logGroupArn],
        }),
      ],
    })
    return role.withoutPolicyUpdates()
  }

  #logGroup(id: string): LogGroup {
    const { stage, storageKey } = this.#resources
    return new LogGroup(this, id, {
      encryptionKey: storageKey,
      retention: stage.logRetentionDays,
      removalPolicy: removalPolicyOf(stage),
    })
  }

  #group(id: string, vpc: IVpc, description: string): SecurityGroup {
    return new SecurityGroup(this, id, { vpc, description, allowAllOutbound: false })
  }

  #admit(balancerGroup: SecurityGroup, containerGroup: SecurityGroup): void {
    const { cloudFrontPrefixListId } = this.#relay
    const { proxy, strictProxy, origin, health } = CONTAINER_PORTS
    balancerGroup.addIngressRule(Peer.anyIpv4(), Port.tcp(PROXY_PORT), "Clients of the forward proxy")
    balancerGroup.addIngressRule(Peer.anyIpv4(), Port.tcp(STRICT_PROXY_PORT), "Those that must be challenged")
    balancerGroup.addIngressRule(
      cloudFrontPrefixListId === null ? Peer.anyIpv4() : Peer.prefixList(cloudFrontPrefixListId),
      Port.tcp(CONTAINER_ORIGIN_PORT),
      "CloudFront",
    )
    for (const [port, what] of [
      [proxy, "the forward proxy"],
      [strictProxy, "the forward proxy that challenges"],
      [origin, "requests by way of CloudFront"],
      [health, "the state of the container"],
    ] as const) {
      balancerGroup.addEgressRule(containerGroup, Port.tcp(port), `To ${what}`)
      containerGroup.addIngressRule(balancerGroup, Port.tcp(port), `For ${what}`)
    }
    // Destinations have any port that a relay says; the container itself decides which addresses are admitted.
    containerGroup.addEgressRule(Peer.anyIpv4(), Port.allTcp(), "Destinations and AWS")
  }

  #listen(vpc: IVpc, balancer: NetworkLoadBalancer, service: FargateService): void {
    const targets = (id: string, protocol: Protocol, port: number) =>
      new NetworkTargetGroup(this, id, {
        vpc,
        protocol,
        port,
        targetType: TargetType.IP,
        targets: [service.loadBalancerTarget({ containerName: RelayContainer.NAME, containerPort: port })],
        // Policies may say which addresses may decrypt.
        preserveClientIp: true,
        deregistrationDelay: DRAIN,
        healthCheck: {
          protocol: Protocol.HTTP,
          port: String(CONTAINER_PORTS.health),
          path: "/health",
          interval: HEALTH_INTERVAL,
        },
      })
    const proxyTargets = targets("ProxyTargets", Protocol.TCP, CONTAINER_PORTS.proxy)
    const strictTargets = targets("StrictProxyTargets", Protocol.TCP, CONTAINER_PORTS.strictProxy)
    const originTargets = targets("OriginTargets", Protocol.TLS, CONTAINER_PORTS.origin)
    // TLS is the container's own here, since plain connections use this port as well.
    balancer.addListener("Proxy", {
      port: PROXY_PORT,
      protocol: Protocol.TCP,
      defaultTargetGroups: [proxyTargets],
    })
    balancer.addListener("StrictProxy", {
      port: STRICT_PROXY_PORT,
      protocol: Protocol.TCP,
      defaultTargetGroups: [strictTargets],
    })
    balancer.addListener("Origin", {
      port: CONTAINER_ORIGIN_PORT,
      protocol: Protocol.TLS,
      certificates: [ListenerCertificate.fromArn(this.#relay.certificateArn)],
      sslPolicy: SslPolicy.RECOMMENDED_TLS,
      defaultTargetGroups: [originTargets],
    })
    this.#watch(proxyTargets, service)
  }

  #watch(targets: NetworkTargetGroup, service: FargateService): void {
    raiseAlarm(this, "Unhealthy", {
      metric: targets.metrics.unHealthyHostCount({ statistic: Stats.MINIMUM, period: ALARM_PERIOD }),
      description: "A container of the relays does not answer",
    })
    const running = new Metric({
      namespace: "ECS/ContainerInsights",
      metricName: "RunningTaskCount",
      dimensionsMap: { ClusterName: service.cluster.clusterName, ServiceName: service.serviceName },
      statistic: Stats.MAXIMUM,
      period: ALARM_PERIOD,
    })
    raiseAlarm(this, "Missing", {
      metric: new MathExpression({
        // Container Insights has no value for a service without containers.
        expression: `${this.#relay.minContainers} - FILL(running, 0)`,
        label: "Missing containers",
        period: ALARM_PERIOD,
        usingMetrics: { running },
      }),
      description: "There are fewer containers of the relays than there should be",
    })
    notifyOfAlarms(this, {
      name: this.stackName,
      description: "Something is wrong with the containers of the relays",
      topic: this.#resources.alarmTopic,
    })
  }

  #nameBalancer(target: string): void {
    const { domain, hostedZoneId } = this.#relay
    const proxy = `proxy.${domain}`
    const strict = `strict.${domain}`
    if (hostedZoneId !== null) {
      for (const name of [proxy, strict, originNameOf(this.#relay)]) {
        nameInDns(this, `Record ${name}`, { hostedZoneId, name, target })
      }
    }
    const tell = (name: string, value: string, description: string) =>
      new CfnOutput(this, name, { value, description })
    tell("RelayProxy", `https://${proxy}:${PROXY_PORT}`, "The forward proxy")
    tell("RelayStrictProxy", `http://${strict}:${STRICT_PROXY_PORT}`, "The forward proxy that challenges")
    const names = `${proxy}, ${strict} and ${originNameOf(this.#relay)}`
    tell("RelayContainerTarget", target, `Where ${names} must point`)
  }
}
