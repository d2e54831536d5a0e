/** A finding of cdk-nag that is not a fault here, and why. */
export interface Acknowledgement {
  readonly id: string
  /** For a reviewer: what compensates for it. */
  readonly reason: string
  /** The only resources that it applies to. */
  readonly resourceType: string
}
