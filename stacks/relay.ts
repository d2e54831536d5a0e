import { readFileSync } from "node:fs"
import { join } from "node:path"
import { STAGE_TAG } from "@sealway/ports"
import { ORIGIN_SECRET_HEADER, RELAY_SERVING_GRANTS } from "@sealway/relay-proxy/lambda"
import { CfnOutput, Duration, Fn, SecretValue, Stack, type StackProps } from "aws-cdk-lib"
import {
  CachePolicy,
  CfnConnectionGroup,
  CfnDistribution,
  CfnFunction,
  OriginRequestPolicy,
} from "aws-cdk-lib/aws-cloudfront"
import { Metric, Stats } from "aws-cdk-lib/aws-cloudwatch"
import { CfnPermission, CfnUrl } from "aws-cdk-lib/aws-lambda"
import type { ILogGroup } from "aws-cdk-lib/aws-logs"
import { CfnSecret } from "aws-cdk-lib/aws-secretsmanager"
import type { Construct } from "constructs"
import { type AccessLogSource, accessLogOf } from "./access-log-source.ts"
import { PROJECT_ROOT } from "./bundles/project-root.ts"
import { ALL_METHODS, CLOUDFRONT_METRICS_REGION, uncachedErrors } from "./cloudfront.ts"
import type { StageRelay } from "./config.ts"
import { notifyOfAlarms, raiseAlarm } from "./constructs/alarm.ts"
import { ServiceFunction } from "./constructs/service-function.ts"
import { nameInDns } from "./dns.ts"
import { exportForGood } from "./exports.ts"
import { apiEnvironment, functionEnvironment, relayEnvironment } from "./function-environment.ts"
import { RELAY } from "./names.ts"
import { createFirewall } from "./relay-firewall.ts"
import { removalPolicyOf } from "./removal.ts"
import type { RelayEdge, StageResources } from "./stage-resources.ts"

/** Longer than an exchange with a destination may take, so that the function answers and not Lambda. */
const FUNCTION_TIMEOUT = Duration.seconds(130)
/** It encrypts and waits: one processor. */
export const FUNCTION_MEMORY_MB = 1_769
/** CloudFront's maximum without a quota: as long as an exchange with a destination may take. */
const ORIGIN_TIMEOUT_SECONDS = 120
const ORIGIN_KEEP_ALIVE_SECONDS = 60
const ALARM_PERIOD = Duration.minutes(5)
/** One request that fails is its caller's to repeat. */
const ERROR_BUDGET = { period: ALARM_PERIOD, reached: 2, periods: 3 }
/** Longer than any exchange that ends normally. */
const HANGING = Duration.seconds(125)
/** Of CloudFront's answers. Destinations' own errors are passed on, and count too. */
const MANY_ERRORS_PERCENT = 25
/** The function that chooses the origin knows this one by its name. */
const CONTAINER_ORIGIN = "container"
const FUNCTION_ORIGIN = "function"
const VIEWER_REQUEST = join(
  PROJECT_ROOT,
  "packages",
  "hosts",
  "relay-proxy",
  "src",
  "edge",
  "viewer-request.js",
)

/** The port that the container has for CloudFront, by the name `origin.<domain>`. */
export const CONTAINER_ORIGIN_PORT = 8443

/** Returns the name that CloudFront calls the container by. */
export function originNameOf({ domain }: Pick<StageRelay, "domain">): string {
  return `origin.${domain}`
}

export interface RelayStackProps extends StackProps {
  readonly relay: StageRelay
  readonly resources: StageResources
}

/**
 * The entrance of requests through relays: CloudFront, and the function behind it. The distribution is a multi-tenant
 * one: each relay's domain is a tenant with its own certificate, created while the service runs, since no wildcard
 * certificate covers names two levels below the relays' domain. CloudFormation knows nothing of the tenants, and does
 * not delete a distribution that has some: `npm run empty-stage` deletes them before.
 */
export class RelayStack extends Stack {
  readonly edge: RelayEdge
  /** ARN of the secret that CloudFront sends to its origins. */
  readonly originSecretArn: string
  readonly accessLog: AccessLogSource

  constructor(scope: Construct, id: string, { relay, resources, ...props }: RelayStackProps) {
    super(scope, id, props)
    const secret = this.#createSecret(resources)
    this.originSecretArn = secret.ref
    // CloudFormation resolves it when it deploys: the value is in no template.
    const secretValue = SecretValue.secretsManager(secret.ref).unsafeUnwrap()

    const connectionGroup = new CfnConnectionGroup(this, "ConnectionGroup", {
      name: id,
      enabled: true,
      ipv6Enabled: true,
    })
    const { domainName, logGroup } = this.#createFunction(relay, resources, secretValue, connectionGroup)
    this.accessLog = accessLogOf(this, RELAY, logGroup)
    const distribution = this.#createDistribution(id, relay, resources, secretValue, domainName)
    this.edge = {
      distributionId: distribution.ref,
      distributionArn: this.#cloudFrontArn("distribution", distribution.ref),
      connectionGroupId: connectionGroup.attrId,
      connectionGroupArn: connectionGroup.attrArn,
      routingEndpoint: connectionGroup.attrRoutingEndpoint,
    }
    const { attrId, attrArn, attrRoutingEndpoint } = connectionGroup
    this.#watchDistribution(distribution.ref, resources)
    exportForGood(this, secret.ref, distribution.ref, attrId, attrArn, attrRoutingEndpoint)
    this.#nameRelays(relay)
    const tell = (name: string, value: string, description: string) =>
      new CfnOutput(this, name, { value, description })
    tell(
      "RelayDomainTarget",
      this.edge.routingEndpoint,
      `Where *.${relay.domain} and custom domains must point`,
    )
    tell("RelayDistribution", distribution.ref, "The CloudFront distribution of the relays")
    notifyOfAlarms(this, {
      name: this.stackName,
      description: "Something is wrong with requests through relays",
      topic: resources.alarmTopic,
    })
  }

  #createSecret({ stage, storageKey }: StageResources): CfnSecret {
    const secret = new CfnSecret(this, "OriginSecret", {
      description: `What CloudFront shows to the relays of the stage ${stage.stage}`,
      kmsKeyId: storageKey.keyArn,
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
    })
    secret.applyRemovalPolicy(removalPolicyOf(stage))
    return secret
  }

  /** @returns the domain name of the function's URL, and the function's log */
  #createFunction(
    relay: StageRelay,
    resources: StageResources,
    secretValue: string,
    { attrRoutingEndpoint }: CfnConnectionGroup,
  ): { readonly domainName: string; readonly logGroup: ILogGroup } {
    const serving = new ServiceFunction(this, "Relay", {
      resources,
      functionName: RELAY,
      description: "Pass requests through relays",
      grants: RELAY_SERVING_GRANTS,
      timeout: FUNCTION_TIMEOUT,
      errorBudget: ERROR_BUDGET,
      memoryMb: FUNCTION_MEMORY_MB,
      environment: {
        ...functionEnvironment(RELAY_SERVING_GRANTS, resources),
        ...apiEnvironment(resources),
        ...relayEnvironment(relay, attrRoutingEndpoint),
        SEALWAY_RELAY_ORIGIN_SECRET: secretValue,
      },
      isCalledByTarget: true,
    })
    const { targetArn, alias } = serving
    raiseAlarm(this, "Hanging", {
      metric: serving.function.metricDuration({ statistic: Stats.MAXIMUM, period: ALARM_PERIOD }),
      description: "A request through a relay took longer than it may take",
      threshold: HANGING.toMilliseconds(),
    })
    const url = new CfnUrl(this, "RelayUrl", {
      authType: "NONE",
      invokeMode: "RESPONSE_STREAM",
      targetFunctionArn: serving.function.functionArn,
      ...(alias !== null && { qualifier: alias }),
    })
    // A signature of CloudFront's would cover the body, whose hash callers would have to send.
    const permit = (permissionId: string, action: string, how: object) =>
      new CfnPermission(this, permissionId, { action, functionName: targetArn, principal: "*", ...how })
    permit("RelayUrlPermission", "lambda:InvokeFunctionUrl", { functionUrlAuthType: "NONE" })
    permit("RelayUrlInvocation", "lambda:InvokeFunction", { invokedViaFunctionUrl: true })
    url.node.addDependency(serving)
    const domainName = Fn.select(2, Fn.split("/", url.attrFunctionUrl))
    return { domainName, logGroup: serving.logGroup }
  }

  #createDistribution(
    id: string,
    relay: StageRelay,
    resources: StageResources,
    secretValue: string,
    functionDomain: string,
  ): CfnDistribution {
    const viewerRequest = new CfnFunction(this, "ViewerRequest", {
      name: `${id}-viewer-request`,
      autoPublish: true,
      functionCode: readFileSync(VIEWER_REQUEST, "utf8"),
      functionConfig: {
        comment: "Tell the origin whom a request is for and from, and choose it",
        runtime: "cloudfront-js-2.0",
      },
    })
    const origin = (name: string, domainName: string, httpsPort: number): CfnDistribution.OriginProperty => ({
      id: name,
      domainName,
      customOriginConfig: {
        httpsPort,
        originProtocolPolicy: "https-only",
        originSslProtocols: ["TLSv1.2"],
        originReadTimeout: ORIGIN_TIMEOUT_SECONDS,
        originKeepaliveTimeout: ORIGIN_KEEP_ALIVE_SECONDS,
      },
      originCustomHeaders: [{ headerName: ORIGIN_SECRET_HEADER, headerValue: secretValue }],
    })
    return new CfnDistribution(this, "Distribution", {
      // A tag of its own, besides what CloudFormation makes of the stack's: the tenants are found by it and deleted.
      tags: [{ key: STAGE_TAG, value: resources.stage.stage }],
      distributionConfig: {
        enabled: true,
        comment: `Relays of the stage ${resources.stage.stage}`,
        connectionMode: "tenant-only",
        httpVersion: "http2",
        origins: [
          origin(FUNCTION_ORIGIN, functionDomain, 443),
          origin(CONTAINER_ORIGIN, originNameOf(relay), CONTAINER_ORIGIN_PORT),
        ],
        defaultCacheBehavior: {
          targetOriginId: FUNCTION_ORIGIN,
          // A request without TLS is refused, not redirected: its body has been exposed by then.
          viewerProtocolPolicy: "https-only",
          allowedMethods: [...ALL_METHODS],
          cachePolicyId: CachePolicy.CACHING_DISABLED.cachePolicyId,
          // A function URL must see its own Host.
          originRequestPolicyId: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER.originRequestPolicyId,
          functionAssociations: [{ eventType: "viewer-request", functionArn: viewerRequest.attrFunctionArn }],
          compress: false,
        },
        customErrorResponses: uncachedErrors(),
        // With its default certificate CloudFront accepts TLS 1.0, whatever minimum version is set.
        ...(relay.viewerCertificateArn !== null && {
          viewerCertificate: {
            acmCertificateArn: relay.viewerCertificateArn,
            sslSupportMethod: "sni-only",
            minimumProtocolVersion: "TLSv1.2_2021",
          },
        }),
        ...(relay.firewall !== null && { webAclId: createFirewall(this, `${id}-firewall`, relay.firewall) }),
      },
    })
  }

  #watchDistribution(distributionId: string, { stage }: StageResources): void {
    if (stage.region !== CLOUDFRONT_METRICS_REGION) return
    raiseAlarm(this, "ServerErrors", {
      metric: new Metric({
        namespace: "AWS/CloudFront",
        metricName: "5xxErrorRate",
        dimensionsMap: { DistributionId: distributionId, Region: "Global" },
        statistic: Stats.AVERAGE,
        period: ALARM_PERIOD,
      }),
      description: "Much of what comes by way of CloudFront is answered with a 5xx",
      threshold: MANY_ERRORS_PERCENT,
    })
  }

  #nameRelays({ domain, regionLabel, hostedZoneId }: StageRelay): void {
    if (hostedZoneId === null) return
    const names = [`*.${domain}`, ...(regionLabel === null ? [] : [`*.${regionLabel}.${domain}`])]
    for (const name of names)
      nameInDns(this, `Record ${name}`, { hostedZoneId, name, target: this.edge.routingEndpoint })
  }

  #cloudFrontArn(resource: string, resourceName: string): string {
    return this.formatArn({ service: "cloudfront", region: "", resource, resourceName })
  }
}
