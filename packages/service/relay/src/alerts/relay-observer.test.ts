import { createMemoryTable } from "@sealway/ports/testing"
import type { NewEvent } from "@sealway/records"
import { describe, expect, test } from "vitest"
import type { Activity } from "../activity/activity.ts"
import { listActivity } from "../activity/read-activity.ts"
import type { Relay } from "../relays/relay.ts"
import { activityAt, finishedAs, RELAY, timeout } from "../testing/activity.ts"
import { alertRecords } from "./relay-alert-table.ts"
import { createRelayObserver } from "./relay-observer.ts"

const START_MS = Date.UTC(2026, 10, 21, 12, 0, 30)
const MINUTE_MS = 60_000
const LEAK = { direction: "request", path: "$.card" } as const

async function setUp({ dashboardUrl = null }: { readonly dashboardUrl?: string | null } = {}) {
  const clock = { ms: START_MS }
  const configTable = createMemoryTable()
  const eventsTable = createMemoryTable()
  const published: NewEvent[] = []
  const warnings: string[] = []
  const outages: Error[] = []
  const create = () =>
    createRelayObserver({
      configTable,
      eventsTable,
      events: {
        async publish(event) {
          const outage = outages.shift()
          if (outage) throw outage
          published.push(event)
        },
      },
      log: { warn: (message) => void warnings.push(message) },
      now: () => clock.ms,
      wallClock: () => clock.ms,
      dashboardUrl,
    })
  const addAlert = (type: "webhook" | "chat", relay = RELAY) =>
    alertRecords.create(configTable, relay.appId, {
      id: `relay_alert_${type}`,
      appId: relay.appId,
      relayId: relay.id,
      type,
      url: "https://a.example/secret",
      createdAt: 0,
      updatedAt: 0,
      revision: 1,
    })
  const observer = create()
  const finish = async (activity: Activity, relay: Relay = RELAY) => {
    observer.finished(relay, finishedAs(activity))
    await observer.settle()
  }
  const activity = (settings: Partial<Activity>) => activityAt(clock.ms, settings)
  return {
    clock,
    configTable,
    eventsTable,
    published,
    warnings,
    outages,
    create,
    observer,
    addAlert,
    finish,
    activity,
  }
}

const failed = { status: 504, error: timeout }

describe("a request with an error", () => {
  test("is reported with the ten fields, and as a text to a chat", async () => {
    const { addAlert, finish, published, activity } = await setUp()
    await addAlert("webhook")
    await addAlert("chat")
    const one = activity(failed)
    await finish(one)
    const fields = {
      relayUuid: RELAY.id,
      teamUuid: "team_1",
      errorMessage: "The destination took too long.",
      evMessage: "Between the relay and the destination.",
      activityLink: `/relays/${RELAY.id}/activity/${one.id}`,
      timestamp: START_MS,
      errorType: "request-timeout",
      statusCode: 504,
      statusGroup: "5XX",
      inboundDomain: RELAY.relayDomain,
    }
    expect(published).toEqual([
      {
        id: expect.stringMatching(/^webhook_event_[0-9a-hjkmnp-tv-z]{26}$/),
        teamId: "team_1",
        appId: "app_1",
        type: "relay.error",
        data: fields,
        recipients: [
          {
            id: "relay_alert_webhook",
            recordKey: `relay-alert#${RELAY.id}#relay_alert_webhook`,
            body: fields,
          },
          {
            id: "relay_alert_chat",
            recordKey: `relay-alert#${RELAY.id}#relay_alert_chat`,
            body: {
              text: `Relay ${RELAY.relayDomain}: request-timeout (504). The destination took too long. Between the relay and the destination. ${fields.activityLink}`,
            },
          },
        ],
      },
    ])
    expect(Object.keys(published[0]?.data ?? {})).toEqual(Object.keys(fields))
  })

  test("is linked to its page in the dashboard when there is one", async () => {
    const { finish, published, activity } = await setUp({
      dashboardUrl: "https://dashboard.example.com/dashboard",
    })
    const one = activity(failed)
    await finish(one)
    expect(published[0]?.data).toMatchObject({
      activityLink: `https://dashboard.example.com/dashboard/apps/${RELAY.appId}/relays/${RELAY.id}/activity/${one.id}`,
    })
  })

  test("is reported in the same minute when the relay gets its first alert by then", async () => {
    const { clock, addAlert, finish, published, activity } = await setUp()
    await finish(activity(failed))
    await addAlert("chat")
    clock.ms += 9_999
    await finish(activity(failed))
    expect(published.map(({ recipients }) => recipients?.length)).toEqual([0])
    clock.ms += 1
    await finish(activity(failed))
    await finish(activity(failed))
    expect(published.map(({ recipients }) => recipients?.length)).toEqual([0, 1])
    expect(published[0]?.id).toBe(published[1]?.id)
  })

  test("raises one alert per relay, error code and minute", async () => {
    const { clock, addAlert, finish, published, activity } = await setUp()
    const other = { ...RELAY, id: "relay_00000000000000000000000002" }
    await addAlert("chat")
    await addAlert("webhook", other)
    const refused = {
      status: 401,
      error: { ...timeout, code: "proxy-auth-failed", stage: "request" } as const,
    }
    for (let times = 0; times < 3; times++) {
      await finish(activity(failed))
      await finish(activity(refused))
      await finish(activity(failed), other)
      clock.ms += 9_999
    }
    expect(published).toHaveLength(3)
    clock.ms = START_MS + MINUTE_MS / 2
    await finish(activity(failed))
    expect(published).toHaveLength(4)
    expect(new Set(published.map(({ id }) => id)).size).toBe(4)
    expect(published[1]?.data).toMatchObject({
      statusGroup: "4XX",
      evMessage: "In the request, before it was sent to the destination.",
    })
  })

  test("is the same event in all processes", async () => {
    const { create, published, activity } = await setUp()
    for (const observer of [create(), create()]) {
      observer.finished(RELAY, finishedAs(activity(failed)))
      await observer.settle()
    }
    expect(published).toHaveLength(2)
    expect(published[0]?.id).toBe(published[1]?.id)
  })

  test("is reported by the next one when its report failed", async () => {
    const { finish, published, outages, warnings, activity } = await setUp()
    outages.push(new Error("throttled"))
    await finish(activity(failed))
    expect(published).toEqual([])
    expect(warnings).toEqual(["could not raise a relay alert"])
    await finish(activity(failed))
    await finish(activity(failed))
    expect(published).toHaveLength(1)
  })

  test("is recorded, and kept among too many others, when an alert links to it", async () => {
    const { finish, observer, eventsTable, published, activity } = await setUp()
    const alerted = activity(failed)
    for (let times = 0; times < 200; times++)
      observer.finished(
        RELAY,
        finishedAs(activity({ status: 504, error: { ...timeout, code: "proxy-error" } })),
      )
    await finish(alerted)
    for (let times = 0; times < 200; times++) observer.finished(RELAY, finishedAs(activity(failed)))
    await observer.flush()
    const { data } = await listActivity(
      eventsTable,
      { appId: "app_1", relayId: RELAY.id },
      { limit: 1_000 },
      {},
    )
    expect(published).toHaveLength(2)
    expect(data.map(({ id }) => id)).toContain(alerted.id)
  })
})

describe("a request with a card number", () => {
  test("is reported as leak-detected when it was forwarded", async () => {
    const { finish, published, activity } = await setUp()
    await finish(activity({ leaks: [LEAK] }), { ...RELAY, leakWatch: "alert" })
    expect(published).toMatchObject([
      {
        data: {
          errorType: "leak-detected",
          errorMessage: "A card number passed through in a field that no selection covers.",
          evMessage: "At $.card of the request.",
          statusCode: 200,
          statusGroup: "ERR",
        },
      },
    ])
  })

  test("is reported once when it was refused for that, and twice when it failed for another reason", async () => {
    const blocked = await setUp()
    const refusal = { code: "bad-request", stage: "request", detail: "It holds a card number." } as const
    await blocked.finish(blocked.activity({ status: 400, error: refusal, leaks: [LEAK] }), {
      ...RELAY,
      leakWatch: "block",
    })
    expect(blocked.published.map(({ data }) => data)).toMatchObject([
      {
        errorType: "leak-detected",
        statusCode: 400,
        statusGroup: "4XX",
        errorMessage: expect.stringMatching(/refused/),
      },
    ])
    const { finish, published, activity } = await setUp()
    await finish(activity({ ...failed, leaks: [LEAK] }), { ...RELAY, leakWatch: "alert" })
    expect(published.map(({ data }) => data)).toMatchObject([
      { errorType: "leak-detected" },
      { errorType: "request-timeout" },
    ])
  })

  test("is reported without mark-up from its names, and with at most five places", async () => {
    const { finish, published, activity } = await setUp()
    const path = "$['<!channel> @all http://evil.example \n']"
    const leaks = [path, ...Array.from({ length: 7 }, (_, index) => `$.card${index}`), `$.${"n".repeat(999)}`]
    await finish(activity({ leaks: leaks.map((each) => ({ direction: "response", path: each }) as const) }))
    expect(published[0]?.data).toMatchObject({
      evMessage:
        "At $['??channel? ?all http???evil.example ?'] of the response, $.card0 of the response, $.card1 of the response, $.card2 of the response, $.card3 of the response and 4 other places.",
    })
  })
})

describe("the relay observer", () => {
  test("makes no call for a forwarded request except the writes of its activity", async () => {
    const { finish, published, configTable, eventsTable, activity } = await setUp()
    await finish(activity({}))
    for (let times = 0; times < 50; times++) await finish(activity({}))
    expect(published).toEqual([])
    expect(configTable.calls).toEqual([])
    expect(eventsTable.calls).toEqual(["put"])
  })

  test("never throws, whatever it receives", async () => {
    const { observer, warnings } = await setUp()
    const broken = {
      ...finishedAs(activityAt(START_MS)),
      activity() {
        throw new Error("broken")
      },
    }
    expect(observer.finished(RELAY, broken)).toBeUndefined()
    expect(warnings).toEqual(["could not record relay activity"])
  })
})
