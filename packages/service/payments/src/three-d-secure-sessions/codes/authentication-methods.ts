export const AUTHENTICATION_METHODS = [
  ...(["static-passcode", "sms-otp", "emv-card-reader-otp", "app-otp", "other-otp"] as const),
  ...(["knowledge-based", "push-confirmation", "oob-biometrics", "oob-login", "oob-other"] as const),
  ...([
    "webauthn",
    "secure-payment-confirmation",
    "behavioral-biometrics",
    "electronic",
    "decoupled",
  ] as const),
] as const

export type AuthenticationMethod = (typeof AUTHENTICATION_METHODS)[number]

/** `authenticationMethod` of 2.3.1. Other values have no name here. */
const METHODS: ReadonlyMap<string, AuthenticationMethod> = new Map([
  ["01", "static-passcode"],
  ["02", "sms-otp"],
  ["03", "emv-card-reader-otp"],
  ["04", "app-otp"],
  ["05", "other-otp"],
  ["06", "knowledge-based"],
  ["07", "oob-biometrics"],
  ["08", "oob-login"],
  ["09", "oob-other"],
  ["11", "push-confirmation"],
  ["12", "decoupled"],
  ["13", "webauthn"],
  ["14", "secure-payment-confirmation"],
  ["15", "behavioral-biometrics"],
  ["16", "electronic"],
])

/** `authenticationType` of 2.2.0, which is less specific. */
const TYPES: ReadonlyMap<string, AuthenticationMethod> = new Map([
  ["01", "static-passcode"],
  ["02", "other-otp"],
  ["03", "oob-other"],
  ["04", "decoupled"],
])

/** Returns how a cardholder was authenticated, from the results. */
export function authenticationMethodsOf(message: object): readonly AuthenticationMethod[] {
  const { authenticationMethod, authenticationType }: Partial<Record<string, unknown>> = { ...message }
  const named = (names: ReadonlyMap<string, AuthenticationMethod>, codes: readonly unknown[]) =>
    codes.flatMap((code) => names.get(String(code)) ?? [])
  const methods = Array.isArray(authenticationMethod)
    ? named(METHODS, authenticationMethod)
    : named(TYPES, [authenticationType])
  return [...new Set(methods)]
}
