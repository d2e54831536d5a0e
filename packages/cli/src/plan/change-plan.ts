import type { FieldChange } from "./compare-values.ts"

/** One thing that is to be made, changed or deleted. */
export interface PlannedChange {
  readonly action: "create" | "update" | "delete"
  /** What it is: `role`, `policy`, `relay`. */
  readonly kind: string
  /** What tells it from others of its kind, for people. */
  readonly name: string
  /** Of an update. */
  readonly fields?: readonly FieldChange[]
}

/** What files do not say of something that they name, and that stays as the service has it. */
export interface KeptField {
  readonly kind: string
  readonly name: string
  readonly field: string
  readonly value: unknown
}

/** What is to be done in the service for it to be as files say. */
export interface ChangePlan<Change extends PlannedChange = PlannedChange> {
  /** In the order in which they are to be made. */
  readonly changes: readonly Change[]
  /** What is in the service and in no file, and stays. */
  readonly unmanaged: readonly Pick<PlannedChange, "kind" | "name">[]
  /** What the service has otherwise than it would be made, and no file says. Default: nothing. */
  readonly kept?: readonly KeptField[]
  /** Why it cannot be done, a sentence each; empty when it can. */
  readonly problems: readonly string[]
}
