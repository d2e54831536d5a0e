import { expect, test } from "vitest"
import * as z from "zod"
import { useService } from "../support/service.ts"

const service = useService()

/** What processors publish about the numbers that people test with; undefined where they say nothing. */
const PUBLISHED: readonly (readonly [
  number: string,
  brand: string,
  funding?: string | undefined,
  country?: string,
])[] = [
  ["4242424242424242", "visa", "credit", "us"],
  ["4000056655665556", "visa", "debit", "us"],
  ["5555555555554444", "mastercard", "credit"],
  ["2223003122003222", "mastercard", "credit"],
  ["5200828282828210", "mastercard", "debit"],
  ["5105105105105100", "mastercard", "prepaid"],
  ["378282246310005", "american-express"],
  ["371449635398431", "american-express"],
  ["6011111111111117", "discover", "credit"],
  ["6011000990139424", "discover", "credit"],
  ["6011981111111113", "discover", "debit"],
  ["3056930009020004", "diners-club"],
  ["36227206271667", "diners-club"],
  ["6555900000604105", "discover"],
  ["3566002020360505", "jcb", "credit", "jp"],
  ["6200000000000005", "unionpay", "credit", "cn"],
  ["6200000000000047", "unionpay", "debit", "cn"],
  ["6205500000000000004", "unionpay", undefined, "cn"],
  ["4000002500001001", "cartes-bancaires", undefined, "fr"],
  ["5555552500001001", "cartes-bancaires", undefined, "fr"],
  ["4000050360000001", "visa", "debit", "au"],
  ["5555050360000080", "mastercard", "debit", "au"],
  ["4000000320000021", "visa", undefined, "ar"],
  ["4000000760000002", "visa", undefined, "br"],
  ["4000001240000000", "visa", undefined, "ca"],
  ["4000004840008001", "visa", undefined, "mx"],
  ["4000007840000001", "visa", undefined, "ae"],
  ["5200007840000022", "mastercard", undefined, "ae"],
  ["4000002080000001", "visa", undefined, "dk"],
  ["4000002500000003", "visa", undefined, "fr"],
  ["4000002760000016", "visa", undefined, "de"],
  ["4000003720000005", "visa", undefined, "ie"],
  ["4000007520000008", "visa", undefined, "se"],
  ["4000007560000009", "visa", undefined, "ch"],
  ["4000008260000000", "visa", undefined, "gb"],
  ["4000058260000005", "visa", "debit", "gb"],
  ["5555558265554449", "mastercard", undefined, "gb"],
  ["4000000360000006", "visa", undefined, "au"],
  ["4000001560000002", "visa", undefined, "cn"],
  ["4000003560000008", "visa", undefined, "in"],
  ["4000003920000003", "visa", undefined, "jp"],
  ["3530111333300000", "jcb", undefined, "jp"],
  ["4000007020000003", "visa", undefined, "sg"],
  ["4988438843884305", "visa", undefined, "es"],
  ["4166676667666746", "visa", undefined, "nl"],
  ["4646464646464644", "visa", undefined, "pl"],
  ["4444333322221111", "visa", undefined, "gb"],
  ["4400000000000008", "visa", "debit", "us"],
  ["4977949494949497", "visa", undefined, "fr"],
  ["5100290029002909", "mastercard", undefined, "nl"],
  ["5577000055770004", "mastercard", undefined, "pl"],
  ["5136333333333335", "mastercard", undefined, "fr"],
  ["5585558555855583", "mastercard", undefined, "es"],
  ["5555444433331111", "mastercard", undefined, "gb"],
  ["5500000000000004", "mastercard", "debit", "us"],
  ["370000000000002", "american-express", undefined, "nl"],
  ["6011601160116611", "discover", undefined, "us"],
  ["36006666333344", "diners-club", undefined, "us"],
  ["3569990010095841", "jcb", undefined, "us"],
  ["6771798021000008", "maestro"],
  ["6759649826438453", "maestro", undefined, "gb"],
  ["6703444444444449", "maestro", "debit", "be"],
  ["5019555544445555", "dankort", undefined, "dk"],
  ["4360000001000005", "cartes-bancaires", undefined, "fr"],
  ["4111111111111111", "visa"],
  ["4012888888881881", "visa"],
  ["4012000033330026", "visa"],
  ["4009348888881881", "visa"],
  ["4005519200000004", "visa"],
  ["4217651111111119", "visa"],
  ["4500600000000061", "visa"],
  ["2223000048400011", "mastercard"],
  ["6011000991300009", "discover"],
  ["36259600000004", "diners-club"],
  ["6304000000000000", "maestro"],
  ["4462030000000000", "visa", "debit"],
  ["4917610000000000", "visa", "debit"],
  ["5454545454545454", "mastercard"],
  ["2221000000000009", "mastercard"],
  ["343434343434343", "american-express"],
  ["36148900647913", "diners-club"],
  ["3528000700000000", "jcb"],
]
const FACTS = ["brand", "funding", "segment", "country", "currency", "issuer"] as const

const bodyOf = async (path: string, body: object) => {
  const { status, text, json } = await service.post(path, body)
  expect(status, text).toBeLessThan(300)
  return z.record(z.string(), z.unknown()).parse(json)
}

test.each(PUBLISHED)(
  "the test number %s is %s, with its published facts, by look-up, fingerprint and insight",
  async (number, brand, funding, country) => {
    const { json: token } = await service.post("/encrypt", JSON.stringify(number))
    const lookup = await bodyOf("/payments/bin-lookups", { number })
    expect(lookup).toMatchObject({
      type: "card",
      brand,
      ...(funding && { funding }),
      ...(country && { country }),
    })
    const { metadata } = z
      .looseObject({ metadata: z.record(z.string(), z.unknown()) })
      .parse(await bodyOf("/fingerprint", { token }))
    const { bin } = z
      .looseObject({ bin: z.record(z.string(), z.unknown()) })
      .parse(await bodyOf("/insights/cards", { card: { number: token } }))
    for (const name of FACTS)
      expect([name, metadata[name], bin[name]]).toEqual([name, lookup[name], lookup[name]])
  },
)
