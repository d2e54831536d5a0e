import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { EncryptedNames } from "./encrypted-names.ts"

const isTaken = (name: string, ...encrypted: string[]) =>
  new EncryptedNames(encrypted).takenFor(name) !== null

describe("a field name", () => {
  test.each([
    ["card", "card"],
    ["[card]", "card"],
    ["card[]", "card"],
    ["[card", "card"],
    ["card]", "card"],
    ["card[0]", "card"],
    ["card[x][y]", "card"],
    ["card.x", "card"],
    ["card[", "card"],
    [" card\t", "card"],
    ["\0\x1f card\x7f", "card"],
    ["\ufeffcard", "card"],
    ["\u00a0card\u3000", "card"],
    ["card\0x", "card"],
    ["!card", "card"],
    ["?card", "card"],
    ["! ?card", "card"],
    ["CARD", "card"],
    ["card", "CARD"],
    ["\u212aey", "key"],
    ["card.number", "card_number"],
    ["card number", "card_number"],
    ["card[number", "card_number"],
    ["card_number", "card.number"],
    ["card.number[0]", "card_number"],
    ["card.number", "card[number]"],
    ["card[number]", "card.number"],
    ["card['number']", "card[number]"],
    ['card["number"]', "card[number]"],
    ["card[ number]", "card[number]"],
    ["card[number][]", "card[number]"],
    ["items[7][card]", "items[0][card]"],
    ["items[][card]", "items[0][card]"],
    ["items", "items[]"],
    ["items[1]", "items[]"],
    ["[0]", "0"],
    ["items", "items[0]"],
    ["x[card]", "card"],
    ["x.card", "card"],
    ["order.Card.number", "card"],
    ["a.b.card[number]", "card.number"],
    ["items[0].card", "card"],
  ])("%j could be read as %j", (name, encrypted) => {
    expect(isTaken(name, encrypted)).toBe(true)
    expect(isTaken(name, "other", encrypted)).toBe(true)
  })

  test.each([
    ["car", "card"],
    ["cards", "card"],
    ["card_number", "card"],
    ["cardnumber", "card_number"],
    ["a card", "card"],
    ["x.cards", "card"],
    ["x.card", "card.number"],
    ["number.card", "card.number"],
    ["ca\u0000rd", "card"],
    ["card", "card[number]"],
    ["card[x]", "card[number]"],
    ["card_number", "card[number]"],
    ["number", "card[number]"],
    ["items[0][name]", "items[0][card]"],
    ["1", "0"],
    ["", "card"],
    ["[]", "card"],
    ["[0]", "card"],
    ["constructor", "card"],
    ["__proto__", "card"],
  ])("%j is only read as %j", (name, encrypted) => {
    expect(isTaken(name, encrypted)).toBe(false)
  })

  test("is case-sensitive when parsers are", () => {
    const names = new EncryptedNames(["card"], { isCaseSensitive: true })
    expect([names.takenFor("Card"), names.takenFor("[card]")]).toEqual([null, "card"])
  })

  test("is never confused when none is encrypted, or one that only consists of signs", () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        expect(isTaken(name)).toBe(false)
        expect(isTaken(`a${name}`, "[]", ".", "!")).toBe(false)
      }),
    )
  })

  test("is recognised with anything around it that parsers drop", () => {
    const noise = fc.string({ unit: fc.constantFrom(" ", "\t", "\0", "!", "?", "[", "]", "\ufeff") })
    const behind = fc.string({ unit: fc.constantFrom("[", "]", "[0]", "[x]", "\0", ".") })
    fc.assert(
      fc.property(noise, fc.constantFrom("card", "a[b]", "x_y"), behind, (before, name, after) => {
        const drops = before.replace(/^[\s\0!?\ufeff]+/, "").replace(/[[\]]/g, "")
        if (drops === "") expect(isTaken(`${before}${name}${after}`, name)).toBe(true)
      }),
    )
  })

  test("needs few steps, however many brackets it has", () => {
    for (const name of ["[".repeat(1_000_000), "a[0]".repeat(1_000_000), ` ${"\0".repeat(1_000_000)}`]) {
      expect(isTaken(name, "card", "a[b][c]")).toBe(false)
    }
  })
})
