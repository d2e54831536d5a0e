import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DASHBOARD_HEADERS, DASHBOARD_SECURITY_POLICY } from "@sealway/api"
import { DASHBOARD_SECRET_HEADER } from "@sealway/http"
import { CfnOutput, Duration, Stack, type StackProps, Tags } from "aws-cdk-lib"
import {
  CachePolicy,
  CfnDistribution,
  CfnFunction,
  CfnOriginAccessControl,
  CfnResponseHeadersPolicy,
  OriginRequestPolicy,
} from "aws-cdk-lib/aws-cloudfront"
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam"
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from "aws-cdk-lib/aws-s3"
import type { Construct } from "constructs"
import { PROJECT_ROOT } from "./bundles/project-root.ts"
import { ALL_METHODS, uncachedErrors } from "./cloudfront.ts"
import type { DashboardDomain, StageDashboard } from "./config.ts"
import { OriginSecret } from "./constructs/origin-secret.ts"
import { nameInDns } from "./dns.ts"
import { exportForGood } from "./exports.ts"
import { DASHBOARD_TAG } from "./names.ts"
import { removalPolicyOf } from "./removal.ts"
import type { BaseResources, DashboardEdge } from "./stage-resources.ts"

/** Where browsers reach the API, below the dashboard's origin. The page is built with it. */
export const DASHBOARD_API_PATH = "/api"
/** The output that names the bucket of the files. */
export const DASHBOARD_BUCKET_OUTPUT = "DashboardBucket"

const EDGE = join(PROJECT_ROOT, "stacks", "dashboard-edge")
const FILES_ORIGIN = "files"
const API_ORIGIN = "api"
/** Longer than API Gateway waits for a function, so that its answer is the one that arrives. */
const API_TIMEOUT = Duration.seconds(35)
const HSTS_MAX_AGE = Duration.days(365)
/** Replaces a header of the same name that the origin sends. */
const override = true
/** Of the page and of the API: the first page that a member opens may be the API's own, to sign in. */
const FOR_EVERY_ANSWER = {
  contentTypeOptions: { override },
  strictTransportSecurity: { accessControlMaxAgeSec: HSTS_MAX_AGE.toSeconds(), override },
}

export interface DashboardStackProps extends StackProps {
  readonly dashboard: StageDashboard
  readonly resources: BaseResources
  /** The name that CloudFront calls the API by. */
  readonly apiDomain: string
}

/**
 * The dashboard, and the API below the same origin: CloudFront, with the page's files in a private bucket, and API
 * Gateway for `/api/*`. `infra/publish.ts` uploads the files, and deletes them before the bucket.
 */
export class DashboardStack extends Stack {
  readonly edge: DashboardEdge

  constructor(scope: Construct, id: string, props: DashboardStackProps) {
    const { dashboard, resources, apiDomain, ...others } = props
    super(scope, id, others)
    const secret = new OriginSecret(this, "OriginSecret", resources)
    const bucket = this.#createBucket(resources)
    const distribution = this.#createDistribution(
      id,
      dashboard,
      resources,
      bucket,
      apiDomain,
      secret.reference,
    )
    this.#allowReading(bucket, distribution)
    for (const each of [bucket, distribution]) Tags.of(each).add(DASHBOARD_TAG, "true")
    const origin = `https://${dashboard.domain?.name ?? distribution.attrDomainName}`
    this.edge = { apiUrl: origin + DASHBOARD_API_PATH, originSecretHash: secret.sha256 }
    exportForGood(this, secret.sha256, distribution.attrDomainName)
    this.#name(dashboard.domain, distribution)
    const tell = (name: string, value: string, description: string) =>
      new CfnOutput(this, name, { value, description })
    tell("Dashboard", `${origin}/dashboard`, "Where members find the dashboard")
    tell(
      "DashboardRedirectUri",
      `${this.edge.apiUrl}/sign-in/oidc/callback`,
      "What to register at the identity provider as the client's redirect URI",
    )
    tell(DASHBOARD_BUCKET_OUTPUT, bucket.bucketName, "The bucket of the dashboard's files")
  }

  #createBucket({ stage }: BaseResources): Bucket {
    return new Bucket(this, "Files", {
      // Without a key of the stage: the files are the same for everybody, and CloudFront would need the key.
      encryption: BucketEncryption.S3_MANAGED,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      removalPolicy: removalPolicyOf(stage),
    })
  }

  #allowReading(bucket: Bucket, { ref: resourceName }: CfnDistribution): void {
    const sourceArn = this.formatArn({
      service: "cloudfront",
      region: "",
      resource: "distribution",
      resourceName,
    })
    const allow = (sid: string, action: string, resource: string) =>
      bucket.addToResourcePolicy(
        new PolicyStatement({
          sid,
          principals: [new ServicePrincipal("cloudfront.amazonaws.com")],
          actions: [action],
          resources: [resource],
          conditions: { StringEquals: { "aws:SourceArn": sourceArn } },
        }),
      )
    allow("ReadByCloudFront", "s3:GetObject", bucket.arnForObjects("*"))
    // Without it, S3 answers 403 for a missing file. No viewer gets a list: page-request.js passes on assets only.
    allow("TellMissingFiles", "s3:ListBucket", bucket.bucketArn)
  }

  #createDistribution(
    id: string,
    { domain }: StageDashboard,
    { stage }: BaseResources,
    bucket: Bucket,
    apiDomain: string,
    originSecret: string,
  ): CfnDistribution {
    const signing = new CfnOriginAccessControl(this, "Signing", {
      originAccessControlConfig: {
        name: id,
        description: `Lets CloudFront read the dashboard of the stage ${stage.stage}`,
        originAccessControlOriginType: "s3",
        signingBehavior: "always",
        signingProtocol: "sigv4",
      },
    })
    return new CfnDistribution(this, "Distribution", {
      distributionConfig: {
        enabled: true,
        comment: `Dashboard of the stage ${stage.stage}`,
        httpVersion: "http2and3",
        ipv6Enabled: true,
        origins: [
          {
            id: FILES_ORIGIN,
            domainName: bucket.bucketRegionalDomainName,
            originAccessControlId: signing.attrId,
            // CloudFront asks for it, although the access control replaces it.
            s3OriginConfig: { originAccessIdentity: "" },
          },
          {
            id: API_ORIGIN,
            domainName: apiDomain,
            customOriginConfig: {
              originProtocolPolicy: "https-only",
              originSslProtocols: ["TLSv1.2"],
              originReadTimeout: API_TIMEOUT.toSeconds(),
            },
            originCustomHeaders: [{ headerName: DASHBOARD_SECRET_HEADER, headerValue: originSecret }],
          },
        ],
        defaultCacheBehavior: {
          targetOriginId: FILES_ORIGIN,
          viewerProtocolPolicy: "redirect-to-https",
          allowedMethods: ["GET", "HEAD"],
          // It keeps what the files' own Cache-Control says, and the page for a second.
          cachePolicyId: CachePolicy.CACHING_OPTIMIZED.cachePolicyId,
          responseHeadersPolicyId: this.#createHeaders(id).attrId,
          functionAssociations: [
            this.#createFunction(id, "page-request", "Answer every address of the page"),
          ],
          compress: true,
        },
        cacheBehaviors: [
          {
            pathPattern: `${DASHBOARD_API_PATH}/*`,
            targetOriginId: API_ORIGIN,
            // A request without TLS is refused, not redirected: its cookie has been exposed by then.
            viewerProtocolPolicy: "https-only",
            allowedMethods: [...ALL_METHODS],
            cachePolicyId: CachePolicy.CACHING_DISABLED.cachePolicyId,
            // API Gateway must see its own Host.
            originRequestPolicyId: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER.originRequestPolicyId,
            responseHeadersPolicyId: this.#createApiHeaders(id).attrId,
            functionAssociations: [
              this.#createFunction(id, "api-request", "Remove the prefix, and tell the caller's address"),
            ],
            compress: false,
          },
        ],
        customErrorResponses: uncachedErrors(),
        ...(domain !== null && {
          aliases: [domain.name],
          viewerCertificate: {
            acmCertificateArn: domain.certificateArn,
            sslSupportMethod: "sni-only",
            minimumProtocolVersion: "TLSv1.2_2021",
          },
        }),
      },
    })
  }

  #createFunction(
    id: string,
    name: "page-request" | "api-request",
    comment: string,
  ): CfnDistribution.FunctionAssociationProperty {
    const { attrFunctionArn } = new CfnFunction(this, name, {
      name: `${id}-${name}`,
      autoPublish: true,
      functionCode: readFileSync(join(EDGE, `${name}.js`), "utf8"),
      functionConfig: { comment, runtime: "cloudfront-js-2.0" },
    })
    return { eventType: "viewer-request", functionArn: attrFunctionArn }
  }

  /** Creates the headers of the page and its assets: those that the service on one machine sends, and HSTS. */
  #createHeaders(id: string): CfnResponseHeadersPolicy {
    const { "referrer-policy": referrerPolicy, "x-content-type-options": _, ...others } = DASHBOARD_HEADERS
    return new CfnResponseHeadersPolicy(this, "Headers", {
      responseHeadersPolicyConfig: {
        name: id,
        securityHeadersConfig: {
          contentSecurityPolicy: { contentSecurityPolicy: DASHBOARD_SECURITY_POLICY, override },
          referrerPolicy: { referrerPolicy, override },
          ...FOR_EVERY_ANSWER,
        },
        customHeadersConfig: {
          items: Object.entries(others).map(([header, value]) => ({ header, value, override })),
        },
      },
    })
  }

  /** Creates the headers that the API's answers get here, where they are of the page's own origin. */
  #createApiHeaders(id: string): CfnResponseHeadersPolicy {
    return new CfnResponseHeadersPolicy(this, "ApiHeaders", {
      responseHeadersPolicyConfig: { name: `${id}-api`, securityHeadersConfig: FOR_EVERY_ANSWER },
    })
  }

  #name(domain: DashboardDomain | null, { attrDomainName: target }: CfnDistribution): void {
    if (domain === null) return
    const { name, hostedZoneId } = domain
    if (hostedZoneId !== null) nameInDns(this, "Record", { hostedZoneId, name, target })
    new CfnOutput(this, "DashboardDomainTarget", {
      value: target,
      description: "Where the CNAME of the dashboard's domain must point",
    })
  }
}
