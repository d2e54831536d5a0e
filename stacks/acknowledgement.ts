/** A finding of cdk-nag that is not a fault here, and why. */
export interface Acknowledgement {
  readonly id: string
  /** For a reviewer: what compensates for it. */
  readonly reason: string
  /** The part of the only stack that it applies to, as `stackName` takes it. Default: every stack. */
  readonly stack?: string
  /** The only resources that it applies to. */
  readonly resourceType: string
}
