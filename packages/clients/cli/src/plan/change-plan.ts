import type { FieldChange } from "./compare-values.ts"

/** Something to create, change or delete. */
export interface PlannedChange {
  readonly action: "create" | "update" | "delete"
  /** Its kind: `role`, `policy`, `relay`. */
  readonly kind: string
  /** Identifies it among its kind, for people. */
  readonly name: string
  /** For an update. */
  readonly fields?: readonly FieldChange[]
}

/** A setting that the files omit for something they name, and that stays as the service has it. */
export interface KeptField {
  readonly kind: string
  readonly name: string
  readonly field: string
  readonly value: unknown
  /** Why that is risky. */
  readonly warning?: string
}

/** What changes mean. */
export interface PlanMeaning {
  /** For people. */
  readonly lines: readonly string[]
  /** For programs. */
  readonly value: unknown
}

/** The changes that make the service match the files. */
export interface ChangePlan<Change extends PlannedChange = PlannedChange> {
  /** In the order in which to make them. */
  readonly changes: readonly Change[]
  /** What is in the service and in no file, and stays. */
  readonly unmanaged: readonly Pick<PlannedChange, "kind" | "name">[]
  /** Settings that no file mentions and that differ from a new one's. Default: none. */
  readonly kept?: readonly KeptField[]
  /** Says what the changes mean. It takes a second or more. Default: nothing can be said. */
  readonly describe?: () => Promise<PlanMeaning>
  /** Why it cannot be done, one sentence each; empty when it can. */
  readonly problems: readonly string[]
}
