/** What a slug may be: 1 to 20 lower-case letters, digits and dashes. It stands in every token of the role. */
export const DATA_ROLE_SLUG = /^[a-z0-9-]{1,20}$/

/** A named category of data. Its slug is sealed into values and never changes; its policies may. */
export interface DataRole {
  readonly slug: string
  readonly name: string
  readonly description: string
  /** Epoch milliseconds. */
  readonly createdAt: number
}
