import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { FunctionBundle } from "../../stacks/bundles/function-bundle.ts"
import type { DashboardDomain, StageRelay } from "../../stacks/config.ts"

/** Makes one zip that serves as the functions' code, which no template looks into: it is copied for each. */
export function bundlesOf(folder: string, functionNames: readonly string[]): FunctionBundle[] {
  const zipPath = join(folder, "placeholder.zip")
  writeFileSync(zipPath, "placeholder")
  return functionNames.map((functionName) => ({
    functionName,
    zipPath,
    handler: "index.handler",
    bytes: 0,
    sources: [],
  }))
}

/** The relays' image in the form a protected stage accepts. */
export const IMAGE_BY_DIGEST = `111122223333.dkr.ecr.us-east-1.amazonaws.com/sealway-relay@sha256:${"0".repeat(64)}`

/** The name of a dashboard. */
export const DASHBOARD_DOMAIN: DashboardDomain = {
  name: "dashboard.example.com",
  certificateArn: "arn:aws:acm:us-east-1:111122223333:certificate/3",
  hostedZoneId: "Z0123456789",
}

/** The relay of a stage that serves relays, in `us-east-1`. */
export const RELAY_STAGE: StageRelay = {
  domain: "relay.example.com",
  certificateArn: "arn:aws:acm:us-east-1:111122223333:certificate/2",
  image: "111122223333.dkr.ecr.us-east-1.amazonaws.com/sealway-relay:0.1.0",
  hostedZoneId: "Z0123456789",
  regionLabel: "us",
  minContainers: 2,
  maxContainers: 10,
  natGateways: 2,
  cloudFrontPrefixListId: "pl-0123456789",
  firewall: null,
  viewerCertificateArn: null,
}
