import type { App } from "@sealway/accounts"
import { TEST_APP } from "@sealway/accounts/testing"
import { createTestKeyring } from "@sealway/keys/testing"
import { RANDOM_DRAWS } from "@sealway/ports"
import { createMemoryTable } from "@sealway/ports/testing"
import {
  type AReq,
  type ARes,
  decodeMessage,
  type Erro,
  encodeMessage,
  type RReq,
  type RRes,
  readARes,
  readCRes,
  readMethodNotification,
  readRReq,
  type Transaction,
  transactionOf,
  writeCReq,
  writeMethodData,
} from "@sealway/three-d-secure"
import { BROWSER_2_2_0, BROWSER_2_3_1, MERCHANT_2_2_0 } from "@sealway/three-d-secure/testing"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { ReceiveResults } from "../../three-d-secure-network.ts"
import { createSandboxNetwork } from "../create-sandbox-network.ts"
import { outcomeNumber } from "../outcome-of.ts"
import { createSandboxAccounts } from "../sandbox-accounts.ts"
import { answerAReq } from "./access-control-server.ts"
import { answerChallenge, openChallenge } from "./answer-browser.ts"
import {
  advanceChallenge,
  CHALLENGE_MS,
  type ChallengeAction,
  newChallenge,
  ONE_TIME_CODE,
} from "./challenge.ts"
import { createChallenge } from "./challenge-table.ts"
import { forwardAReq } from "./directory-server.ts"
import { methodPage } from "./method-page.ts"
import { shownAmount } from "./shown-amount.ts"

const START_MS = 1_700_000_000_000
const KEY = Buffer.alloc(32, 7)

interface WorldOptions {
  readonly app?: App
  readonly answer?: (rres: RRes) => RRes | Erro
}

async function createWorld({ app = TEST_APP, answer = (rres) => rres }: WorldOptions = {}) {
  const clock = { nowMs: START_MS }
  const keyring = createTestKeyring()
  await keyring.addVersion(app)
  const paymentsTable = createMemoryTable({ wallClock: () => clock.nowMs })
  const apps = new Map([[app.id, app]])
  const rreqs: unknown[] = []
  const warnings: unknown[] = []
  let isFailing = false
  const receiveResults: ReceiveResults = async (_, rreq) => {
    if (isFailing) throw new Error("The table is away")
    rreqs.push(rreq)
    const { messageVersion, threeDSServerTransID, dsTransID, acsTransID } = rreq as RReq
    const ids = { messageVersion, threeDSServerTransID, dsTransID, acsTransID }
    return answer({ messageType: "RRes", ...ids, resultsStatus: "01" })
  }
  const network = createSandboxNetwork({
    app,
    wallClock: () => clock.nowMs,
    key: async () => KEY,
    accounts: createSandboxAccounts({ paymentsTable, keyring, now: () => clock.nowMs }),
    storeChallenge: (capability, challenge) =>
      createChallenge({ paymentsTable, keyring }, app, capability, challenge),
  })
  const serving = {
    paymentsTable,
    keyring,
    receiveResults,
    wallClock: () => clock.nowMs,
    keyOf: async () => KEY,
    directory: { app: async (id: string) => apps.get(id) ?? null },
    log: { warn: (...told: unknown[]) => void warnings.push(told) },
  }
  return {
    clock,
    network,
    serving,
    rreqs,
    warnings,
    apps,
    paymentsTable,
    setFailing: (is: boolean) => {
      isFailing = is
    },
  }
}
type World = Awaited<ReturnType<typeof createWorld>>

const withOutcome = (areq: AReq, outcome: string, brand: "visa" | "mastercard" = "visa"): AReq => ({
  ...areq,
  acctNumber: outcomeNumber(brand, outcome),
})

async function ask({ network }: World, areq: AReq) {
  const { message } = await network.authenticate({ directoryServer: "visa", areq })
  return readARes(message, transactionOf(areq))
}

async function challenged(world: World, areq: AReq = withOutcome(BROWSER_2_2_0, "303")) {
  const reading = await ask(world, areq)
  if (reading.kind !== "message") throw new Error(JSON.stringify(reading))
  const { message } = reading
  const transaction = transactionOf(areq, message)
  const capability = new URL(message.acsURL ?? "").pathname.split("/").at(-1) ?? ""
  const creq = encodeMessage(creqOf(transaction))
  return { message, transaction, capability, creq }
}

function creqOf(transaction: Transaction): string {
  const { messageVersion, threeDSServerTransID, acsTransID = "" } = transaction
  const ids = { messageVersion, threeDSServerTransID, acsTransID }
  return writeCReq({ messageType: "CReq", ...ids, challengeWindowSize: "05" }, transaction)
}

type Page = Awaited<ReturnType<typeof openChallenge>>
const html = ({ body }: Page) => body.bytes.toString()
const fieldOf = (page: Page, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(html(page))?.[1]
const cresOf = (page: Page) => decodeMessage(fieldOf(page, "cres") ?? "") ?? ""

const code = (text: string): ChallengeAction => ({ type: "code", code: text })

describe("the sandbox's directory server and issuer", () => {
  test.each([
    ["301", { transStatus: "Y", eci: "05" }],
    ["302", { transStatus: "A", eci: "06" }],
    ["303", { transStatus: "C", acsChallengeMandated: "Y" }],
    ["304", { transStatus: "N", transStatusReason: "01" }],
    ["305", { transStatus: "U", transStatusReason: "13" }],
    ["306", { transStatus: "N", transStatusReason: "08" }],
    ["307", { transStatus: "R", transStatusReason: "11" }],
    ["310", { transStatus: "N", transStatusReason: "14" }],
    ["311", { transStatus: "U", transStatusReason: "22" }],
    ["314", { transStatus: "N", transStatusReason: "06" }],
    ["315", { transStatus: "N", transStatusReason: "12" }],
    ["318", { transStatus: "N", transStatusReason: "01", cardholderInfo: expect.anything() }],
    ["999", { transStatus: "Y" }],
  ])("answer a number ending %s with %j, in both versions", async (outcome, expected) => {
    const world = await createWorld()
    for (const areq of [BROWSER_2_2_0, BROWSER_2_3_1]) {
      expect(await ask(world, withOutcome(areq, outcome))).toMatchObject({
        kind: "message",
        message: expected,
      })
    }
  })

  test.each([
    ["308", "303"],
    ["309", "102"],
    ["312", "404"],
    ["313", "403"],
    ["316", "201"],
    ["317", "203"],
  ])("answer a number ending %s with an Erro %s", async (outcome, errorCode) => {
    const reading = await ask(await createWorld(), withOutcome(BROWSER_2_2_0, outcome))
    expect(reading).toMatchObject({
      kind: "error",
      erro: { errorCode, errorComponent: "D", errorMessageType: "AReq" },
    })
  })

  test("challenge when requested, and never when the cardholder is absent or only data is shared", async () => {
    const world = await createWorld()
    const statusOf = async (areq: AReq) => {
      const reading = await ask(world, areq)
      return reading.kind === "message" ? reading.message.transStatus : reading
    }
    expect(await statusOf(BROWSER_2_2_0)).toBe("C")
    const plain = { ...BROWSER_2_2_0, acctNumber: "4242424242424242" }
    for (const wish of ["03", "04"]) {
      expect(await statusOf({ ...plain, threeDSRequestorChallengeInd: wish })).toBe("C")
    }
    for (const wish of ["01", "02", "05", "06", "07"]) {
      expect(await statusOf({ ...plain, threeDSRequestorChallengeInd: wish })).toBe("Y")
    }
    expect(
      await statusOf({
        ...BROWSER_2_3_1,
        acctNumber: "4242424242424242",
        threeDSRequestorChallengeInd: ["01", "04"],
      }),
    ).toBe("C")
    expect(await statusOf({ ...BROWSER_2_2_0, threeDSRequestorChallengeInd: "06" })).toBe("Y")
    expect(await statusOf(withOutcome(MERCHANT_2_2_0, "303"))).toBe("Y")
  })

  test("answer the same request with the same ids, which are unpredictable without the app's key", async () => {
    const [one, other] = [await createWorld(), await createWorld()]
    const first = await challenged(one)
    expect(await challenged(other)).toEqual(first)
    expect(await challenged(one)).toEqual(first)
    expect(first.capability).toMatch(/^[A-Za-z0-9_-]{32}$/)
    const another = await challenged(one, { ...BROWSER_2_2_0, threeDSServerTransID: crypto.randomUUID() })
    expect(another.capability).not.toBe(first.capability)
    expect(another.message.acsTransID).not.toBe(first.message.acsTransID)
  })

  test("return Mastercard's indicators for Mastercard", async () => {
    const world = await createWorld()
    const eciOf = async (outcome: string) => {
      const reading = await ask(world, withOutcome(BROWSER_2_3_1, outcome, "mastercard"))
      return reading.kind === "message" ? reading.message.eci : null
    }
    expect([await eciOf("301"), await eciOf("302")]).toEqual(["02", "01"])
  })

  test("use the origin of the results URL for the challenge page", async () => {
    const { message } = await challenged(await createWorld())
    expect(new URL(message.acsURL ?? "").origin).toBe(new URL(BROWSER_2_2_0.threeDSServerURL).origin)
  })

  test("answer what cannot be processed with an Erro from the component that found it", async () => {
    const broken = JSON.stringify({ ...BROWSER_2_2_0, mcc: "1" })
    const never = () => Promise.reject(new Error("The issuer is not asked"))
    expect(JSON.parse(await forwardAReq(broken, { key: async () => KEY, askIssuer: never }))).toMatchObject({
      errorCode: "203",
      errorComponent: "D",
      errorDetail: "mcc",
    })
    const issuer = { wallClock: () => START_MS, key: async () => KEY, storeChallenge: never }
    expect(JSON.parse(await answerAReq(broken, issuer))).toMatchObject({
      errorComponent: "A",
      errorDetail: "mcc",
    })
    expect(JSON.parse(await answerAReq(JSON.stringify(BROWSER_2_2_0), issuer))).toMatchObject({
      errorCode: "201",
      errorDetail: "dsTransID",
    })
    const erro = JSON.stringify({ messageType: "Erro" })
    for (const answer of [erro, "{", '{"messageType":"ARes"}']) {
      const forwarded = await forwardAReq(JSON.stringify(BROWSER_2_2_0), {
        key: async () => KEY,
        askIssuer: async () => answer,
      })
      expect(JSON.parse(forwarded)).toMatchObject({ messageType: "Erro", errorComponent: "D" })
    }
  })

  test("know the versions of a number like BIN look-ups, and where fingerprints are taken", async () => {
    const { network } = await createWorld()
    const versionsOf = async (number: string) => {
      const { range } = await network.threeDSRange({ number, serviceOrigin: "https://api.example.com" })
      return range && [range.directoryServer, ...range.versions.map(({ version }) => version)]
    }
    expect(await versionsOf(outcomeNumber("visa", "301"))).toEqual(["visa", "2.2.0"])
    expect(await versionsOf(outcomeNumber("mastercard", "301"))).toEqual(["mastercard", "2.2.0", "2.3.1"])
    expect(await versionsOf(outcomeNumber("jcb", "301"))).toEqual(["jcb", "2.2.0"])
    expect(await versionsOf("9999999999999995")).toBeNull()
    const { range } = await network.threeDSRange({
      number: "4242424242424242",
      serviceOrigin: "https://api.example.com",
    })
    expect(range?.versions[0]?.threeDSMethodURL).toBe("https://api.example.com/sandbox/3ds/methods/app_1")
  })
})

describe("a sandbox challenge", () => {
  const played = async (
    actions: readonly ChallengeAction[],
    { areq = withOutcome(BROWSER_2_2_0, "303"), advanceMs = 0 }: { areq?: AReq; advanceMs?: number } = {},
  ) => {
    const world = await createWorld()
    const { capability, creq, transaction } = await challenged(world, areq)
    let page = await openChallenge(world.serving, { capability }, creq)
    world.clock.nowMs += advanceMs
    for (const action of actions) page = await answerChallenge(world.serving, { capability }, action)
    const [rreq] = world.rreqs
    return {
      ...world,
      page,
      capability,
      creq,
      transaction,
      rreq: readRReq((rreq ?? "") as object as Record<string, unknown>, transaction),
    }
  }

  test.each<readonly [string, readonly ChallengeAction[], object, "Y" | "N"]>([
    ["the right code", [code(ONE_TIME_CODE)], { transStatus: "Y", eci: "05", interactionCounter: "01" }, "Y"],
    [
      "a wrong code, then the right one",
      [code("1"), code(ONE_TIME_CODE)],
      { transStatus: "Y", interactionCounter: "02" },
      "Y",
    ],
    [
      "three wrong codes",
      [code("1"), code(""), code("1234567")],
      { transStatus: "N", transStatusReason: "19", interactionCounter: "03" },
      "N",
    ],
    [
      "three wrong codes, then the right one",
      [code("1"), code("2"), code("3"), code(ONE_TIME_CODE)],
      { transStatus: "N", transStatusReason: "19" },
      "N",
    ],
    ["the button to succeed", [{ type: "succeed" }], { transStatus: "Y" }, "Y"],
    ["the button to fail", [{ type: "fail" }], { transStatus: "N", transStatusReason: "01" }, "N"],
    ["the button to cancel", [{ type: "cancel" }], { transStatus: "N", challengeCancel: "01" }, "N"],
  ])("ends by %s", async (_, actions, expected, transStatus) => {
    for (const areq of [withOutcome(BROWSER_2_2_0, "303"), withOutcome(BROWSER_2_3_1, "303")]) {
      const { rreq, page, transaction } = await played(actions, { areq })
      expect(rreq).toMatchObject({ kind: "message", message: expected })
      expect(readCRes(cresOf(page), transaction)).toMatchObject({ kind: "message", message: { transStatus } })
    }
  })

  test("proves in its results what an answer without a challenge would have proved", async () => {
    const { rreq } = await played([{ type: "succeed" }])
    const value = rreq.kind === "message" ? rreq.message.authenticationValue : null
    expect(Buffer.from(value ?? "", "base64")).toHaveLength(20)
  })

  test("ends as timed out once its time is over, whatever happens then", async () => {
    for (const action of [code(ONE_TIME_CODE), { type: "leave" }, { type: "succeed" }] as const) {
      const { rreq } = await played([action], { advanceMs: CHALLENGE_MS })
      expect(rreq).toMatchObject({
        message: { transStatus: "N", transStatusReason: "14", challengeCancel: "04" },
      })
    }
    const { rreq } = await played([{ type: "succeed" }], { advanceMs: CHALLENGE_MS - 1 })
    expect(rreq).toMatchObject({ message: { transStatus: "Y" } })
    const early = await played([{ type: "leave" }], { advanceMs: CHALLENGE_MS - 1 })
    expect(early.rreqs).toEqual([])
  })

  test("ends as never started when the first CReq comes too late", async () => {
    const world = await createWorld()
    const { capability, creq, transaction } = await challenged(world)
    world.clock.nowMs += CHALLENGE_MS
    await openChallenge(world.serving, { capability }, creq)
    const rreq = world.rreqs[0] as Record<string, unknown>
    expect(readRReq(rreq, transaction)).toMatchObject({
      message: { transStatusReason: "14", challengeCancel: "05" },
    })
  })

  test("is not found once it has expired, with another capability, or for an app that left the sandbox", async () => {
    const world = await createWorld()
    const { capability, creq } = await challenged(world)
    const open = (name: string) => openChallenge(world.serving, { capability: name }, creq)
    await expect(open(`${capability}A`)).rejects.toMatchObject({ code: "not-found" })
    await expect(open("")).rejects.toMatchObject({ code: "not-found" })
    for (const change of [{ environment: "production" }, { status: "disabled" }] as const) {
      world.apps.set("app_1", { ...TEST_APP, ...change })
      await expect(open(capability)).rejects.toMatchObject({ code: "not-found" })
    }
    world.apps.set("app_1", TEST_APP)
    await open(capability)
    world.clock.nowMs += 4 * CHALLENGE_MS
    await expect(open(capability)).rejects.toMatchObject({ code: "not-found" })
  })

  test("shows its page again when the browser posts the CReq again", async () => {
    const { serving, capability, creq, rreqs } = await played([code("1")])
    expect(html(await openChallenge(serving, { capability }, creq))).toContain("One-time code")
    expect(rreqs).toEqual([])
  })

  test("keeps its result, and returns it again", async () => {
    const { serving, capability, creq, rreqs, page } = await played([{ type: "fail" }])
    expect(await answerChallenge(serving, { capability }, { type: "succeed" })).toEqual(page)
    expect(await openChallenge(serving, { capability }, creq)).toEqual(page)
    expect(rreqs).toHaveLength(3)
    expect(new Set(rreqs.map((rreq) => JSON.stringify(rreq))).size).toBe(1)
  })

  test("ends once when browsers answer at the same time", async () => {
    const { serving, capability, rreqs } = await played([])
    const actions: ChallengeAction[] = [{ type: "succeed" }, { type: "fail" }, { type: "cancel" }]
    await Promise.all(actions.map((action) => answerChallenge(serving, { capability }, action)))
    expect(new Set(rreqs.map((rreq) => JSON.stringify(rreq))).size).toBe(1)
  })

  test("lets the browser continue only when the results are stored", async () => {
    const { serving, capability, rreqs, setFailing } = await played([])
    setFailing(true)
    await expect(answerChallenge(serving, { capability }, { type: "succeed" })).rejects.toThrow()
    setFailing(false)
    await answerChallenge(serving, { capability }, { type: "leave" })
    expect(rreqs).toMatchObject([{ transStatus: "Y" }])
  })

  test("logs that results were refused, and nothing of them", async () => {
    const world = await createWorld({
      answer: ({ messageVersion }) => ({
        messageType: "Erro",
        messageVersion,
        errorCode: "301",
        errorComponent: "S",
        errorDescription: "Unknown",
        errorDetail: "threeDSServerTransID",
      }),
    })
    const { capability } = await challenged(world)
    await answerChallenge(world.serving, { capability }, { type: "succeed" })
    expect(world.warnings).toEqual([
      ["could not accept the results of a challenge", { appId: "app_1", errorCode: "301" }],
    ])
  })

  test.each([
    ["is not base64url", () => "?"],
    ["is not JSON", () => encodeMessage("{")],
    [
      "is of another transaction",
      (creq: string) =>
        encodeMessage(
          creq.replace(/"acsTransID":"[^"]*"/, '"acsTransID":"99999999-9999-4999-8999-999999999999"'),
        ),
    ],
    ["is an Erro", () => encodeMessage('{"messageType":"Erro"}')],
  ])("ends without authentication, and returns an Erro, when the CReq %s", async (_, change) => {
    const world = await createWorld()
    const { capability, transaction } = await challenged(world)
    const page = await openChallenge(world.serving, { capability }, change(creqOf(transaction)))
    expect(readCRes(cresOf(page), transaction)).toMatchObject({
      kind: "error",
      erro: { errorComponent: "A" },
    })
    expect(world.rreqs).toMatchObject([{ transStatus: "U", challengeCancel: "06" }])
    const again = await openChallenge(world.serving, { capability }, encodeMessage(creqOf(transaction)))
    expect(readCRes(cresOf(again), transaction)).toMatchObject({ message: { transStatus: "N" } })
  })

  test("stores nothing readable, and no capability", async () => {
    const world = await createWorld()
    const { capability, transaction } = await challenged(world)
    const kept = JSON.stringify([...world.paymentsTable.items])
    for (const secret of [capability, transaction.threeDSServerTransID, "A shop", "3030", "1099"]) {
      expect(kept).not.toContain(secret)
    }
  })
})

describe("a sandbox page", () => {
  const evil = `"><script>alert(1)</script>`

  test("shows the merchant, the amount and the last four digits, and no number", async () => {
    const world = await createWorld({ app: { ...TEST_APP, allowedOrigins: ["https://shop.example.com"] } })
    const { capability, creq } = await challenged(world)
    const page = await openChallenge(world.serving, { capability }, creq)
    expect(html(page)).toContain("Card ending 3030: pay 10.99 EUR at A shop.")
    expect(html(page)).not.toContain("4000000000003030")
    expect(page.headers["content-security-policy"]).toBe(
      `default-src 'none'; base-uri 'none'; ${/style-src 'sha256-\S+'/.exec(page.headers["content-security-policy"] ?? "")?.[0]}; ` +
        `${/script-src 'sha256-\S+'/.exec(page.headers["content-security-policy"] ?? "")?.[0]}; form-action 'self'; frame-ancestors 'self' https://shop.example.com`,
    )
    expect(page.headers).toMatchObject({ "referrer-policy": "no-referrer" })
  })

  test("escapes the text of others, and returns session data unchanged", async () => {
    const world = await createWorld()
    const { capability, creq } = await challenged(world, { ...BROWSER_2_2_0, merchantName: evil })
    const visit = { capability, threeDSSessionData: `${evil}&amp;` }
    const page = await openChallenge(world.serving, visit, creq)
    expect(html(page)).not.toContain("<script>alert")
    const back = await answerChallenge(world.serving, visit, { type: "fail" })
    expect(html(back)).not.toContain("<script>alert")
    const unescaped = (fieldOf(back, "threeDSSessionData") ?? "")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"')
      .replaceAll("&amp;", "&")
    expect(unescaped).toBe(visit.threeDSSessionData)
    expect(back.headers["content-security-policy"]).toContain("form-action https://sealway.example.com;")
    expect(html(back)).toContain(`action="${BROWSER_2_2_0.notificationURL}"`)
  })

  test("for fingerprints returns immediately, and only to this service", () => {
    const { threeDSServerTransID } = BROWSER_2_2_0
    const data = (url: string) => writeMethodData({ threeDSServerTransID, threeDSMethodNotificationURL: url })
    const page = methodPage(TEST_APP, data("https://api.example.com/taken"), "https://api.example.com")
    expect(html(page)).toContain('action="https://api.example.com/taken"')
    expect(readMethodNotification(fieldOf(page, "threeDSMethodData") ?? "")).toEqual({ threeDSServerTransID })
    for (const url of [
      "https://evil.example.com/",
      "http://api.example.com/",
      "https://api.example.com.evil.example/",
      "https://api.example.com@evil.example/",
    ]) {
      expect(() => methodPage(TEST_APP, data(url), "https://api.example.com")).toThrow(
        expect.objectContaining({ code: "invalid-request" }),
      )
    }
    expect(() => methodPage(TEST_APP, "?", "https://api.example.com")).toThrow(
      expect.objectContaining({ code: "invalid-request" }),
    )
  })

  test.each([
    [{ purchaseAmount: "1099", purchaseCurrency: "978", purchaseExponent: "2" }, "10.99 EUR"],
    [{ purchaseAmount: "5", purchaseCurrency: "840", purchaseExponent: "2" }, "0.05 USD"],
    [{ purchaseAmount: "0", purchaseCurrency: "392", purchaseExponent: "0" }, "0 JPY"],
    [{ purchaseAmount: "0012345", purchaseCurrency: "414", purchaseExponent: "3" }, "12.345 KWD"],
    [{}, null],
  ])("shows %j as %s", (purchase, shown) => expect(shownAmount(purchase)).toBe(shown))
})

describe("a sandbox challenge's history", () => {
  const actions = fc.array(
    fc.oneof(
      fc.constantFrom<ChallengeAction>(
        ...(["open", "succeed", "fail", "cancel", "leave", "misuse"] as const).map((type) => ({ type })),
      ),
      fc.string({ maxLength: 10 }).map(code),
    ),
    { maxLength: 12 },
  )

  test("has at most one result, which is final, and at most three codes are tried", () => {
    fc.assert(
      fc.property(actions, fc.nat(CHALLENGE_MS), (list, stepMs) => {
        let challenge = newChallenge({} as never, 0)
        let nowMs = 0
        for (const action of list) {
          const before = challenge
          challenge = advanceChallenge(challenge, action, nowMs)
          if (before.result !== null) expect(challenge).toBe(before)
          expect(challenge.wrongCodes).toBeLessThanOrEqual(3)
          nowMs += stepMs
        }
        expect(advanceChallenge(challenge, { type: "succeed" }, CHALLENGE_MS).result).not.toBeNull()
      }),
    )
  })

  test("is only successful with the correct code or the success button", () => {
    fc.assert(
      fc.property(actions, (list) => {
        const safe = list.filter(
          (each) => each.type !== "succeed" && !(each.type === "code" && each.code === ONE_TIME_CODE),
        )
        const end = safe.reduce(
          (challenge, action) => advanceChallenge(challenge, action, 0),
          newChallenge({} as never, 0),
        )
        expect(end.result?.transStatus).not.toBe("Y")
      }),
    )
  })
})

test("the sandbox generates UUIDs that match EMVCo's format", async () => {
  const world = await createWorld()
  for (let round = 0; round < 50; round++) {
    const threeDSServerTransID = [4, 2, 2, 2, 6]
      .map((bytes) => RANDOM_DRAWS.randomBytes(bytes).toString("hex"))
      .join("-")
    const reading = await ask(world, { ...withOutcome(BROWSER_2_2_0, "301"), threeDSServerTransID })
    const { acsTransID } = (reading.kind === "message" ? reading.message : {}) as Partial<ARes>
    expect(acsTransID).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  }
})
