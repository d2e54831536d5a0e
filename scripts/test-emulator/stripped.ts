import type { Stripping } from "./strip-template.ts"

const CONNECTION_GROUP = "AWS::CloudFront::ConnectionGroup"

/** What the emulator does not know, or does not run, and how the test handles it. It is printed. */
export const STRIPPED_TYPES: ReadonlyMap<string, string> = new Map([
  ["AWS::CloudWatch::Alarm", "only the alarms of areas read them"],
  ["AWS::CloudWatch::CompositeAlarm", "not known to the emulator"],
  ["AWS::ApplicationAutoScaling::ScalableTarget", "not known to the emulator"],
  ["AWS::ApplicationAutoScaling::ScalingPolicy", "not known to the emulator"],
  [CONNECTION_GROUP, "not known to the emulator's CloudFormation; one is made by CloudFront's API"],
  ["AWS::EC2::EIP", "not known to the emulator"],
  ["AWS::EC2::FlowLog", "not known to the emulator"],
  ["AWS::EC2::NatGateway", "not known to the emulator"],
  ["AWS::EC2::SecurityGroupEgress", "not known to the emulator"],
  ["AWS::EC2::SecurityGroupIngress", "not known to the emulator"],
])

/** Variables of functions that differ from a stage, and why. */
export const CHANGED_VARIABLES: ReadonlyMap<
  string,
  { readonly value: string | null; readonly reason: string }
> = new Map([
  [
    "SEALWAY_ALLOW_PRIVATE_DESTINATIONS",
    { value: "true", reason: "receivers of webhooks and destinations of relays listen on loopback here" },
  ],
])

/** What is done by hand, because the emulator does not do it. */
export const BY_HAND: readonly string[] = [
  "the tags of the bucket of customers' code are set: the emulator's CloudFormation drops a bucket's tags",
]

/** @param connectionGroup the replacement for the connection group of the relays */
export function strippingWith(connectionGroup: Readonly<Record<string, string>>): Stripping {
  return {
    types: new Set(STRIPPED_TYPES.keys()),
    standIns: new Map([[CONNECTION_GROUP, connectionGroup]]),
    variables: new Map([...CHANGED_VARIABLES].map(([name, { value }]) => [name, value])),
  }
}
