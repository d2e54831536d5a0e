import { type Endpoint, writesAccessRecords } from "@sealway/http"
import { Stack, type StackProps } from "aws-cdk-lib"
import type { Construct } from "constructs"
import { type AccessLogSource, accessLogOf } from "./access-log-source.ts"
import { ApiEndpoint } from "./constructs/endpoint.ts"
import { slug } from "./names.ts"
import type { StageResources } from "./stage-resources.ts"
import type { StageApis } from "./wings.ts"

export interface EndpointsStackProps extends StackProps {
  readonly endpoints: readonly Endpoint<never>[]
  readonly resources: StageResources
  readonly apis: StageApis
}

/**
 * The endpoints of one area of the service. One stack could not contain them all: CloudFormation's limit is 500
 * resources.
 */
export class EndpointsStack extends Stack {
  readonly accessLogs: readonly AccessLogSource[]

  constructor(scope: Construct, id: string, { endpoints, resources, apis, ...props }: EndpointsStackProps) {
    super(scope, id, props)
    this.accessLogs = endpoints.flatMap((endpoint) => {
      const { logGroup } = new ApiEndpoint(this, { endpoint, resources, apis })
      return writesAccessRecords(endpoint) ? [accessLogOf(this, endpoint.id, logGroup)] : []
    })
  }
}

/**
 * Groups endpoints by their tag, for a stack each, in the order in which the service declares the first of each. A
 * route cannot be in two stacks at once: when an endpoint's tag changes, deploy once without it first.
 */
export function byArea(
  endpoints: readonly Endpoint<never>[],
): ReadonlyMap<string, readonly Endpoint<never>[]> {
  const areas = new Map<string, Endpoint<never>[]>()
  for (const endpoint of endpoints) {
    const area = slug(endpoint.tag)
    areas.set(area, [...(areas.get(area) ?? []), endpoint])
  }
  return areas
}
