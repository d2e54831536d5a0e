import fc from "fast-check"
import { describe, expect, test, vi } from "vitest"
import { charactersOf, withAsciiDigits } from "./characters.ts"
import { applyMask, MAX_MASKED_LENGTH, type Mask } from "./mask.ts"
import { patternProblem } from "./mask-pattern.ts"

const last = (count: number, keepLength = false): Mask => ({ type: "last", count, keepLength })
const card = (first: 6 | 8 = 6, keepLength = false): Mask => ({ type: "first-last", first, keepLength })
const email = (keepLength = false): Mask => ({ type: "email", keepLength })
const year: Mask = { type: "date", shows: "year" }
const month: Mask = { type: "date", shows: "month" }

describe("a mask", () => {
  test.each<[Mask, string, string]>([
    [last(4), "4242424242424242", "•••4242"],
    [last(4, true), "4242424242424242", "••••••••••••4242"],
    [last(4), "123456789012345", "•••"],
    [last(1), "e\u0301".repeat(4), "•••e\u0301"],
    [last(1), "👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", "•••👩‍👩‍👧"],
    [card(), "4242424242424242", "424242•••4242"],
    [card(8), "4242 4242 4242 4242", "42424242•••4242"],
    [card(8, true), "4242-4242-4242-4242", "42424242••••4242"],
    [card(8), "378282246310005", "378282•••0005"],
    [card(), "٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢", "424242•••4242"],
    [card(), "𝟜𝟚𝟜𝟚𝟜𝟚𝟜𝟚𝟜𝟚𝟜𝟚𝟜𝟚𝟜𝟚", "424242•••4242"],
    [card(), "424242424242", "•••"],
    [card(), "42424242424242424242", "•••"],
    [card(), "4242424242424242x", "•••"],
    [email(), "ada@example.com", "a•••@example.com"],
    [email(true), "ada@example.com", "a••@example.com"],
    [email(), "a@example.com", "•••@example.com"],
    [email(), "用户@例子.公司", "用•••@例子.公司"],
    [email(), '"a@b"@mail.example.co.uk', '"•••@mail.example.co.uk'],
    [email(), "hunter@2secret", "•••"],
    [email(), "pass@word with.spaces", "•••"],
    [email(), "ada.example.com", "•••"],
    [email(), "@example.com", "•••"],
    [{ type: "name" }, "Ada King Lovelace", "A. K. L."],
    [{ type: "name" }, "  Émile\tZola ", "É. Z."],
    [{ type: "name" }, "李 小明", "• 小."],
    [{ type: "name" }, "X", "•"],
    [{ type: "name" }, "Agent 007", "•••"],
    [{ type: "name" }, "one two three four five six", "•••"],
    [{ type: "name" }, "", "•••"],
    [year, "1985-04-12", "1985-••-••"],
    [month, "1985-04-12", "1985-04-••"],
    [month, "1985-4-12T10:00:00Z", "1985-04-••"],
    [month, "12/04/1985", "1985-••-••"],
    [year, "12.04.1985", "1985-••-••"],
    [year, "١٩٨٥-٠٤-١٢", "1985-••-••"],
    [year, "1985-13-12", "•••"],
    [year, "4242-4242", "•••"],
    [year, "12.4/1985", "•••"],
    [{ type: "phone" }, "+44 20 7946 0958", "+44•••58"],
    [{ type: "phone" }, "+1 (415) 555-2671", "+1•••71"],
    [{ type: "phone" }, "+353 1 234 5678", "+353•••78"],
    [{ type: "phone" }, "+39 06 1234 5678", "+39•••78"],
    [{ type: "phone" }, "020 7946 0958", "•••58"],
    [{ type: "phone" }, "+683 4000", "•••"],
    [{ type: "phone" }, "+", "•••"],
    [{ type: "phone" }, "call me", "•••"],
    [{ type: "ip" }, "203.0.113.7", "203.0.0.0/16"],
    [{ type: "ip" }, "2001:db8:1:2::7", "2001:db8:1::/48"],
    [{ type: "ip" }, "::ffff:203.0.113.7", "203.0.0.0/16"],
    [{ type: "ip" }, "fe80::1%eth0", "•••"],
    // 6to4, Teredo, NAT64 twice, IPv4-compatible, IPv4-translated.
    [{ type: "ip" }, "2002:cb00:7107::1", "•••"],
    [{ type: "ip" }, "2001:0:cb00:7107::", "•••"],
    [{ type: "ip" }, "64:ff9b::203.0.113.7", "•••"],
    [{ type: "ip" }, "64:ff9b:1::203.0.113.7", "•••"],
    [{ type: "ip" }, "::203.0.113.7", "203.0.0.0/16"],
    [{ type: "ip" }, "::cb00:7107", "•••"],
    [{ type: "ip" }, "::ffff:0:203.0.113.7", "•••"],
    [{ type: "ip" }, "fd00::1", "•••"],
    [{ type: "ip" }, "2001:db8:1::5efe:203.0.113.7", "2001:db8:1::/48"],
    [{ type: "ip" }, "3405803783", "•••"],
    [{ type: "fixed", text: "hidden" }, "anything", "hidden"],
    [{ type: "fixed", text: "" }, "x".repeat(10_000), ""],
    [{ type: "pattern", pattern: "***-**-####" }, "078-05-1120", "•••-••-1120"],
    [{ type: "pattern", pattern: "***-**-####" }, "078051120", "•••"],
    [{ type: "pattern", pattern: "***-**-####" }, "078/05/1120", "•••"],
    [{ type: "pattern", pattern: "#**" }, "éab", "é••"],
  ])("%o shows %s as %s", (mask, value, shown) => {
    expect(applyMask(mask, value)).toBe(shown)
  })

  test.each<Mask>([last(4), card(), email(), { type: "name" }, year, { type: "phone" }, { type: "ip" }])(
    "%o hides a value that is longer than any that it knows",
    (mask) => {
      expect(applyMask(mask, "4".repeat(MAX_MASKED_LENGTH + 1))).toBe("•••")
    },
  )

  test("shows the last characters of a value of the greatest length", () => {
    expect(applyMask(last(2), "é".repeat(MAX_MASKED_LENGTH))).toBe("•••éé")
  })
})

test("every decimal digit of Unicode is the one of ASCII by its place in its ten", () => {
  const digits = Array.from({ length: 0x11_0000 }, (_, codePoint) => codePoint)
    .filter((codePoint) => codePoint < 0xd800 || codePoint > 0xdfff)
    .map((codePoint) => String.fromCodePoint(codePoint))
    .join("")
    .match(/\p{Nd}/gu)
  expect(withAsciiDigits((digits ?? []).join(""))).toMatch(/^(?:0123456789){70,}$/)
})

test("reading a digit takes no more steps for a nine than for a zero", () => {
  const steps = [vi.spyOn(RegExp.prototype, "test"), vi.spyOn(String, "fromCodePoint")] as const
  const stepsFor = (text: string) => {
    for (const each of steps) each.mockClear()
    withAsciiDigits(text)
    return steps.map((each) => each.mock.calls.length)
  }
  stepsFor("٠")
  const [zeros, nines] = [stepsFor("٠".repeat(15)), stepsFor("٩".repeat(15))]
  for (const each of steps) each.mockRestore()
  expect(nines).toEqual(zeros)
})

describe("a pattern is refused", () => {
  test.each(["", "---", "####", "##-*", "#"])("that hides too little: %s", (pattern) => {
    expect(patternProblem(pattern)).toMatch(/hide at least/)
  })
  test("never when it hides half of the characters", () => {
    expect(patternProblem("##-**")).toBeNull()
  })
})

/** Texts of any script, and texts that look like what masks expect. */
const texts = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({
    unit: fc.constantFrom("4", "٤", "𝟜", " ", "-", "+", ".", "/", "@", "a", "é", ":"),
    maxLength: 40,
  }),
  fc.emailAddress(),
  fc.ipV4(),
  fc.ipV6(),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.string({ unit: fc.constantFrom("a", "B", "e\u0301", "李", " ", "x"), maxLength: 40 }),
)
const lengths = fc.boolean()
const without = (bullets: string) => bullets.replaceAll("•", "")

describe("whatever the value", () => {
  test("`last` shows the end, and at most a quarter of the characters", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 10 }), lengths, (text, count, keepLength) => {
        const characters = charactersOf(text)
        const masked = applyMask(last(count, keepLength), text)
        if (masked === "•••" && characters.length < 4 * count) return true
        const shown = characters.slice(-count).join("")
        expect(count * 4).toBeLessThanOrEqual(characters.length)
        return masked === (keepLength ? "•".repeat(characters.length - count) : "•••") + shown
      }),
    )
  })

  test("`first-last` shows at most the first eight and last four digits, and hides at least three", () => {
    fc.assert(
      fc.property(texts, fc.constantFrom(6 as const, 8 as const), lengths, (text, first, keepLength) => {
        const digits = withAsciiDigits(text).replace(/[^0-9]/g, "")
        const shown = without(applyMask(card(first, keepLength), text))
        if (shown === "") return true
        expect(shown.length).toBe(digits.length < 16 ? 10 : first + 4)
        expect(digits.length - shown.length).toBeGreaterThanOrEqual(3)
        return digits.startsWith(shown.slice(0, -4)) && digits.endsWith(shown.slice(-4))
      }),
    )
  })

  test("`email` shows the domain and one of at least two characters before it", () => {
    fc.assert(
      fc.property(texts, lengths, (text, keepLength) => {
        const masked = applyMask(email(keepLength), text)
        if (masked === "•••") return true
        const [first = "", ...others] = charactersOf(text.slice(0, text.lastIndexOf("@")))
        const [shown, hidden] = others.length === 0 ? ["", 1] : [first, others.length]
        const bullets = keepLength ? "•".repeat(hidden) : "•••"
        return masked === `${shown}${bullets}${text.slice(text.lastIndexOf("@"))}`
      }),
    )
  })

  test("`name` shows one letter of each of at most five words, never a whole word", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const masked = applyMask({ type: "name" }, text)
        if (masked === "•••") return true
        const words = text.trim().split(/\s+/u)
        const parts = masked.split(" ")
        expect(parts.length).toBe(words.length)
        expect(parts.length).toBeLessThanOrEqual(5)
        return parts.every((part, index) => {
          if (part === "•") return true
          const letters = charactersOf(words[index] ?? "")
          return part === `${letters[0]}.` && letters.length > 1
        })
      }),
    )
  })

  test("`date` shows no day, and no month unless it is asked for", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(applyMask(year, text)).toMatch(/^(?:•••|[0-9]{4}-••-••)$/)
        expect(applyMask(month, text)).toMatch(/^(?:•••|[0-9]{4}-(?:••|0[1-9]|1[0-2])-••)$/)
      }),
    )
  })

  test("`phone` shows at most a country code and two of at least six digits", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const masked = applyMask({ type: "phone" }, text)
        if (masked === "•••") return true
        const digits = withAsciiDigits(text).replace(/[^0-9]/g, "")
        const [, code = "", end = ""] = /^\+?([0-9]{0,3})•••([0-9]{2})$/.exec(masked) ?? []
        expect(digits.length - code.length).toBeGreaterThanOrEqual(6)
        return digits.startsWith(code) && digits.endsWith(end) && end !== ""
      }),
    )
  })

  test("`ip` shows no host", () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(applyMask({ type: "ip" }, text)).toMatch(
          /^(?:•••|[0-9]+\.[0-9]+\.0\.0\/16|[0-9a-f:]+::?\/48)$/,
        )
      }),
    )
  })

  test("`pattern` shows the characters at its places", () => {
    const patterns = fc.string({ unit: fc.constantFrom("#", "*", "-"), minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(texts, patterns, (text, pattern) => {
        const masked = applyMask({ type: "pattern", pattern }, text)
        const characters = charactersOf(text)
        if (characters.length !== pattern.length) return masked === "•••"
        const expected = characters.map((each, index) => (pattern[index] === "*" ? "•" : each)).join("")
        return masked === "•••" || masked === expected
      }),
    )
  })

  test("`fixed` shows nothing of it", () => {
    fc.assert(fc.property(texts, (text) => applyMask({ type: "fixed", text: "hidden" }, text) === "hidden"))
  })
})
