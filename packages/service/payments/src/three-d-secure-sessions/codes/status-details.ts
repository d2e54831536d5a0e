/** Descriptions of message codes, for people. */
const STATUSES: ReadonlyMap<string, string> = new Map([
  ["Y", "The cardholder was authenticated."],
  ["N", "The cardholder was not authenticated; the transaction is denied."],
  ["U", "The authentication could not be performed."],
  ["A", "The authentication was attempted, and there is proof of the attempt."],
  ["C", "The issuer asks for a challenge."],
  ["D", "The issuer asks for a decoupled challenge."],
  ["R", "The issuer rejects the authentication and asks not to authorise."],
  ["I", "Informational only: the issuer acknowledges the request."],
])

const REASONS: ReadonlyMap<string, string> = new Map([
  ["01", "The card authentication failed."],
  ["02", "The device is unknown."],
  ["03", "The device is not supported."],
  ["04", "The authentication frequency limit is exceeded."],
  ["05", "The card has expired."],
  ["06", "The card number is invalid."],
  ["07", "The transaction is invalid."],
  ["08", "There is no record of the card."],
  ["09", "There was a security failure."],
  ["10", "The card was stolen."],
  ["11", "Fraud is suspected."],
  ["12", "The cardholder is not permitted this transaction."],
  ["13", "The cardholder is not enrolled."],
  ["14", "The issuer's access control server timed out."],
  ["15", "Low confidence."],
  ["16", "Medium confidence."],
  ["17", "High confidence."],
  ["18", "Very high confidence."],
  ["19", "The issuer's limit of challenges is exceeded."],
  ["20", "Authentication without a payment is not supported."],
  ["21", "Authentication that the merchant initiates is not supported."],
  ["22", "The issuer's access control server has a technical problem."],
  ["23", "A decoupled authentication is needed, and was not asked for."],
  ["24", "The time for a decoupled authentication is over."],
  ["25", "There was too little time for a decoupled authentication."],
  ["26", "The cardholder did not perform the authentication."],
  ["27", "The preferred method of authentication is not supported."],
  ["28", "The validation of the content security policy failed."],
  ["29", "The authentication was attempted, and falls back to a decoupled one."],
  ["30", "More authentication is needed."],
])

export const statusDetail = (status: string): string => STATUSES.get(status) ?? "The status is not known."
export const reasonDetail = (reason: string): string =>
  REASONS.get(reason) ?? "The reason is one of the card network's own."
