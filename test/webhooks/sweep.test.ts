import { createService } from "@sealway/api"
import { createPlatform } from "@sealway/http"
import { startReceiver, withoutLaterWrites } from "@sealway/http/testing"
import { createCloudClients, ensureStageKey, startEmbeddedCloud } from "@sealway/local"
import { startWorkers } from "@sealway/local/testing"
import { createApp, createTeam } from "@sealway/management"
import { type DeadLetterQueueName, QUEUES, type QueueName, TABLES } from "@sealway/ports"
import { SYSTEM } from "@sealway/records"
import { expect, test, vi } from "vitest"

test("delivers an event whose message was moved to the dead-letter queue, without a restart, once", async () => {
  await using receiver = await startReceiver((_, response) => response.writeHead(200).end())
  const cloud = await startEmbeddedCloud({ dataFolder: null, tables: TABLES, queues: QUEUES })
  const { configuration, clients } = createCloudClients(cloud)
  await ensureStageKey(cloud)
  const platform = withoutLaterWrites(createPlatform(configuration, clients))
  const team = await createTeam(platform, "Team", SYSTEM)
  const app = await createApp(platform, team.id, { name: "App", environment: "sandbox" }, SYSTEM)
  const service = createService(platform, cloud.functions)
  const times = { everyMs: 20, overdueMs: 200 }
  const workers = await startWorkers(platform, service, cloud, times)

  // As SQS does it after the last receipt: the message is in the other queue, and the event still pending.
  const openQueues = () => ({
    send: (queue: QueueName | DeadLetterQueueName, message: object) =>
      cloud.queues.send(queue === "events" ? "events-dead-letters" : queue, message),
  })
  const { events } = createPlatform(configuration, { ...clients, openQueues })
  await events.publish({
    teamId: team.id,
    appId: app.id,
    type: "function.run.completed",
    data: { a: 1 },
    callbackUrl: receiver.url,
  })
  await vi.waitFor(() => expect(receiver.received).toHaveLength(1), 10_000)
  await workers.close()
  expect(receiver.received).toHaveLength(1)
  await cloud.close()
})
