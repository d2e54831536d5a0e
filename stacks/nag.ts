import { CfnResource, Validations } from "aws-cdk-lib"
import type { IConstruct } from "constructs"
import type { StageConfig } from "./config.ts"

/** A finding of cdk-nag that is no fault here, and why. */
export interface Acknowledgement {
  readonly id: string
  /** For a reviewer: what makes up for it. */
  readonly reason: string
  /** The resources that it is about, and no others. */
  readonly resourceType: string
}

/** Every finding of AwsSolutions and PCI DSS 3.2.1 that a stage's stacks are left with. */
export function acknowledgements({ isTraced }: StageConfig): readonly Acknowledgement[] {
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
        "Functions hold no network resource and take no connections. They reach DynamoDB, SQS and KMS only, by TLS and " +
        "IAM, whose policies name single tables, queues and one key. The webhook worker calls addresses on the internet: " +
        "outside of a VPC it has no private network to be led into.",
    },
    ...(isTraced
      ? [
          {
            id: "AwsSolutions-IAM5[Resource::*]",
            resourceType: "AWS::IAM::ManagedPolicy",
            reason: "Sending traces to X-Ray cannot be limited to a resource: it has none.",
          },
        ]
      : []),
  ]
}

/** Marks the resources below a construct with the acknowledgements that are about them. */
export function acknowledgeFindings(root: IConstruct, acknowledged: readonly Acknowledgement[]): void {
  for (const construct of root.node.findAll()) {
    if (!CfnResource.isCfnResource(construct)) continue
    for (const { id, reason, resourceType } of acknowledged) {
      if (construct.cfnResourceType === resourceType) Validations.of(construct).acknowledge({ id, reason })
    }
  }
}
