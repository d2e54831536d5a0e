/** The slugs that a data role can have. */
export const ROLE_SLUG = /^[a-z0-9-]{1,20}$/

/** True when the text matches `ROLE_SLUG`. */
export function isRoleSlug(text: string): boolean {
  return ROLE_SLUG.test(text)
}
