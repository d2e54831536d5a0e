/** An accepted finding of cfn-lint, and why it is accepted. */
export interface AcceptedFinding {
  readonly rule: string
  /** Matches its message. */
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
