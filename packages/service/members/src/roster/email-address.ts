import * as z from "zod"

const MAX_CHARACTERS = 254

/**
 * An e-mail address, in lower case, so that one mailbox is one member however it is spelled. Only ASCII: in other scripts
 * two addresses can look alike, and have several lower-case forms.
 */
export const emailSchema = z
  .string()
  .max(MAX_CHARACTERS)
  .regex(/^[\x21-\x7e]*$/, "An e-mail address has ASCII characters only")
  .pipe(z.email())
  .transform((email) => email.toLowerCase())
  .meta({ override: { type: "string", format: "email", maxLength: MAX_CHARACTERS } })

/** Returns an address in the form that is stored and compared; null when it is none. */
export function normalizeEmail(text: string): string | null {
  const parsed = emailSchema.safeParse(text)
  return parsed.success ? parsed.data : null
}
