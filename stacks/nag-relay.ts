import type { Acknowledgement } from "./acknowledgement.ts"
import type { StageRelay } from "./config.ts"

const DISTRIBUTION = { stack: "relay", resourceType: "AWS::CloudFront::Distribution" }
const BALANCER = "AWS::ElasticLoadBalancingV2::LoadBalancer"

/** Returns the findings that a stage with relays has, besides those of every stage. */
export function relayAcknowledgements({ firewall }: StageRelay): readonly Acknowledgement[] {
  return [
    ...(firewall === null ? [withoutFirewall()] : [firewallWithoutLog()]),
    ...distribution(),
    ...relayFunction(),
    ...network(),
    ...container(),
    ...tenants(),
  ]
}

function withoutFirewall(): Acknowledgement {
  return {
    id: "AwsSolutions-CFR2",
    ...DISTRIBUTION,
    reason:
      "A relay passes on arbitrary requests of other people's APIs: rules of a web ACL may refuse what a destination takes, " +
      "and read what relays protect. The stage can switch one on; what is malformed the relay refuses itself.",
  }
}

function firewallWithoutLog(): Acknowledgement {
  return {
    id: "PCI.DSS.321-WAFv2LoggingEnabled",
    resourceType: "AWS::WAFv2::WebACL",
    reason:
      "A log of the web ACL holds paths, queries and headers, which may hold the very data that relays are to protect. Its " +
      "metrics say how many requests each rule refused.",
  }
}

function distribution(): readonly Acknowledgement[] {
  return [
    {
      id: "AwsSolutions-CFR1",
      ...DISTRIBUTION,
      reason:
        "Whose customers are where is not for this service to say: relays serve whoever a team lets call them.",
    },
    {
      id: "AwsSolutions-CFR3",
      ...DISTRIBUTION,
      reason:
        "An access log of CloudFront holds paths and queries, which may hold the very data that relays are to protect. " +
        "Relays keep a record of each request without them: route, status, times, and which selections matched.",
    },
    {
      id: "AwsSolutions-CFR4",
      ...DISTRIBUTION,
      reason:
        "A multi-tenant distribution has no domain of its own to serve, and so no certificate: each tenant has its own. " +
        "To its origins CloudFront speaks TLS 1.2.",
    },
  ]
}

function relayFunction(): readonly Acknowledgement[] {
  return [
    {
      id: "PCI.DSS.321-LambdaFunctionPublicAccessProhibited",
      resourceType: "AWS::Lambda::Permission",
      reason:
        "CloudFront's signature for function URLs covers the body by a hash that callers would have to send, and callers of " +
        "relays do not. The function takes a request only with the origin secret, compared in constant time before anything else.",
    },
    {
      id: "AwsSolutions-SMG4",
      stack: "relay",
      resourceType: "AWS::SecretsManager::Secret",
      reason:
        "The secret is between CloudFront and its origins, opens no data, and is changed by a deployment, for CloudFront " +
        "learns it at no other time: rotation by itself would cut relays off.",
    },
  ]
}

function network(): readonly Acknowledgement[] {
  return [
    {
      id: "AwsSolutions-EC23",
      resourceType: "AWS::EC2::SecurityGroup",
      reason:
        "A forward proxy's clients are anywhere, and are known by API keys and not by addresses. Only the load balancer is " +
        "reached, on two ports; the other one takes CloudFront's requests, by its addresses where the stage names them, and " +
        "by the origin secret always.",
    },
    {
      id: "PCI.DSS.321-VPCNoUnrestrictedRouteToIGW",
      resourceType: "AWS::EC2::Route",
      reason:
        "The public subnets hold the load balancer and NAT gateways, and nothing else: containers are in private ones, and a " +
        "proxy's destinations are anywhere.",
    },
    {
      id: "PCI.DSS.321-VPCDefaultSecurityGroupClosed",
      resourceType: "AWS::EC2::VPC",
      reason:
        "Nothing is in the default security group: load balancer and containers name groups of their own. Emptying it takes a " +
        "function with rights to change security groups, which would be the greater risk.",
    },
    ...["AwsSolutions-ELB2", "PCI.DSS.321-ELBLoggingEnabled"].map((id) => ({
      id,
      resourceType: BALANCER,
      reason:
        "A network load balancer logs connections of its own TLS only, which are CloudFront's. Who connects from where is in " +
        "the flow log of the network, and each request in the activity of its relay.",
    })),
    {
      id: "PCI.DSS.321-ELBv2ACMCertificateRequired",
      resourceType: "AWS::ElasticLoadBalancingV2::Listener",
      reason:
        "The forward proxy's port passes TLS through to the container, which speaks it itself with certificates of the " +
        "relays' authority, so that nothing between client and container sees a request. CloudFront's port has one of ACM.",
    },
  ]
}

function container(): readonly Acknowledgement[] {
  return [
    {
      id: "AwsSolutions-ECS2",
      resourceType: "AWS::ECS::TaskDefinition",
      reason:
        "The container's variables are names of tables, a queue, a key and a domain, as functions have them too. Its one secret " +
        "comes from Secrets Manager.",
    },
  ]
}

/** Returns those about what relays' endpoints may do at CloudFront. */
function tenants(): readonly Acknowledgement[] {
  const reasons = [
    [
      "arn:aws:cloudfront::<AWS::AccountId>:distribution-tenant/*",
      "Tenants are made while the service runs, and CloudFront gives them their ids. They are made with a tag of the " +
        "stage's distribution, and without that tag none can be changed or deleted.",
    ],
    [
      "arn:aws:acm:us-east-1:<AWS::AccountId>:certificate/*",
      "CloudFront asks ACM for tenants' certificates in the caller's name. They can be asked for, tagged and looked at, " +
        "neither exported nor deleted.",
    ],
  ]
  return reasons.map(([resource = "", reason = ""]) => ({
    id: `AwsSolutions-IAM5[Resource::${resource}]`,
    resourceType: "AWS::IAM::ManagedPolicy",
    reason,
  }))
}
