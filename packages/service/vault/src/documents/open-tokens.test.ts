import { processTurns } from "@sealway/kernel"
import { InvalidTokenError } from "@sealway/tokens"
import { describe, expect, test } from "vitest"
import { openTokens } from "./open-tokens.ts"

const TOKEN =
  "ev:Tk9D:1sfU+3Xel3OLnQXM:A2JJim2nKSbHK+7gL5Ydow6UPGprFBT8XrVNkSL7+YKF:U9juPHngC2oIBmKvBfqRf8K2KZiovtcwde7a1B+RPfE:$"
const DOCUMENT = Buffer.from(JSON.stringify({ plain: 1, cards: ["x", TOKEN] }))

/** Opens a document whose tokens fail with a problem. */
const open = async (problem: Error) =>
  processTurns.run(
    openTokens(
      DOCUMENT,
      {
        openToken: () => Promise.reject(problem),
        asksAws: () => false,
        openFile: () => Promise.reject(problem),
      },
      { turns: processTurns },
      () => null,
    ),
  )

describe("a token that cannot be opened", () => {
  test("is refused with invalid-request at its place, without a reason", async () => {
    await expect(open(new InvalidTokenError())).rejects.toMatchObject({
      code: "invalid-request",
      fields: [{ pointer: "/cards/1", reason: "The value cannot be decrypted." }],
    })
  })

  test("causes a server error, not invalid-request, when the service has a fault", async () => {
    const fault = new Error("KMS cannot be reached")
    await expect(open(fault)).rejects.toBe(fault)
  })
})
