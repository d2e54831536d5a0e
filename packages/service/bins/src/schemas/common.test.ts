import { describe, expect, test } from "vitest"
import { addressSchema, countrySchema, currencySchema, expirySchema, moneySchema } from "./common.ts"
import { COUNTRIES } from "./countries.ts"
import { CURRENCIES, currencyExponent } from "./currencies.ts"

const ADDRESS = {
  line1: "Größenweg 1/2, #3",
  city: "Łódź",
  postalCode: "90-001".replace("-", " "),
  country: "PL",
}

describe("codes", () => {
  test("of countries have names, each with a different number", () => {
    const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" })
    const unnamed = [...COUNTRIES.keys()].filter((code) => names.of(code.toUpperCase()) === undefined)
    expect(unnamed).toEqual([])
    expect(COUNTRIES.size).toBe(249)
    expect(new Set(COUNTRIES.values()).size).toBe(249)
    expect([...COUNTRIES.values()].every((number) => /^[0-9]{3}$/.test(number))).toBe(true)
  })

  test("of currencies are known, each with a different number", () => {
    const known = new Set(Intl.supportedValuesOf("currency").map((code) => code.toLowerCase()))
    // Newer than the tables of some Node.js versions.
    const young = ["xcg", "zwg", "sle", "ved"]
    // Units of account that nobody pays with: Node.js lists none of them.
    const funds = ["bov", "che", "chw", "clf", "cou", "mxv", "usn", "uyi", "uyw"]
    const listed = [...CURRENCIES.keys()].filter((code) => !known.has(code))
    expect(listed.sort()).toEqual(expect.arrayContaining(funds))
    expect(listed.filter((code) => !young.includes(code) && !funds.includes(code))).toEqual([])
    expect(new Set(CURRENCIES.values()).size).toBe(CURRENCIES.size)
    expect([...CURRENCIES.values()].every((number) => /^[0-9]{3}$/.test(number))).toBe(true)
  })

  test("of currencies have the decimal places of ISO 4217", () => {
    const byPlaces = Object.groupBy(CURRENCIES.keys(), (code) => currencyExponent(code))
    const codesOf = (places: number) => byPlaces[places]?.sort().join(" ")
    expect(codesOf(0)).toBe("bif clp djf gnf isk jpy kmf krw pyg rwf ugx uyi vnd vuv xaf xof xpf")
    expect(codesOf(3)).toBe("bhd iqd jod kwd lyd omr tnd")
    expect(codesOf(4)).toBe("clf uyw")
    expect(Object.keys(byPlaces)).toEqual(["0", "2", "3", "4"])
    expect(() => currencyExponent("zzz")).toThrow(TypeError)
  })

  test("are accepted in either case, and converted to lower case", () => {
    for (const code of ["US", "us", "Us"]) expect(countrySchema.parse(code)).toBe("us")
    for (const code of ["EUR", "eur", "eUr"]) expect(currencySchema.parse(code)).toBe("eur")
    for (const code of ["", "u", "usa", "zz", "u$", "xk", 840]) {
      expect(countrySchema.safeParse(code).success).toBe(false)
    }
    for (const code of ["", "us", "zzz", "xxx", "euro", null]) {
      expect(currencySchema.safeParse(code).success).toBe(false)
    }
  })
})

describe("money and expiry", () => {
  test("are whole, not negative, and two digits each", () => {
    for (const amount of [0, 1, Number.MAX_SAFE_INTEGER]) expect(moneySchema.parse(amount)).toBe(amount)
    for (const amount of [-1, 0.5, "1", Number.NaN, 2 ** 53]) {
      expect(moneySchema.safeParse(amount).success).toBe(false)
    }
    for (const month of ["01", "12"]) expect(expirySchema.safeParse({ month, year: "00" }).success).toBe(true)
    for (const month of ["00", "13", "1", "001", 1, "٠١"]) {
      expect(expirySchema.safeParse({ month, year: "30" }).success).toBe(false)
    }
    for (const year of ["2030", "3", 30]) {
      expect(expirySchema.safeParse({ month: "01", year }).success).toBe(false)
    }
  })
})

describe("an address", () => {
  test("accepts letters of Latin script, and any script in its city", () => {
    expect(addressSchema.parse(ADDRESS)).toMatchObject({ country: "pl" })
    expect(addressSchema.safeParse({ ...ADDRESS, city: "東京" }).success).toBe(true)
  })

  test.each([
    ["line1", "東京"],
    ["line1", ""],
    ["line1", "a\nb"],
    ["line1", "<b>"],
    ["line2", "a\\b"],
    ["city", ""],
    ["city", "a\tb"],
    ["postalCode", "90-001"],
    ["country", "xx"],
    ["state", "C A"],
    ["floor", "1"],
  ])("is refused when its %s is %j", (field, value) => {
    expect(addressSchema.safeParse({ ...ADDRESS, [field]: value }).success).toBe(false)
  })

  test("needs its state in us, ca and au", () => {
    for (const country of ["us", "CA", "au"]) {
      const result = addressSchema.safeParse({ ...ADDRESS, country })
      expect(result.error?.issues.map(({ path }) => path)).toEqual([["state"]])
    }
  })

  test.each([
    ["us", "CA", "ca"],
    ["US", "US-CA", "ca"],
    ["us", "us-ny", "ny"],
    ["us", "AE", "ae"],
    ["ca", "ON", "on"],
    ["au", "AU-NSW", "nsw"],
    ["gb", "GB-ENG", "eng"],
  ])("in %s accepts the state %s as %s", (country, state, shown) => {
    expect(addressSchema.parse({ ...ADDRESS, country, state })).toMatchObject({ state: shown })
  })

  test.each([
    ...["CA-ON", "US-", "-CA", "US-CALI", "US_CA", "USA-CA", "ON", "ZZ", "1"].map((state) => ["us", state]),
    ["ca", "CA"],
    ["au", "ON"],
    ["gb", "US-CA"],
  ])("in %s refuses the state %s", (country, state) => {
    const result = addressSchema.safeParse({ ...ADDRESS, country, state })
    expect(result.error?.issues[0]?.path).toEqual(["state"])
  })
})
