/** The capabilities of an issuer's access control server, by code. A network is named for codes of its own. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  "authentication-available": "Authentication is available at the access control server",
  "emvco-reserved": "Reserved by EMVCo",
  "ds-reserved": "Reserved by the directory server",
  "attempts-supported": "An attempted authentication returns proof",
  "decoupled-authentication-supported":
    "The cardholder can authenticate separately from the payment (decoupled)",
  "trustlist-supported": "The cardholder can put merchants on a trust list",
  "device-binding-supported": "A device can be bound to the card",
  "webauthn-authentication-supported": "The cardholder can authenticate by WebAuthn",
  "spc-authentication-supported": "The cardholder can authenticate by Secure Payment Confirmation",
  "tra-exemption-supported": "The exemption for transaction risk analysis is accepted",
  "trustlist-exemption-supported": "The exemption for trusted merchants is accepted",
  "low-value-exemption-supported": "The exemption for low values is accepted",
  "secure-corporate-payments-exemption-supported": "The exemption for secure corporate payments is accepted",
  "issuer-tra-exemption-supported": "The issuer applies the exemption for transaction risk analysis",
  "issuer-trustlist-exemption-supported": "The issuer applies the exemption for trusted merchants",
  "issuer-low-value-exemption-supported": "The issuer applies the exemption for low values",
  "issuer-secure-corporate-payments-exemption-supported":
    "The issuer applies the exemption for secure corporate payments",
  "bridging-message-extension-supported": "The bridging message extension is supported",
  "data-only-supported": "Data-only messages are supported",
  "delegated-authentication-supported": "Authentication can be delegated to the merchant",
  "digital-auth-framework-supported": "The Digital Authentication Framework is supported",
  "payment-transactions-supported": "Payments can be authenticated",
  "non-payment-transactions-supported": "Non-payment requests can be authenticated",
  "app-channel-supported": "Apps can authenticate",
  "browser-channel-supported": "Browsers can authenticate",
  "app-acs-challenge-supported": "Apps can be challenged by the access control server",
  "browser-acs-challenge-supported": "Browsers can be challenged by the access control server",
  "smart-auth-direct": "Smart Authentication Direct responds",
  "smart-auth-direct-stand-in-only": "Smart Authentication Direct responds when the issuer does not",
}

export const ACS_INDICATOR_CODES: readonly string[] = Object.keys(DESCRIPTIONS)

/** Returns a sentence for people; the code itself when it is unknown. */
export function describeAcsIndicator(code: string): string {
  return (Object.hasOwn(DESCRIPTIONS, code) && DESCRIPTIONS[code]) || code
}
