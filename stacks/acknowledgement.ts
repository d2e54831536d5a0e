/** A finding of cdk-nag that is no fault here, and why. */
export interface Acknowledgement {
  readonly id: string
  /** For a reviewer: what makes up for it. */
  readonly reason: string
  /** The resources that it is about, and no others. */
  readonly resourceType: string
}
