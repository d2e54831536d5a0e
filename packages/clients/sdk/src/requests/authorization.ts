/** Returns the Authorization header, or null for none. A function, so that no object that may be printed holds a secret. */
export type Authorization = () => string | null

export const NO_AUTHORIZATION: Authorization = () => null

/**
 * @param user an app's or a team's id
 * @throws TypeError if it could not be sent, without repeating it
 */
export function basicAuthorization(
  [userName, user]: readonly [name: string, value: string | undefined],
  [secretName, secret]: readonly [name: string, value: string | undefined],
): Authorization {
  requireVisible(userName, user)
  requireVisible(secretName, secret)
  if (user.includes(":")) throw new TypeError(`${userName} must not contain a colon.`)
  const header = `Basic ${btoa(`${user}:${secret}`)}`
  return () => header
}

export function tokenAuthorization(scheme: "Token" | "RunToken", token: string): Authorization {
  requireVisible("The token", token)
  const header = `${scheme} ${token}`
  return () => header
}

/**
 * Checks a text that becomes part of a header.
 *
 * @throws TypeError if it is empty, or has other characters than visible ASCII
 */
export function requireVisible(name: string, text: string | undefined): asserts text is string {
  if (text === undefined) throw new TypeError(`${name} is missing.`)
  if (typeof text !== "string" || !/^[\x21-\x7e]+$/.test(text)) {
    throw new TypeError(`${name} must be a text of visible ASCII characters.`)
  }
}

/** Checks the value of a header. @throws TypeError if it is empty, ends in a space, or has other characters than ASCII */
export function requireHeaderValue(name: string, text: string): void {
  if (typeof text !== "string" || !/^[!-~](?:[ -~]*[!-~])?$/.test(text)) {
    throw new TypeError(
      `The header ${name} must be a text of printable ASCII characters, without spaces at its ends.`,
    )
  }
}
