/** Decimal places of amounts, by ISO 4217. All other currencies have two. */
const EXPONENTS: ReadonlyMap<string, number> = new Map([
  ...["bif", "clp", "djf", "gnf", "isk", "jpy", "kmf", "krw", "pyg", "rwf", "ugx", "vnd", "vuv"].map(
    (code) => [code, 0] as const,
  ),
  ...["xaf", "xof", "xpf"].map((code) => [code, 0] as const),
  ...["bhd", "iqd", "jod", "kwd", "lyd", "omr", "tnd"].map((code) => [code, 3] as const),
])

/** @param currency in lower case */
export const currencyExponent = (currency: string): number => EXPONENTS.get(currency) ?? 2
