import { COUNTRIES } from "../schemas/countries.ts"
import { type BinRow, binRowSchema } from "./bin-row.ts"

const THREE_DS = {
  supportedVersions: {
    accessControlServer: ["2.1.0", "2.2.0"],
    directoryServer: ["2.1.0", "2.2.0", "2.3.1"],
  },
  acsInfoIndicators: [
    { code: "authentication-available", indicator: "01" },
    { code: "attempts-supported", indicator: "02" },
  ],
}
/** Numbers with the newest version. The others are authenticated with 2.2.0. */
const THREE_DS_2_3 = {
  ...THREE_DS,
  supportedVersions: {
    accessControlServer: ["2.1.0", "2.2.0", "2.3.1"],
    directoryServer: ["2.1.0", "2.2.0", "2.3.1"],
  },
}
const BOTH = { domestic: true, crossBorder: true }
const NEITHER = { domestic: false, crossBorder: false }

const range = (from: string, to: string, facts: object): BinRow => binRowSchema.parse({ from, to, ...facts })
const prefix = (digits: string, facts: object): BinRow => range(digits, digits, facts)

const visa = { brand: "visa", segment: "consumer", country: "us", currency: "usd", threeDS: THREE_DS }
const mastercard = { brand: "mastercard", segment: "consumer", country: "us", currency: "usd" }
const amex = { brand: "american-express", funding: "charge", country: "us", currency: "usd" }
const discover = { brand: "discover", funding: "credit", country: "us", currency: "usd" }
const TEST_BANK = "Test Bank"

/** Countries with numbers of their own: 400000, the numeric code of the country. Each with its currency. */
const BY_COUNTRY =
  "ae aed, ar ars, at eur, au aud, be eur, bg bgn, br brl, by byn, ca cad, ch chf, cl clp, cn cny, co cop, cr crc, cy eur, " +
  "cz czk, de eur, dk dkk, ec usd, ee eur, es eur, fi eur, fr eur, gi gbp, gr eur, hk hkd, hr eur, hu huf, ie eur, " +
  "in inr, it eur, jp jpy, li chf, lt eur, lu eur, lv eur, mt eur, mx mxn, my myr, nl eur, no nok, nz nzd, pa usd, pe pen, " +
  "pl pln, pt eur, py pyg, ro ron, sa sar, se sek, sg sgd, si eur, sk eur, th thb, tw twd, uy uyu"
/** The same with debit cards: 400005, the numeric code. */
const DEBIT_BY_COUNTRY = "au aud, gb gbp, th thb"

const rowsByCountry = (beginning: string, funding: string, countries: string): BinRow[] =>
  countries.split(", ").map((each) => {
    const [country = "", currency] = each.split(" ")
    return prefix(`${beginning}${COUNTRIES.get(country)}`, {
      ...visa,
      funding,
      country,
      currency,
      issuer: TEST_BANK,
    })
  })

/** A country, and its currency. */
const at = (country: string, currency: string) => ({ country, currency })
const euro = (country: string) => at(country, "eur")

/** Numbers that processors publish for tests, by what they say about them. */
const readProcessorRows = (): readonly BinRow[] => {
  const visaOf = (digits: string, funding: string, facts: object = {}) =>
    prefix(digits, { ...visa, funding, issuer: TEST_BANK, ...facts })
  const mastercardOf = (digits: string, funding: string, facts: object = {}) =>
    prefix(digits, { ...mastercard, funding, issuer: TEST_BANK, ...facts })
  const otherOf = (digits: string, brand: string, funding: string, facts: object) =>
    prefix(digits, { brand, funding, segment: "consumer", issuer: TEST_BANK, ...facts })
  return [
    visaOf("400000826", "debit", at("gb", "gbp")),
    visaOf("400018", "debit", { segment: "commercial", ...at("in", "inr") }),
    visaOf("400020", "credit"),
    visaOf("400062", "credit", { segment: "commercial" }),
    visaOf("400269", "debit", at("au", "aud")),
    visaOf("400551", "credit", { segment: "commercial" }),
    visaOf("400934", "credit"),
    visaOf("401200", "credit"),
    visaOf("403550", "debit", euro("fr")),
    visaOf("416667", "credit", euro("nl")),
    visaOf("421765", "credit"),
    visaOf("440000", "debit"),
    visaOf("444433", "credit", { segment: "commercial", ...at("gb", "gbp") }),
    visaOf("446203", "debit", at("gb", "gbp")),
    visaOf("450060", "credit"),
    visaOf("464646", "credit", at("pl", "pln")),
    visaOf("491761", "debit", at("gb", "gbp")),
    visaOf("497794", "credit", euro("fr")),
    visaOf("498843", "credit", euro("es")),
    mastercardOf("222100", "credit"),
    mastercardOf("222240", "credit", at("ca", "cad")),
    mastercardOf("222241", "credit", { segment: "commercial", ...euro("nl") }),
    mastercardOf("510029", "credit", euro("nl")),
    mastercardOf("513633", "credit", euro("fr")),
    mastercardOf("516361", "debit"),
    mastercardOf("52000078", "credit", at("ae", "aed")),
    mastercardOf("542400", "credit"),
    mastercardOf("545454", "credit"),
    mastercardOf("550000", "debit"),
    mastercardOf("55550503", "debit", at("au", "aud")),
    mastercardOf("555544", "credit", at("gb", "gbp")),
    otherOf("55555525", "cartes-bancaires", "credit", euro("fr")),
    mastercardOf("55555582", "credit", at("gb", "gbp")),
    mastercardOf("557700", "credit", at("pl", "pln")),
    mastercardOf("558555", "credit", euro("es")),
    otherOf("343434", "american-express", "charge", at("us", "usd")),
    otherOf("370000", "american-express", "credit", euro("nl")),
    otherOf("601160", "discover", "credit", at("us", "usd")),
    otherOf("601198", "discover", "debit", at("us", "usd")),
    otherOf("644564", "discover", "credit", at("gb", "gbp")),
    otherOf("655590", "discover", "credit", at("us", "usd")),
    otherOf("360066", "diners-club", "charge", at("us", "usd")),
    otherOf("361489", "diners-club", "charge", at("us", "usd")),
    otherOf("362272", "diners-club", "charge", at("us", "usd")),
    otherOf("362596", "diners-club", "charge", at("us", "usd")),
    otherOf("367001", "diners-club", "charge", at("us", "usd")),
    otherOf("352800", "jcb", "credit", at("jp", "jpy")),
    otherOf("356999", "jcb", "credit", at("us", "usd")),
    otherOf("620550", "unionpay", "credit", at("cn", "cny")),
    otherOf("624303", "unionpay", "credit", at("cn", "cny")),
    otherOf("625094", "unionpay", "credit", at("cn", "cny")),
    otherOf("436000", "cartes-bancaires", "credit", euro("fr")),
    otherOf("501955", "dankort", "debit", at("dk", "dkk")),
    otherOf("501971", "dankort", "debit", at("dk", "dkk")),
    otherOf("630400", "maestro", "debit", at("us", "usd")),
    otherOf("670344", "maestro", "debit", euro("be")),
    otherOf("675964", "maestro", "debit", at("gb", "gbp")),
    otherOf("677179", "maestro", "debit", euro("nl")),
  ]
}

const readTestRows = (): readonly BinRow[] => [
  ...rowsByCountry("400000", "credit", BY_COUNTRY),
  ...rowsByCountry("400005", "debit", DEBIT_BY_COUNTRY),
  ...readProcessorRows(),
  prefix("400000", {
    ...visa,
    funding: "credit",
    issuer: TEST_BANK,
    productName: "Visa Traditional",
    fastFunds: BOTH,
  }),
  prefix("400005", {
    ...visa,
    funding: "debit",
    issuer: TEST_BANK,
    productName: "Visa Debit",
    fastFunds: BOTH,
  }),
  prefix("401288", { ...visa, funding: "credit", issuer: TEST_BANK, productName: "Visa Signature" }),
  prefix("411111", { ...visa, funding: "credit", issuer: TEST_BANK, productName: "Visa Traditional" }),
  prefix("422222", { ...visa, funding: "credit", issuer: TEST_BANK }),
  prefix("424242", {
    ...visa,
    funding: "credit",
    issuer: TEST_BANK,
    productName: "Visa Classic",
    fastFunds: BOTH,
  }),
  prefix("489537", { ...visa, funding: "credit", issuer: TEST_BANK, type: "network-token" }),
  prefix("510510", { ...mastercard, funding: "prepaid", issuer: TEST_BANK, fastFunds: NEITHER }),
  prefix("520000", {
    ...mastercard,
    funding: "credit",
    issuer: TEST_BANK,
    threeDS: THREE_DS_2_3,
    fastFunds: BOTH,
  }),
  prefix("520099", { ...mastercard, funding: "credit", issuer: TEST_BANK, type: "network-token" }),
  prefix("520082", { ...mastercard, funding: "debit", issuer: TEST_BANK, productName: "Debit Mastercard" }),
  prefix("543210", { ...mastercard, funding: "credit", segment: "commercial", issuer: TEST_BANK }),
  prefix("555555", {
    ...mastercard,
    funding: "credit",
    issuer: TEST_BANK,
    productName: "Mastercard Standard",
  }),
  range("222300", "222399", { ...mastercard, funding: "credit", issuer: TEST_BANK }),
  prefix("340000", { ...amex, issuer: "American Express", segment: "consumer", threeDS: THREE_DS }),
  prefix("340099", { ...amex, issuer: "American Express", segment: "consumer", type: "network-token" }),
  prefix("371449", { ...amex, issuer: "American Express", segment: "consumer" }),
  prefix("378282", { ...amex, issuer: "American Express", segment: "consumer" }),
  prefix("378734", { ...amex, issuer: "American Express", segment: "business", productName: "Corporate" }),
  prefix("601100", { ...discover, issuer: "Discover Bank", segment: "consumer", threeDS: THREE_DS }),
  prefix("601111", { ...discover, issuer: "Discover Bank", segment: "consumer" }),
  prefix("305693", { brand: "diners-club", funding: "charge", segment: "consumer" }),
  prefix("360000", { brand: "diners-club", funding: "charge", segment: "consumer", threeDS: THREE_DS }),
  prefix("385200", { brand: "diners-club", funding: "charge", segment: "consumer" }),
  prefix("353000", { brand: "jcb", funding: "credit", segment: "consumer", country: "jp", currency: "jpy" }),
  prefix("353011", { brand: "jcb", funding: "credit", segment: "consumer", country: "jp", currency: "jpy" }),
  prefix("356600", { brand: "jcb", funding: "credit", segment: "consumer", country: "jp", currency: "jpy" }),
  prefix("620000", {
    brand: "unionpay",
    funding: "credit",
    segment: "consumer",
    country: "cn",
    currency: "cny",
  }),
  prefix("620512", {
    brand: "unionpay",
    funding: "debit",
    segment: "consumer",
    country: "cn",
    currency: "cny",
  }),
]

let rows: readonly BinRow[] | null = null

/**
 * Returns the ranges of test numbers that networks and processors publish, with made-up issuers, for teams without a
 * table. They contain no real card's number.
 */
export function testRows(): readonly BinRow[] {
  rows ??= readTestRows()
  return rows
}
