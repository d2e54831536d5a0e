import { checkStage, resolveStage, type StageConfig, type StageRelay } from "../../stacks/config.ts"

const ACCOUNT = "111122223333"
const certificateIn = (region: string) => `arn:aws:acm:${region}:${ACCOUNT}:certificate/1`

/** The smallest configuration of relays. */
export const MINIMAL_RELAY: StageRelay = {
  domain: "relay.example.com",
  certificateArn: certificateIn("us-east-1"),
  image: `${ACCOUNT}.dkr.ecr.us-east-1.amazonaws.com/sealway-relay@sha256:${"0".repeat(64)}`,
  hostedZoneId: null,
  regionLabel: null,
  minContainers: 1,
  maxContainers: 2,
  natGateways: 1,
  cloudFrontPrefixListId: null,
  firewall: null,
  viewerCertificateArn: null,
}

/** The full configuration of relays. */
const FULL_RELAY: StageRelay = {
  ...MINIMAL_RELAY,
  hostedZoneId: "Z0123456789",
  regionLabel: "us",
  minContainers: 2,
  maxContainers: 10,
  natGateways: 2,
  cloudFrontPrefixListId: "pl-0123456789abcdef0",
  firewall: { requestsPer5Minutes: 3_000 },
  viewerCertificateArn: certificateIn("us-east-1"),
}

const PERSONAL = resolveStage("dev")
/** With all that a stage can have. */
const FULL = checkStage({
  ...resolveStage("production"),
  domain: { name: "api.example.com", certificateArn: certificateIn("us-east-1") },
  alarmEmails: ["alarms@example.com"],
  backup: { retentionDays: 35, copyToVaultArn: "arn:aws:backup:us-west-2:111122223333:backup-vault:sealway" },
  auditExport: { mode: "COMPLIANCE", retentionDays: 400 },
  canary: { percent: 10, minutes: 5 },
  provisionedConcurrencyOf: { relay: 2 },
  isTraced: true,
  dashboard: {
    domain: {
      name: "dashboard.example.com",
      certificateArn: certificateIn("us-east-1"),
      hostedZoneId: "Z0123456789",
    },
  },
  relay: FULL_RELAY,
})

/** The smallest and the largest stage, by their titles in tables. */
export const SIZED_STAGES: ReadonlyMap<string, StageConfig> = new Map([
  ["a plain stage", PERSONAL],
  ["with all it can have", FULL],
])

/** Every kind of stage that differs in its stacks, by its description. */
export const STAGE_KINDS: ReadonlyMap<string, StageConfig> = new Map([
  ["a personal stage", PERSONAL],
  ["production", resolveStage("production")],
  ["a personal stage with a dashboard", checkStage({ ...resolveStage("dev"), dashboard: { domain: null } })],
  ["a personal stage with relays", checkStage({ ...resolveStage("dev"), relay: MINIMAL_RELAY })],
  [
    "a personal stage with relays in another region",
    checkStage({
      ...resolveStage("dev"),
      region: "eu-central-1",
      relay: {
        ...MINIMAL_RELAY,
        certificateArn: certificateIn("eu-central-1"),
        image: MINIMAL_RELAY.image.replace("us-east-1", "eu-central-1"),
        regionLabel: "eu",
      },
    }),
  ],
  ["production with all that it can have", FULL],
  [
    "production with instances that are kept started",
    checkStage({ ...resolveStage("production"), provisionedConcurrencyOf: { decrypt: 2 } }),
  ],
])
