/** A finding of cfn-lint that stays, and why. */
export interface AcceptedFinding {
  readonly rule: string
  /** Of what it says. */
  readonly message: RegExp
  readonly reason: string
}

export const ACCEPTED: readonly AcceptedFinding[] = [
  {
    rule: "W3005",
    message: /^'\w+' dependency already enforced by a /,
    reason:
      "The CDK writes the dependencies that it is told. One that a reference says as well changes nothing.",
  },
]
