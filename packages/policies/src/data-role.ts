/** A named category of data. Its slug is sealed into values and never changes; its policies may. */
export interface DataRole {
  /** See `isRoleSlug`. */
  readonly slug: string
  readonly name: string
  readonly description: string
  /** Epoch milliseconds. */
  readonly createdAt: number
}
